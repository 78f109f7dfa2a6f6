extension Client {
  /// Sends a request, bypassing all stores, and returns its response's body as it arrives.
  ///
  /// - Parameter request: The request.
  /// - Returns: A cold sequence of chunks, with operators such as `lines()`, `ndjson(_:as:)` and
  ///   `events()`.
  public func stream(_ request: Request) -> BodyStream {
    BodyStream(request: prepared(request, isEndless: true), transport: settings.transport)
  }

  /// Follows a stream of server-sent events, and reconnects when the connection breaks.
  ///
  /// ```swift
  /// for try await event in client.events(.get("ticker")) { print(event.type, event.data) }
  /// ```
  ///
  /// A `POST` without an `Idempotency-Key` is sent once, and its events end with its response, unless
  /// ``Request/cacheIdentity`` declares it safe.
  ///
  /// - Parameters:
  ///   - request: The request; `Accept` and `Cache-Control` are set unless it has them.
  ///   - reconnection: The policy of reconnecting; up to 10 times in a row by default.
  /// - Returns: A cold sequence of events.
  public func events(_ request: Request, reconnection: Reconnection = Reconnection()) -> EventStream
  {
    EventStream(
      request: prepared(request, isEndless: true),
      transport: settings.transport,
      reconnection: reconnection,
      clock: reconnection.clock.map { CallClock($0) } ?? settings.stack.clock,
      generator: reconnection.generator.map { SharedGenerator($0) } ?? settings.stack.generator,
      now: settings.configuration.now
    )
  }

  /// Follows a stream of server-sent events as ``events(_:reconnection:)`` does, by another policy.
  ///
  /// ```swift
  /// let events = client.events(.get("ticker")) { $0.maximumFailures = 3 }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request; `Accept` and `Cache-Control` are set unless it has them.
  ///   - configure: A closure that changes the default policy of reconnecting.
  /// - Returns: A cold sequence of events.
  public func events(
    _ request: Request,
    _ configure: (inout Reconnection) -> Void
  ) -> EventStream {
    events(request, reconnection: Reconnection(configure))
  }
}
