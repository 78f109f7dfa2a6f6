/// The information of a response about its call.
///
/// It is shared, so that a response is a few references however large its request is.
final class CallRecord: Sendable {
  let request: Request
  let explanation: Explanation
  /// The resource that the stores returned, if they were used.
  let resource: Resource?
  /// The stores that may have the response, which an error does not stay in.
  let stores: [any ResourceStore]
  /// The store for what is decoded of the response.
  let models: (any ModelSaving)?

  init(
    request: Request,
    explanation: Explanation,
    resource: Resource? = nil,
    stores: [any ResourceStore] = [],
    models: (any ModelSaving)? = nil
  ) {
    // Sent again, it is another call.
    self.request = request.ofNewCall
    self.explanation = explanation
    self.resource = resource
    self.stores = stores
    self.models = models
  }
}

extension Request {
  /// The request as that of another call, which has retries and a session of its own.
  package var ofNewCall: Request {
    var request = self
    request.scope = nil
    request.call = nil
    request.hasOwnRetries = false
    return request
  }
}

extension Response {
  /// The original request, with its URL resolved, before redirects; `nil` if the response was made by hand.
  public var request: Request? { record.call?.request }

  /// The decisions that led to the response, in order: retries, redirects, and those of the stores.
  public var explanation: Explanation { record.call?.explanation ?? Explanation() }

  /// The resource with its origin and freshness, if stores were used, see ``CallOptions/cache``.
  public var resource: Resource? { record.call?.resource }
}
