extension WebSocket {
  /// An event of a socket or of one of its connections.
  ///
  /// For each connection, in this order: `connecting`; `opened`; `received` any number of times;
  /// `reconnecting` if another one follows. A connection that is not made has no `opened`.
  public enum Update: Sendable {
    /// The request is sent.
    case connecting
    /// The server has agreed.
    case opened(ResponseHead)
    /// A message has arrived.
    case received(Message)
    /// The connection broke or could not be opened, for this reason; the next one begins after the pause.
    case reconnecting(after: Duration, because: FreshetError)
    /// The conversation has ended; the last update of each iterator.
    case closed(Close)
  }

  /// The messages and the events of the connections.
  ///
  /// It shares the messages and the events with other iterators, except for the end or the failure, which each
  /// of them gets. Without a reader, the newest 16 updates other than messages are kept.
  ///
  /// ```swift
  /// for try await update in socket.updates {
  ///   switch update {
  ///   case .opened: try await socket.send("subscribe")
  ///   case .received(let message): show(message)
  ///   case .reconnecting(let pause, let error): status = "again in \(pause): \(error)"
  ///   case .connecting, .closed: break
  ///   }
  /// }
  /// ```
  public var updates: Updates { Updates(socket: self) }

  /// The updates of a socket, see ``WebSocket/updates``.
  public struct Updates: AsyncSequence, Sendable {
    let socket: WebSocket

    /// Makes an iterator; nothing is sent yet.
    public func makeAsyncIterator() -> Iterator {
      Iterator(socket: socket)
    }

    /// Pulls the updates.
    public struct Iterator: AsyncIteratorProtocol {
      let socket: WebSocket
      var reading = WebSocketSession.Reading()

      /// Waits for the next update; `nil` after ``WebSocket/Update/closed(_:)``.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(FreshetError) -> Update? {
        try await socket.session.next(&reading)
      }
    }
  }
}

@available(*, unavailable)
extension WebSocket.Updates.Iterator: Sendable {}

extension WebSocket.Update: CustomStringConvertible {
  /// A short description without the content of messages.
  public var description: String {
    switch self {
    case .connecting: "connecting"
    case .opened(let head): "opened: \(head)"
    case .received(let message): "received \(message)"
    case .reconnecting(let pause, let error): "reconnecting in \(pause.rounded): \(error)"
    case .closed(let close): "closed: \(close)"
    }
  }
}

// MARK: - Description

extension WebSocket.Updates: PipelineDescribable, CustomStringConvertible {
  /// The request that opens the socket.
  package var words: PipelineDescription { socket.words.adding(".updates") }
}
