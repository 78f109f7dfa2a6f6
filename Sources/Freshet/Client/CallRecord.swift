/// What a response knows of its call.
///
/// It is shared, so that a response is a few references however large its request is.
final class CallRecord: Sendable {
  let request: Request
  let explanation: Explanation
  /// What the stores made of it, where they were asked.
  let resource: Resource?

  init(request: Request, explanation: Explanation, resource: Resource? = nil) {
    self.request = request
    self.explanation = explanation
    self.resource = resource
  }
}

extension Response {
  /// The request as it was made, its URL resolved, before redirects; `nil` if the response was made
  /// by hand.
  public var request: Request? { record.call?.request }

  /// The decisions that led to the response, in order: retries, redirects, and what the stores said
  /// if they were asked.
  public var explanation: Explanation { record.call?.explanation ?? Explanation() }

  /// Where the response came from and how fresh it is, if stores were asked, see
  /// ``CallOptions/cache``.
  public var resource: Resource? { record.call?.resource }
}
