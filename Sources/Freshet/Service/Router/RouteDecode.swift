public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure == FreshetError {
  /// Decodes responses as the model of their route, off the caller's actor.
  ///
  /// Progress passes through, and the sequence ends with the first failure. The response keeps its
  /// envelope and the skipped elements, see ``Response/envelope(as:)`` and ``Response/skipped``.
  /// The failure is a ``RouteError``, which also wraps a failure before the response.
  ///
  /// ```swift
  /// let user = try await client.send(.get("users/7")).decode(User.self, by: router).value
  /// ```
  ///
  /// - Parameters:
  ///   - type: The requested type, see ``Router/decode(_:from:for:)``.
  ///   - router: The router; it uses the original request, ``Response/request``.
  /// - Returns: The events with models as values.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    by router: Router
  ) -> some AsyncSequence<Event<Response<Value>>, RouteError> & Sendable {
    ConvertSequence(self, ".decode(\(Value.self), by: router)", failure: RouteError.failed) {
      (response: Response<Data>) throws(RouteError) in
      try await router.decode(apart: response)
    }
  }
}

extension Router {
  @concurrent
  fileprivate func decode<Value: Sendable>(
    apart response: Response<Data>
  ) async throws(RouteError) -> Response<Value> {
    let isError = !response.status.isSuccess && !response.record.isAccepted
    let decoded: Response<Value>
    do throws(RouteError) {
      decoded = try self.response(Value.self, from: response)
    } catch {
      if case .rejected = error { await response.removeError() }
      throw error
    }
    if isError { return decoded }
    do {
      return try await decoded.saved()
    } catch {
      throw .failed(error)
    }
  }
}
