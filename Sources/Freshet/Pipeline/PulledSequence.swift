/// A sequence whose elements a closure returns one after the other; `nil` ends it.
package struct PulledSequence<State, Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  private let start: @Sendable () -> State
  private let pull: @Sendable (inout State) async throws(Failure) -> Element?

  /// Makes a sequence.
  ///
  /// - Parameters:
  ///   - start: The state with which each iterator begins, such as a position.
  ///   - pull: A closure that returns the next element, and changes the iterator's state.
  package init(
    from start: @escaping @autoclosure @Sendable () -> State,
    _ pull: @escaping @Sendable (inout State) async throws(Failure) -> Element?
  ) {
    self.start = start
    self.pull = pull
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(state: start(), pull: pull)
  }

  package struct Iterator: AsyncIteratorProtocol {
    var state: State
    let pull: @Sendable (inout State) async throws(Failure) -> Element?

    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      try await pull(&state)
    }
  }
}

@available(*, unavailable)
extension PulledSequence.Iterator: Sendable {}
