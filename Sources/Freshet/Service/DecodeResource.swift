import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Resource>, Failure == FreshetError {
  /// Decodes the bodies of resources, both stale and final ones.
  ///
  /// - The guarantees are those of `decode` on the responses of a call. ``Response/explanation`` is
  ///   the resource's.
  /// - A body of more than 64 MiB fails with ``FreshetError/limitExceeded(_:url:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the decoded bodies.
  ///   - decoding: The decoding.
  /// - Returns: The events, with responses whose values are decoded.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>
  ) -> some AsyncSequence<Event<Response<Value>>, FreshetError> & Sendable {
    responses.decoded(by: decoding)
  }

  /// Decodes the bodies of resources from JSON; for `Data`, the bytes are returned unchanged.
  ///
  /// ```swift
  /// let users = try await client.resource(at: url).decode([User].self).output
  /// ```
  ///
  /// - Parameter type: The type of the decoded bodies.
  /// - Returns: The events, with responses whose values are decoded.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) -> some AsyncSequence<Event<Response<Value>>, FreshetError> & Sendable {
    responses.decoded(by: .standard)
  }

  /// Resources as responses with their bodies in memory.
  private var responses: ConvertSequence<Self, Event<Response<Data>>, FreshetError> {
    ConvertSequence(self, "") { resource throws(FreshetError) in try await resource.collected() }
  }
}

extension Resource {
  /// Decodes the body, such as that of an item of a batch.
  ///
  /// It has the guarantees of `decode(_:as:)` on the events of ``Client/resource(_:policy:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the decoded body.
  ///   - decoding: The decoding.
  /// - Returns: The response whose value is decoded.
  /// - Throws: ``FreshetError/decoding(_:head:body:)`` for a body that is not the value, and
  ///   ``FreshetError/limitExceeded(_:url:)`` for one of more than 64 MiB.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>
  ) async throws(FreshetError) -> Response<Value> {
    try await decoding.decode(apart: collected())
  }

  /// Decodes the body from JSON; for `Data`, the bytes are returned unchanged.
  ///
  /// ```swift
  /// case .received(_, let resource): show(try await resource.decode(User.self).value)
  /// ```
  ///
  /// - Parameter type: The type of the decoded body.
  /// - Returns: The response whose value is decoded.
  /// - Throws: As `decode(_:as:)` does.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) async throws(FreshetError) -> Response<Value> {
    try await decode(type, as: .standard)
  }

  /// The response with its body in memory.
  fileprivate func collected() async throws(FreshetError) -> Response<Data> {
    var head = response.head
    head.headers = headers
    var collected = Response(head: head, value: try await dataOffActor())
    collected.record.call = CallRecord(
      request: request,
      explanation: explanation,
      resource: self,
      models: context.models
    )
    return collected
  }
}
