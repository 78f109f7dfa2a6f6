/// The events of a started pipeline, see ``Running/events``.
public struct RunningEvents<Value: Sendable, Failure: PipelineFailure>: AsyncSequence, Sendable {
  let broadcast: Broadcast<Value, Failure>

  /// Makes a reader, which begins with the newest progress and the last value sent so far.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reader: broadcast.reader())
  }

  /// Reads the events in order.
  public struct Iterator: AsyncIteratorProtocol {
    /// The reader, for which the pipeline waits; `nil` once the iteration is over.
    var reader: Broadcast<Value, Failure>.Reader?

    /// Waits for the next event; `nil` at the end, and after a failure was thrown.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Event<Value>? {
      guard let reader else { return nil }
      do throws(Failure) {
        let event = try await reader.next()
        if event == nil { self.reader = nil }
        return event
      } catch {
        self.reader = nil
        throw error
      }
    }
  }
}

@available(*, unavailable)
extension RunningEvents.Iterator: Sendable {}

extension RunningEvents: PipelineDescribable, CustomStringConvertible {
  /// A description that names the type of the values.
  package var words: PipelineDescription {
    PipelineDescription("running pipeline of \(Value.self)", ".events")
  }
}
