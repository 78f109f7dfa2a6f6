/// The events of a finished pipeline as steps, so that a flight can carry them.
struct UnsettleSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Resource>, Base.Failure == FreshetError {
  let base: Base

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator())
  }
}

// MARK: - Iterator

extension UnsettleSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      switch try await base.next(isolation: actor) {
      case .progress(let progress): .progress(progress)
      case .value(let resource): .resource(resource)
      case nil: nil
      }
    }
  }
}

@available(*, unavailable)
extension UnsettleSequence.Iterator: Sendable {}

// MARK: - Description

extension UnsettleSequence: PipelineStage {
  var stageDescription: String { "" }
}
