/// Refuses what a faster store has taken over from the seeds, for fetches that leave the seeds out.
///
/// It is the seed itself as long as it has the seed's times; what the origin has confirmed or sent since
/// has others.
struct RefuseSeeds: FetchStage {
  let seeds: SeedStore

  var handles: Fetch.Kinds { .found }

  func reply(to step: Fetch) async -> Fetch.Reply {
    guard case .found(let found) = step,
      let seed = await seeds.find(found.context.key, for: found.context.headers),
      seed.requestTime == found.response.requestTime,
      seed.responseTime == found.response.responseTime
    else { return .pass }
    let explanation = found.explanation.adding(.missed(found.source))
    return .step(.wanted(Fetch.Wanted(found.context, explanation: explanation)))
  }

  /// A policy says it, and no operator.
  var stageDescription: String { "" }
}
