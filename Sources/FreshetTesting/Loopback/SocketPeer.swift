public import Freshet
import FreshetEssentials

extension LoopbackServer {
  /// The server's side of a WebSocket, see ``LoopbackServer/Answer/socket(protocols:messageBytes:compresses:_:)``.
  ///
  /// - Iterating delivers the client's messages, and ends with the connection. Iterators share the
  ///   messages.
  /// - A reader that does not ask stops the socket, and `send` waits for a client that does not read. Behind a
  ///   close, messages beyond 64 KiB are discarded.
  /// - Pings are answered.
  public final class SocketPeer: AsyncSequence, Sendable {
    /// The type of the elements.
    public typealias Element = WebSocket.Message

    /// The request that has opened the connection.
    public let request: ReceivedRequest

    private let state: Watched<State>
    private let wake: @Sendable () -> Void

    fileprivate struct State {
      var decoder: WebSocketDecoder
      var outbox = WebSocketOutbox(.server)
      var inbox: ArraySlice<WebSocket.Message> = []
      var inboxBytes = 0
      var close: WebSocket.Close?
      var pongs = 0
      var isReset = false
      var isGone = false
    }

    /// The number of bytes of messages that wait in each direction.
    fileprivate static let buffer = 64 << 10

    init(
      _ request: ReceivedRequest,
      messageBytes: Int,
      deflates: Bool,
      wake: @escaping @Sendable () -> Void
    ) {
      self.request = request
      self.wake = wake
      var decoder = WebSocketDecoder(from: .client, limit: messageBytes)
      decoder.inflates = deflates
      var state = State(decoder: decoder)
      state.outbox.deflates = deflates
      self.state = Watched(state)
    }

    /// Makes an iterator.
    public func makeAsyncIterator() -> Iterator {
      Iterator(peer: self)
    }

    /// Pulls the messages of the client.
    public struct Iterator: AsyncIteratorProtocol {
      let peer: SocketPeer

      /// Waits for the next message; `nil` when the connection has ended.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(FreshetError) -> WebSocket.Message? {
        try await peer.next()
      }
    }
  }
}

@available(*, unavailable)
extension LoopbackServer.SocketPeer.Iterator: Sendable {}

extension LoopbackServer.SocketPeer {
  /// Sends a message; it waits while 64 KiB wait to be sent.
  ///
  /// - Throws: ``/Freshet/FreshetError/connection(_:url:)`` when the connection has ended.
  public func send(_ message: WebSocket.Message) async throws(FreshetError) {
    let buffer = Self.buffer
    let isSent = await state.first { state -> Bool? in
      if state.isGone || state.outbox.isClosing { return false }
      // One limit for all messages, so that a short one does not overtake a long one.
      guard state.outbox.count < buffer else { return nil }
      state.outbox.append(message)
      return true
    }
    guard let isSent else { throw .cancelled }
    guard isSent else { throw .connection(.lost, url: "") }
    wake()
  }

  /// Sends a text.
  public func send(_ text: String) async throws(FreshetError) {
    try await send(.text(text))
  }

  /// Sends a ping, and waits for a pong.
  ///
  /// - Throws: ``/Freshet/FreshetError/connection(_:url:)`` when the connection has ended, and
  ///   ``/Freshet/FreshetError/cancelled`` as soon as the task is cancelled.
  public func ping() async throws(FreshetError) {
    let count = state.update { state in
      state.outbox.ping(Data("ping".utf8))
      return state.pongs
    }
    wake()
    guard await state.wait(until: { $0.pongs > count || $0.isGone }) else { throw .cancelled }
    guard state.read({ $0.pongs > count }) else { throw .connection(.lost, url: "") }
  }

  /// Sends a close behind the messages that wait, and waits for the end of the connection.
  public func close(_ code: WebSocket.CloseCode = .normal, reason: String = "") async {
    state.update { state in
      state.outbox.close(WebSocket.Close(code: code, reason: reason))
      state.drain()
    }
    wake()
    await state.wait(until: \.isGone)
  }

  /// Resets the connection, without a close and without what waits.
  public func reset() {
    state.update { $0.isReset = true }
    wake()
  }

  /// The client's close; `nil` before it has come, and if the connection was lost without one.
  public var closure: WebSocket.Close? { state.read(\.close) }

  private func next() async throws(FreshetError) -> WebSocket.Message? {
    let (message, wakes) =
      await state.first { state -> (WebSocket.Message?, Bool)? in
        if let message = state.inbox.popFirst() {
          let wasFull = state.isFull
          state.inboxBytes -= message.weight
          state.drain()
          // Behind a message may have been a ping, which is answered even if there is no space again.
          return (message, wasFull)
        }
        return state.isGone || state.close != nil ? (nil, false) : nil
      } ?? (nil, false)
    if wakes { wake() }
    return message
  }
}

// MARK: - Server

extension LoopbackServer.SocketPeer {
  /// A Boolean value that indicates whether bytes of the client are read.
  var wantsInput: Bool { state.read(\.wantsInput) }

  /// Receives bytes of the client.
  func receive(_ bytes: some Sequence<UInt8> & Sendable) {
    state.update { state in
      state.decoder.receive(bytes)
      state.drain()
    }
  }

  /// Adds frames to the output; returns how the connection ends, if it does.
  func fill(_ output: inout [UInt8], limit: Int) -> LoopbackServer.Ending? {
    let space = limit - output.count
    let (bytes, ending) = state.update { state -> ([UInt8], LoopbackServer.Ending?) in
      if state.isReset { return ([], .reset) }
      var bytes: [UInt8] = []
      while bytes.count < space, let frame = state.outbox.next({ 0 }) { bytes += frame }
      return (bytes, state.outbox.isClosed && state.decoder.isOver ? .close : nil)
    }
    output += bytes
    return ending
  }

  func end() {
    state.update { $0.isGone = true }
  }
}

extension LoopbackServer.SocketPeer.State {
  fileprivate var isFull: Bool { inboxBytes >= LoopbackServer.SocketPeer.buffer }

  /// A Boolean value that indicates whether more is taken: behind a close also what has no space, because the
  /// client's close may be behind it.
  fileprivate var wantsInput: Bool { !isFull || outbox.isClosing }

  /// Takes what is complete.
  fileprivate mutating func drain() {
    do throws(WebSocketViolation) {
      while wantsInput, let event = try decoder.next() {
        switch event {
        case .message where isFull:
          break
        case .message(let message):
          inboxBytes += message.weight
          inbox.append(message)
        case .ping(let payload): outbox.pong(payload)
        case .pong: pongs += 1
        case .close(let close):
          self.close = close
          outbox.close(close, first: true)
        }
      }
    } catch {
      close = WebSocket.Close(code: error.code)
      outbox.close(WebSocket.Close(code: error.code), first: true)
    }
  }
}
