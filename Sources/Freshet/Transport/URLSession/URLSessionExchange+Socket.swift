#if canImport(Darwin)
import FreshetEssentials
import Synchronization

/// A WebSocket as an exchange: `URLSessionWebSocketTask` reads and writes frames itself, so those of the
/// request's body are taken apart, and those of the response's body are made from its messages.
extension URLSessionExchange {
  /// Delivers the head of the handshake, and begins to talk.
  func opened(_ task: URLSessionWebSocketTask, protocol name: String?) {
    let key = request.headers[.secWebSocketKey] ?? ""
    var headers =
      (task.response as? HTTPURLResponse)
      .map { ResponseHead($0, of: request).headers } ?? HTTPHeaders()
    // The session has sent a key of its own, and has checked the answer to it.
    headers[.secWebSocketAccept] = WebSocketHandshake.accept(key)
    headers[.upgrade] = "websocket"
    headers[.connection] = "Upgrade"
    headers[.secWebSocketProtocol] = name
    headers.remove(.secWebSocketExtensions)
    let head = ResponseHead(status: 101, headers: headers, url: request.url)
    let link = URLSessionSocketLink(exchange: self, task: task)
    deliver { state in
      note(head, in: &state)
      state.link = link
      // Under the lock, because an end could come before it otherwise, and would close nothing.
      link.begin()
    }
  }

  /// Delivers the server's close as a frame, and the end.
  func closed(_ code: URLSessionWebSocketTask.CloseCode, reason: Data?) {
    let close = WebSocket.Close(
      code: WebSocket.CloseCode(UInt16(clamping: code.rawValue)),
      reason: reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
    )
    state.withLock(\.link)?.deliver { $0.close(close) }
    finish(.success(state.withLock(\.metrics)))
  }
}

/// The two directions of a WebSocket's exchange.
final class URLSessionSocketLink: Sendable {
  private let exchange: @Sendable () -> URLSessionExchange?
  private let body: RequestBody?
  private let window: Int
  private let task: URLSessionWebSocketTask
  private let sending = Mutex<Task<Void, Never>?>(nil)
  private let receiving = Mutex(Receiving())
  private let outbox = Mutex(WebSocketOutbox(.server))

  private struct Receiving {
    var isRunning = false
    /// The number of bytes that wait for the reader.
    var buffered = 0

    /// Returns whether another message is to be received.
    mutating func start(below window: Int) -> Bool {
      guard !isRunning, buffered < window else { return false }
      isRunning = true
      return true
    }
  }

  init(exchange: URLSessionExchange, task: URLSessionWebSocketTask) {
    self.exchange = { [weak exchange] in exchange }
    body = exchange.request.body
    window = exchange.window
    self.task = task
  }

  func begin() {
    let running = Task { await send() }
    sending.withLock { $0 = running }
    receive()
  }

  func close() {
    sending.withLock { $0 }?.cancel()
  }

  /// Notes how many bytes wait for the reader.
  func waits(for count: Int) {
    receiving.withLock { $0.buffered = count }
    receive()
  }

  /// Delivers the frames of what is put into the outbox.
  func deliver(_ put: (inout WebSocketOutbox) -> Void) {
    let frames = outbox.withLock { outbox in
      put(&outbox)
      var frames = Data()
      while let frame = outbox.next({ 0 }) { frames.append(frame) }
      return frames
    }
    exchange()?.receivedFrames(frames)
  }

  /// Receives messages while there is space for them.
  ///
  /// They are delivered, and the next one is asked for, by the session's own call, because a close drops
  /// the messages before it that nobody has asked for. If there is no message, the task's end says why.
  private func receive() {
    guard receiving.withLock({ $0.start(below: window) }) else { return }
    task.receive { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(.string(let text)): deliver { $0.append(.text(text)) }
      case .success(.data(let data)): deliver { $0.append(.binary(data)) }
      case .success, .failure: return
      }
      receiving.withLock { $0.isRunning = false }
      receive()
    }
  }

  private func send() async {
    guard case .stream(let chunks)? = body?.source else { return }
    var decoder = WebSocketDecoder(from: .client, limit: .max)
    do {
      for try await chunk in chunks() {
        decoder.receive(chunk)
        while let event = try decoder.next() { try await send(event) }
      }
    } catch {
      // The task's end says why.
    }
  }

  private func send(_ event: WebSocketDecoder.Event) async throws {
    switch event {
    case .message(.text(let text)): try await task.send(.string(text))
    case .message(.binary(let data)): try await task.send(.data(data))
    case .ping(let payload):
      task.sendPing { [weak self] error in
        if error == nil { self?.deliver { $0.pong(payload) } }
      }
    // The session answers pings itself.
    case .pong: break
    case .close(let close):
      let code = URLSessionWebSocketTask.CloseCode(rawValue: Int(close.code.rawValue))
      task.cancel(with: code ?? .normalClosure, reason: Data(close.reason.utf8))
    }
  }
}
#endif
