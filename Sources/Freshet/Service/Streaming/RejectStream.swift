public import FreshetEssentials

extension BodyStream {
  /// Turns error responses into a typed failure, ``CallError/rejected(_:)``, as `reject(as:)` of a
  /// call does.
  ///
  /// - Error responses are those with a status outside of 2xx. Every other failure is
  ///   ``CallError/failed(_:)``.
  /// - The failure contains status, headers, at most the first 64 KiB of the body, and the decoded
  ///   model.
  /// - A body that is not the model is still that error: the rejection contains the decoding
  ///   failure instead.
  /// - Decoding runs off the caller's actor.
  ///
  /// ```swift
  /// let changes = client.stream(.get("changes")).reject(as: APIError.self).ndjson(Change.self)
  /// ```
  ///
  /// - Parameters:
  ///   - model: The type of the error responses.
  ///   - decoding: The decoding of the model; JSON by default.
  /// - Returns: The chunks, with ``CallError`` as the failure; `lines()`, `ndjson(_:)` and
  ///   `events()` follow it.
  public func reject<Model: Decodable & Sendable>(
    as model: Model.Type,
    with decoding: Decoding<Model> = .json
  ) -> some AsyncSequence<Data, CallError<Model>> & Sendable {
    rejected(by: decoding, of: request)
  }
}

extension EventStream {
  /// Turns an error response that ends the stream into a typed failure, ``CallError/rejected(_:)``.
  ///
  /// The guarantees are those of ``BodyStream/reject(as:with:)``. A transient status, such as 503,
  /// is the failure only after ``Reconnection/maximumFailures``.
  ///
  /// ```swift
  /// let ticks = client.events(.get("ticker")).reject(as: APIError.self).decode(Tick.self)
  /// ```
  ///
  /// - Parameters:
  ///   - model: The type of the error responses.
  ///   - decoding: The decoding of the model; JSON by default.
  /// - Returns: The events, with ``CallError`` as the failure.
  public func reject<Model: Decodable & Sendable>(
    as model: Model.Type,
    with decoding: Decoding<Model> = .json
  ) -> some AsyncSequence<ServerSentEvent, CallError<Model>> & Sendable {
    rejected(by: decoding, of: request)
  }
}

extension EventStream.Updates {
  /// Turns an error response that ends the stream into a typed failure, as
  /// ``EventStream/reject(as:with:)`` does.
  ///
  /// An error response after which the stream reconnects is an update, and not decoded.
  ///
  /// ```swift
  /// let updates = client.events(.get("ticker")).updates.reject(as: APIError.self)
  /// ```
  ///
  /// - Parameters:
  ///   - model: The type of the error responses.
  ///   - decoding: The decoding of the model; JSON by default.
  /// - Returns: The updates, with ``CallError`` as the failure.
  public func reject<Model: Decodable & Sendable>(
    as model: Model.Type,
    with decoding: Decoding<Model> = .json
  ) -> some AsyncSequence<EventStream.Update, CallError<Model>> & Sendable {
    rejected(by: decoding, of: base.request)
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == FreshetError {
  fileprivate func rejected<Model: Sendable>(
    by decoding: Decoding<Model>,
    of request: Request
  ) -> ConvertSequence<Self, Element, CallError<Model>> {
    ConvertSequence(
      self,
      ".reject(as: \(Model.self))",
      failure: { await $0.rejected(by: decoding, of: request) },
      convert: { element throws(CallError<Model>) in element }
    )
  }
}

extension FreshetError {
  @concurrent
  fileprivate func rejected<Model: Sendable>(
    by decoding: Decoding<Model>,
    of request: Request
  ) async -> CallError<Model> {
    guard case .status(let head, let body) = self else { return .failed(self) }
    var response = Response(head: head, value: body)
    response.record.call = CallRecord(request: request, explanation: Explanation())
    return .rejected(Rejection(response, decoding))
  }
}
