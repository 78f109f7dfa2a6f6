import FreshetEssentials

/// A stream of server-sent events over several connections, see ``Client/events(_:reconnection:)``.
///
/// - Cold: each iterator opens its own connection.
/// - When a connection ends or breaks, also within a compressed body, or the server answers 408, 425, 429,
///   500, 502, 503 or 504, it reconnects after a pause, with the last id as `Last-Event-ID`, unless the id
///   has a control character.
/// - A connection that receives nothing for ``Request/Timeouts/idle`` is opened again and does not
///   count as a failure, because a server may have nothing to send. A `Retry-After` is respected.
/// - ``Request/Timeouts/total`` of the request, but not that of the client, limits the whole stream, with all
///   connections and the pauses between them.
/// - It ends after a 204, by which the server ends the stream.
/// - It fails with ``FreshetError/invalidResponse(_:url:)`` if the response is no
///   `text/event-stream`, whatever its parameters are, with ``FreshetError/status(_:body:)`` for
///   other statuses, with the last failure after ``Reconnection/maximumFailures`` of them, and with
///   ``FreshetError/cancelled`` when its task is cancelled, also during a pause.
/// - A request whose method is not idempotent, such as a `POST`, is sent once, unless it has an
///   `Idempotency-Key` (RFC 9110 section 9.2.2) or ``Request/cacheIdentity`` declares it safe, and so is
///   one with a body that cannot be repeated: the stream ends with its response, and fails if that
///   breaks.
/// - Pulled: a reader that does not ask slows the socket.
///
/// ``updates`` also reports its connections, ``resuming(after:)`` goes on where an earlier stream
/// has ended, and ``reject(as:with:)`` decodes an error response.
public struct EventStream: AsyncSequence, Sendable {
  var request: Request
  let transport: any Transport
  let reconnection: Reconnection
  let clock: CallClock
  let generator: SharedGenerator
  let now: @Sendable () -> Date
  /// The id that the first connection sends to the server.
  var lastEventID = ""

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(connections: EventConnections(self))
  }

  /// Pulls the events of all connections.
  public struct Iterator: AsyncIteratorProtocol {
    let connections: EventConnections

    /// The last id that the stream has delivered, for ``EventStream/resuming(after:)``.
    ///
    /// It may be newer than that of the last event: a server can send an id without an event.
    public var lastEventID: String { connections.lastEventID }

    /// Waits for the next event; `nil` when the server has ended the stream.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> ServerSentEvent? {
      while let update = try await connections.next() {
        if case .received(let event) = update { return event }
      }
      return nil
    }
  }

  /// Returns the stream that continues after an event of an earlier one.
  ///
  /// ```swift
  /// for try await event in client.events(.get("orders")).resuming(after: saved) {
  ///   apply(event)
  ///   saved = event.id
  /// }
  /// ```
  ///
  /// - Parameter lastEventID: The ``ServerSentEvent/id`` of the last event that is known; `""` for none.
  /// - Returns: A cold sequence of events.
  public func resuming(after lastEventID: String) -> EventStream {
    var stream = self
    stream.lastEventID = lastEventID
    return stream
  }
}

@available(*, unavailable)
extension EventStream.Iterator: Sendable {}

// MARK: - Description

extension EventStream: PipelineDescribable, CustomStringConvertible {
  /// The request of each connection.
  package var words: PipelineDescription {
    PipelineDescription("\(request)", ".events(over: \(PipelineText.transport(transport)))")
  }
}
