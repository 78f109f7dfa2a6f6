/// A conversation with a server over a WebSocket (RFC 6455), see ``Client/socket(_:_:)``.
///
/// ```swift
/// let socket = client.socket(at: "wss://example.org/chat")
/// try await socket.send("hello")
/// for try await message in socket {
///   guard case .text(let text) = message else { continue }
///   print(text)
/// }
/// ```
///
/// - Cold: the connection is opened by the first iteration, `send` or `ping`, unless its task is cancelled. The
///   handshake is a call of the client: header fields, credentials, interceptors, retries, proxies and diagnostics apply to it.
/// - Iterating delivers the messages in the order in which they arrive, each of them once. Iterators share
///   them. Leaving a loop keeps the connection; the next loop continues with the next message.
/// - A slow reader stops the socket: at most ``Options/buffer`` bytes of messages wait, in addition to
///   the transport's window. `send` waits while as many bytes wait to be sent.
/// - Pings are answered. With ``Options/keepAlive``, the socket sends a ping on a silent connection, and
///   closes it if there is no answer.
/// - It ends when the server closes with 1000, 1001 or no code, and after ``close(_:reason:)``. It fails with
///   ``FreshetError/closed(_:url:)`` when the server closes with another code, with
///   ``FreshetError/invalidResponse(_:url:)`` when the server breaks the protocol, with
///   ``FreshetError/limitExceeded(_:url:)`` for a message that is too long, with
///   ``FreshetError/status(_:body:)`` when the server refuses, and with ``FreshetError/connection(_:url:)``
///   when the connection breaks. Each iterator gets the end or the failure once, also one that begins later.
/// - With ``Options/reconnection``, another connection replaces one that breaks, and sends the waiting
///   messages. A message whose sending has begun is not sent again: an app that must not lose a message
///   needs confirmations of its own.
/// - Cancelling the task that iterates, or releasing the socket, drops the connection immediately. Other tasks
///   get ``FreshetError/closed(_:url:)`` with ``CloseCode/abnormal`` then. ``close(_:reason:)`` sends the server a
///   reason first.
public final class WebSocket: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = Message

  let session: WebSocketSession

  init(_ session: WebSocketSession) {
    self.session = session
  }

  deinit {
    session.cancel()
  }

  /// Makes an iterator of the messages; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(socket: self)
  }

  /// Pulls the messages.
  public struct Iterator: AsyncIteratorProtocol {
    let socket: WebSocket
    var reading = WebSocketSession.Reading()

    /// Waits for the next message; `nil` after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Message? {
      while let update = try await socket.session.next(&reading) {
        if case .received(let message) = update { return message }
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension WebSocket.Iterator: Sendable {}

// MARK: - Sending

extension WebSocket {
  /// Sends a message.
  ///
  /// Returns as soon as the message is in the buffer, and waits while the buffer is full, such as when the
  /// server does not read. Messages are sent in the order of the calls.
  ///
  /// - Parameter message: The message.
  /// - Throws: The failure of the socket; ``FreshetError/closed(_:url:)`` after its end, and
  ///   ``FreshetError/cancelled`` when the task is cancelled before the message is in the buffer.
  public func send(_ message: Message) async throws(FreshetError) {
    try await session.send(message)
  }

  /// Sends a text, see `send`.
  public func send(_ text: String) async throws(FreshetError) {
    try await send(.text(text))
  }

  /// Sends a ping, and waits for the server's answer.
  ///
  /// The answer arrives after the messages that the server sent before it, which must be read first.
  ///
  /// - Returns: The time until the answer.
  /// - Throws: The failure of the socket; ``FreshetError/connection(_:url:)`` if the connection breaks
  ///   meanwhile, and ``FreshetError/cancelled`` when the task is cancelled.
  @discardableResult
  public func ping() async throws(FreshetError) -> Duration {
    try await session.ping()
  }

  /// Waits until the connection has taken all messages that wait.
  ///
  /// - Throws: The failure of the socket; ``FreshetError/connection(_:url:)`` if a connection has broken within a
  ///   message, although another one follows; and ``FreshetError/cancelled`` when the task is cancelled.
  package func drain() async throws(FreshetError) {
    try await session.drain()
  }

  /// Ends the conversation: sends the waiting messages and a close, and waits for the server's close.
  ///
  /// - Messages that arrive meanwhile can still be read, except those behind ``Options/buffer`` bytes that wait.
  /// - If the server has not answered after ``Options/closing``, the connection is dropped.
  /// - While the socket reconnects, it ends immediately with ``CloseCode/abnormal``, and the waiting messages are
  ///   discarded.
  /// - Closing again has no effect.
  ///
  /// - Parameters:
  ///   - code: The reason: 1000 to 1003, 1007 to 1014, or 3000 to 4999, of which those from 4000 are free for
  ///     apps; ``CloseCode/normal`` by default. With any other code, a close without a code is sent.
  ///   - reason: A few words for people; at most 123 bytes of it are sent.
  public func close(_ code: CloseCode = .normal, reason: String = "") async {
    await session.close(Close(code: code, reason: reason))
  }

  /// The protocol that the server has chosen from ``Options/protocols``; `nil` without one, and before the
  /// connection is open.
  public var subprotocol: String? { session.subprotocol }

  /// The end of the conversation; `nil` before it has ended, and if it has failed.
  public var closure: Close? { session.closure }
}

// MARK: - Description

extension WebSocket: PipelineDescribable, CustomStringConvertible {
  /// The request that opens it.
  package var words: PipelineDescription {
    PipelineDescription(
      "\(session.request)",
      ".socket(over: \(PipelineText.transport(session.transport)))"
    )
  }
}
