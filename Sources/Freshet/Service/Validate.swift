public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Fails for a status outside of 2xx with ``FreshetError/status(_:body:)``, which contains head and body.
  ///
  /// The sequence ends with the first such response, also for several pages.
  ///
  /// - Parameter isValid: A predicate that decides which statuses are no errors; 2xx by default.
  ///   Later stages do not treat a status that it accepts as an error either.
  /// - Returns: The events.
  public func validate(
    _ isValid: @escaping @Sendable (HTTPStatus) -> Bool = { $0.isSuccess }
  ) -> some AsyncSequence<Event<Response<Data>>, Failure> & Sendable {
    ValidateSequence(base: self, isValid: isValid)
  }
}

// MARK: - Sequence

struct ValidateSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Response<Data>>, Base.Failure: PipelineFailure {
  let base: Base
  let isValid: @Sendable (HTTPStatus) -> Bool

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), isValid: isValid)
  }
}

// MARK: - Iterator

extension ValidateSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let isValid: @Sendable (HTTPStatus) -> Bool
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Event<Response<Data>>? {
      guard !isOver else { return nil }
      let event = try await base.next(isolation: actor)
      guard case .value(let response) = event else { return event }
      guard isValid(response.status) else {
        isOver = true
        throw Base.Failure(.status(response.head, body: response.body))
      }
      return .value(response.accepted)
    }
  }
}

@available(*, unavailable)
extension ValidateSequence.Iterator: Sendable {}

// MARK: - Description

extension ValidateSequence: PipelineStage {}
