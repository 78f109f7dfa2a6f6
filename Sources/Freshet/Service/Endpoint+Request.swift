import FreshetEssentials

extension Endpoint {
  /// Returns the endpoint's request, with its URL not resolved yet.
  func request() throws(FreshetError) -> Request {
    let path = try made("path") { try self.path }
    let body = try made("body") { try self.body }
    let query = try made("query") { try self.query }
    return try Request(method, target: RequestTarget(path), headers: headers, body: body)
      .adding(query: query, encoding: queryEncoding)
      .with(options, storing: contentTypes, unless: { isError($0) })
  }

  private func made<Member>(
    _ name: String,
    _ make: () throws -> Member
  ) throws(FreshetError) -> Member {
    do {
      return try make()
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .unencodable(name, error)
    }
  }

  /// Judges and decodes a response, off the caller's actor, and saves its models.
  @concurrent
  func understand(
    _ response: Response<Data>
  ) async throws(CallError<Failure>) -> Response<Output> {
    if isError(response) {
      await response.removeError()
      throw .rejected(Rejection(response, errorDecoding))
    }
    do {
      let accepted = response.accepted
      try accepted.requireContentType(contentTypes, of: "\(Output.self)")
      return try await decoding.value(of: accepted, at: payload).saved()
    } catch {
      throw .failed(error)
    }
  }
}
