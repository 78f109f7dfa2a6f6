/// Refuses stored copies whose media type is not one that the policy accepts, so that they are downloaded again.
struct RefuseOtherTypes: FetchStage {
  let types: ContentTypes

  var name: StageName { .refuseOtherTypes }
  var handles: Fetch.Kinds { .found }

  func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .found(let found) = step, !found.response.isRefusal,
      found.response.body.length > 0, types.refusal(of: found.response.head.headers) != nil
    else { return .pass }
    let explanation = found.explanation.adding(.missed(found.source))
    return .step(.wanted(Fetch.Wanted(found.context, explanation: explanation)))
  }

  /// A policy says it, and no operator.
  var stageDescription: String { "" }
}

extension StageName {
  /// The check of the media types of stored copies.
  package static let refuseOtherTypes = StageName("refuseOtherTypes")
}
