import Foundation

extension Endpoint {
  /// The request that the endpoint stands for, its URL not resolved yet.
  func request() throws(FreshetError) -> Request {
    try Request(method, path: try path, headers: headers, body: try body)
      .adding(query: try query, encoding: queryEncoding)
      .with(options)
  }

  /// Judges and decodes a response, off the caller's actor.
  @concurrent
  func understand(
    _ response: Response<Data>
  ) async throws(CallError<Failure>) -> Response<Output> {
    guard !isError(response) else { throw .rejected(Rejection(response, errorDecoding)) }
    do {
      let accepted = response.accepted
      try accepted.requireContentType(contentTypes, of: "\(Output.self)")
      guard !payload.isEmpty else { return try decoding.decode(accepted) }
      return try decoding.decode(try accepted.unwrapped(at: payload, absent: .deferred))
    } catch {
      throw .failed(error)
    }
  }
}
