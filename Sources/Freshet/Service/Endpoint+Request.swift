import Foundation

extension Endpoint {
  /// The request that the endpoint stands for, its URL not resolved yet.
  func request() throws(FreshetError) -> Request {
    var request = Request(method, RelativeURL.make(path, query: query), headers: headers)
    request.body = try body
    let options = options
    request.timeouts = options.timeouts
    request.redirects = options.redirects
    request.limits = options.limits
    request.priority = options.priority
    request.tags = options.tags
    return request
  }

  /// Judges and decodes a response, off the caller's actor.
  @concurrent
  func understand(
    _ response: Response<Data>
  ) async throws(CallError<Failure>) -> Response<Output> {
    guard !isError(response) else { throw .rejected(Rejection(response, errorDecoding)) }
    do {
      let accepted = response.accepted
      guard !payload.isEmpty else { return try decoding.decode(accepted) }
      return try decoding.decode(try accepted.unwrapped(at: payload, absent: .deferred))
    } catch {
      throw .failed(error)
    }
  }
}
