public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Fails for a body of another media type with ``FreshetError/decoding(_:head:body:)``, which
  /// contains head and body: the page of a captive portal is no JSON, whatever its status.
  ///
  /// - The sequence ends with the first such response, also for several pages.
  /// - A response without a body passes, and so does an error response, whose status
  ///   `validate(_:)`, `reject(as:)` or `decode(_:)` handles.
  ///
  /// ```swift
  /// let table = client.send(.get("report")).validate(contentType: ["text/csv", "text/plain"])
  /// ```
  ///
  /// - Parameter types: The types that are accepted, such as ``ContentTypes/json`` or `"image/*"`.
  /// - Returns: The events.
  public func validate(
    contentType types: ContentTypes
  ) -> some AsyncSequence<Event<Response<Data>>, Failure> & Sendable {
    ValidateContentTypeSequence(base: self, types: types, target: "\(types)")
  }
}

// MARK: - Sequence

struct ValidateContentTypeSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Response<Data>>, Base.Failure: PipelineFailure {
  let base: Base
  let types: ContentTypes
  /// The name of the type that the body should be decoded to.
  let target: String

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), types: types, target: target)
  }
}

// MARK: - Iterator

extension ValidateContentTypeSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let types: ContentTypes
    let target: String
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Event<Response<Data>>? {
      guard !isOver else { return nil }
      let event = try await base.next(isolation: actor)
      guard case .value(let response) = event else { return event }
      do {
        try response.requireContentType(types, of: target)
      } catch {
        isOver = true
        throw Base.Failure(error)
      }
      return event
    }
  }
}

@available(*, unavailable)
extension ValidateContentTypeSequence.Iterator: Sendable {}

// MARK: - Description

extension ValidateContentTypeSequence: PipelineStage {
  var stageDescription: String { ".validate(contentType: \(types))" }
}
