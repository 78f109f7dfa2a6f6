/// One step that has been made already.
struct StepSequence: AsyncSequence, Sendable {
  let step: Fetch

  func makeAsyncIterator() -> Iterator {
    Iterator(step: step)
  }

  struct Iterator: AsyncIteratorProtocol {
    var step: Fetch?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      step.take()
    }
  }
}

@available(*, unavailable)
extension StepSequence.Iterator: Sendable {}
