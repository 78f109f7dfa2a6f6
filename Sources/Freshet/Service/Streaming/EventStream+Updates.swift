extension EventStream {
  /// An event in the life of an event stream and its connections.
  ///
  /// For each connection, in this order: `connecting`; `opened`; `received` any number of times;
  /// `reconnecting` if another one follows. A connection that is not made has no `opened`.
  public enum Update: Sendable {
    /// The request is sent.
    case connecting
    /// The server has answered with an event stream.
    case opened(ResponseHead)
    /// An event has come.
    case received(ServerSentEvent)
    /// The connection has ended, or was not made, for this reason; the next one begins after the pause.
    case reconnecting(after: Duration, because: FreshetError)
    /// The server has said that there is nothing more to come, or the response to a request that is
    /// sent once has ended; the last update.
    case closed
  }

  /// The events of the stream, and what happens to its connections.
  ///
  /// ```swift
  /// for try await update in client.events(.get("ticker")).updates {
  ///   switch update {
  ///   case .connecting: status = "…"
  ///   case .opened, .closed: status = ""
  ///   case .received(let event): show(try event.decode(Tick.self))
  ///   case .reconnecting(let pause, let error): status = "again in \(pause): \(error)"
  ///   }
  /// }
  /// ```
  ///
  /// It has the guarantees of the stream, and fails as that does; ``EventStream/Updates/reject(as:with:)``
  /// decodes an error response. The pause is waited for by the next call of `next`, from the moment at
  /// which it was reported.
  public var updates: Updates { Updates(base: self) }

  /// The updates of a stream of events, see ``EventStream/updates``.
  public struct Updates: AsyncSequence, Sendable {
    let base: EventStream

    /// Makes an iterator; nothing is sent yet.
    public func makeAsyncIterator() -> Iterator {
      Iterator(connections: EventConnections(base))
    }

    /// Pulls the updates of all connections.
    public struct Iterator: AsyncIteratorProtocol {
      let connections: EventConnections

      /// The last id that the stream has given, see ``EventStream/resuming(after:)``.
      public var lastEventID: String { connections.lastEventID }

      /// Waits for the next update; `nil` after ``EventStream/Update/closed``.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(FreshetError) -> Update? {
        try await connections.next()
      }
    }
  }
}

@available(*, unavailable)
extension EventStream.Updates.Iterator: Sendable {}

extension EventStream.Update: CustomStringConvertible {
  /// A few words that show nothing of the event.
  public var description: String {
    switch self {
    case .connecting: "connecting"
    case .opened(let head): "opened: \(head)"
    case .received(let event):
      Printable.line("received \(event.type), \(event.data.utf8.count) bytes")
    case .reconnecting(let pause, let error): "reconnecting in \(pause.rounded): \(error)"
    case .closed: "closed"
    }
  }
}

// MARK: - Description

extension EventStream.Updates: PipelineDescribable, CustomStringConvertible {
  /// The request that is sent for each connection.
  package var words: PipelineDescription { base.words.adding(".updates") }
}
