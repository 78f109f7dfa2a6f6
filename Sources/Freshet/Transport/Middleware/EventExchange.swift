/// An exchange that pulls its events from an iterator; decorators consist of these.
///
/// It is `@unchecked Sendable` although its iterator is not: an exchange is created by and for one
/// ``Transfer/Iterator``, which holds the only reference to it, calls `next()` from one task at a time
/// because it is not `Sendable` itself, and calls `cancel()` when it is released, so that the two never
/// overlap.
final class EventExchange<Events: AsyncIteratorProtocol>: Exchange, @unchecked Sendable
where Events.Element == TransferEvent, Events.Failure == FreshetError {
  private var events: Events?

  init(_ events: Events) {
    self.events = events
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    try await events?.next(isolation: #isolation)
  }

  func cancel() {
    events = nil
  }
}
