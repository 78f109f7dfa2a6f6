/// The events of a started pipeline, see ``Running/events``.
public struct RunningEvents<Value: Sendable, Failure: PipelineFailure>: AsyncSequence, Sendable {
  let broadcast: Broadcast<Value, Failure>

  /// Makes a reader; what it missed so far is the first that it gets.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reader: broadcast.reader())
  }

  /// Reads the events in order.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: Broadcast<Value, Failure>.Reader

    /// Waits for the next event; `nil` at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Event<Value>? {
      try await reader.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension RunningEvents.Iterator: Sendable {}

extension RunningEvents: Worded, CustomStringConvertible {
  /// That a pipeline runs, and what its values are.
  public var description: String { words.description }

  package var words: PipelineWords { PipelineWords("running pipeline of \(Value.self)", ".events") }
}
