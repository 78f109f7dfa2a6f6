extension AsyncSequence where Self: Sendable, Element: PipelineEvent, Failure: PipelineFailure {
  /// The values of the pipeline without its progress, in order: pages, or stale and fresh copies.
  public var values: some AsyncSequence<Element.Value, Failure> & Sendable {
    ValuesSequence(base: self)
  }
}

// MARK: - Sequence

struct ValuesSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element: PipelineEvent, Base.Failure: PipelineFailure {
  let base: Base

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator())
  }
}

// MARK: - Iterator

extension ValuesSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Base.Element.Value? {
      while let event = try await base.next(isolation: actor) {
        if let value = event.value { return value }
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension ValuesSequence.Iterator: Sendable {}

// MARK: - Description

extension ValuesSequence: PipelineStage {
  var stageDescription: String { ".values" }
}
