import Foundation

extension Endpoint {
  /// The request that the endpoint stands for, its URL not resolved yet.
  func request() throws(FreshetError) -> Request {
    let request = Request(method, path: try path, headers: headers, body: try body)
    var complete = try request.adding(query: try query, encoding: queryEncoding)
    let options = options
    complete.timeouts = options.timeouts
    complete.redirects = options.redirects
    complete.limits = options.limits
    complete.priority = options.priority
    complete.tags = options.tags
    complete.omittedHeaders = options.omittedHeaders
    return complete
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
