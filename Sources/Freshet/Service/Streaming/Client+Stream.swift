import Foundation

extension Client {
  /// Sends a request past all stores and hands its response's body over as it arrives.
  ///
  /// - Parameter request: What to send.
  /// - Returns: A cold sequence of chunks, with operators such as `lines()`, `ndjson(_:as:)` and
  ///   `events()`.
  public func stream(_ request: Request) -> BodyStream {
    BodyStream(request: prepared(request), transport: transport())
  }

  /// Follows a stream of server-sent events, and connects again when it breaks.
  ///
  /// ```swift
  /// for try await event in client.events(.get("ticker")) { print(event.type, event.data) }
  /// ```
  ///
  /// - Parameters:
  ///   - request: What to send; `Accept` and `Cache-Control` are set unless it has them.
  ///   - reconnection: When and how often to connect again.
  /// - Returns: A cold sequence of events.
  public func events(_ request: Request, reconnection: Reconnection = Reconnection()) -> EventStream
  {
    EventStream(
      request: prepared(request),
      transport: transport(),
      reconnection: reconnection,
      clock: reconnection.clock.map { CallClock($0) } ?? settings.stack.clock,
      generator: reconnection.generator.map { SharedGenerator($0) } ?? settings.stack.generator,
      now: settings.configuration.now
    )
  }
}
