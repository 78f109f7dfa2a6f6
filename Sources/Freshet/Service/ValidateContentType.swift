public import Foundation

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Makes a body of another media type a failure, ``FreshetError/decoding(_:head:body:)``, which keeps
  /// head and body: the page of a captive portal is no JSON, whatever its status.
  ///
  /// - It ends with the first one, of several pages too.
  /// - A response without a body passes, and so does an error response: what is to be done about its
  ///   status is for `validate(_:)`, `reject(as:)` or `decode(_:)` to say.
  ///
  /// ```swift
  /// let table = client.send(.get("report")).validate(contentType: ["text/csv", "text/plain"])
  /// ```
  ///
  /// - Parameter types: The types that are accepted, such as ``ContentTypes/json`` or `"image/*"`.
  /// - Returns: The same events.
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
  /// The name of what the body should become.
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
