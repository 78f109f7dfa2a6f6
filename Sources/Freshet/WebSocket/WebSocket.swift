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
/// - Cold: the connection is opened by the first iteration, `send` or `ping`. The handshake is a call of the
///   client: header fields, credentials, interceptors, retries, proxies and diagnostics apply to it.
/// - Iterating delivers the messages in the order in which they arrive, each of them once. Iterators share
///   them. Leaving a loop keeps the connection; the next loop goes on with the next message.
/// - A reader that does not ask stops the socket: at most ``Options/buffer`` bytes of messages wait, beside
///   the transport's window. `send` waits while as much waits to be sent.
/// - Pings are answered. With ``Options/keepAlive``, a connection on which nothing arrives is asked, and
///   given up when it does not answer.
/// - It ends when the server closes with 1000, 1001 or no code, and after ``close(_:reason:)``. It fails with
///   ``FreshetError/closed(_:url:)`` when the server closes with another code, with
///   ``FreshetError/invalidResponse(_:url:)`` when the server breaks the protocol, with
///   ``FreshetError/limitExceeded(_:url:)`` for a message that is too long, with
///   ``FreshetError/status(_:body:)`` when the server refuses, and with ``FreshetError/connection(_:url:)``
///   when the connection breaks.
/// - With ``Options/reconnection``, another connection follows one that breaks. Messages that wait are sent
///   over that one. A message whose sending has begun is not sent again: a conversation that must not lose
///   any confirms its messages itself.
/// - Cancelling the task that iterates, or releasing the socket, breaks the connection at once.
///   ``close(_:reason:)`` ends it so that the server learns why.
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

    /// Waits for the next message; `nil` after the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Message? {
      while let update = try await socket.session.next(isolation: actor) {
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
  /// It returns as soon as the message is in the buffer; the order of the messages is that of the calls. It
  /// waits while the buffer is full, which a server that does not read makes it.
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

  /// Asks the server for a sign of life, and waits for it.
  ///
  /// The answer arrives behind the messages that the server sent before, which have to be read.
  ///
  /// - Returns: The time until the answer.
  /// - Throws: The failure of the socket; ``FreshetError/connection(_:url:)`` if the connection breaks
  ///   meanwhile, and ``FreshetError/cancelled`` when the task is cancelled.
  @discardableResult
  public func ping() async throws(FreshetError) -> Duration {
    try await session.ping()
  }

  /// Ends the conversation: sends what waits and a close, and waits for that of the server.
  ///
  /// - Messages that arrive meanwhile can still be read.
  /// - A server that has not answered after ``Options/closing`` is left.
  /// - Closing again has no effect.
  ///
  /// - Parameters:
  ///   - code: The reason, from 1000 to 4999; ``CloseCode/normal`` by default.
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
  public var description: String { words.description }

  package var words: PipelineDescription {
    PipelineDescription(
      "\(session.request)",
      ".socket(over: \(PipelineText.transport(session.transport)))"
    )
  }
}
