import FreshetEssentials

/// The state of a socket, which its readers, its writers and the task of its connections share.
///
/// The task retains it and not the socket, so that releasing the socket ends the task.
final class WebSocketSession: Sendable {
  let request: Request
  let transport: any Transport
  let options: WebSocket.Options
  let clock: CallClock
  let generator: SharedGenerator
  let now: @Sendable () -> Date
  let state: Watched<State>

  struct State: Sendable {
    var task: Task<Void, Never>?
    /// The number of the current connection, from 1.
    var connection = 0
    var head: ResponseHead?
    /// A Boolean value that indicates whether a server has agreed.
    var hasOpened = false
    var outbox = WebSocketOutbox(.client)
    /// A Boolean value that indicates whether a connection has broken within a message.
    var hasLost = false
    var inbox = Queue<WebSocket.Update>()
    /// The number of bytes of the messages in the inbox.
    var inboxBytes = 0
    /// The number of updates in the inbox that are no messages.
    var noteCount = 0
    var end: Result<WebSocket.Close, FreshetError>?
    /// A Boolean value that indicates whether the app has closed the socket.
    var isClosing = false
    /// A Boolean value that indicates whether a message had no room behind the app's close.
    var isDropping = false
    /// A Boolean value that indicates whether the call of this connection was cancelled from outside.
    var isInterrupted = false
    /// A Boolean value that indicates whether nothing more of this connection is delivered.
    var isOver: Bool { end != nil || isInterrupted }
    /// The server's reason for the end of this connection, which another one may follow.
    var parting: FreshetError?
    /// A Boolean value that indicates whether one of the two sides has closed the connection.
    var isEnding: Bool { end != nil || parting != nil || isClosing }
    /// A Boolean value that indicates whether anything but a close has arrived over this connection.
    var hasArrived = false
    /// The number of connections in a row on which nothing but a close has arrived.
    var failures = 0
    /// The number of pauses since anything but a close has arrived.
    var pauses = 0
    /// The time at which bytes have arrived, or the reader has made room.
    var lastReceived = Duration.zero
    /// A Boolean value that indicates whether the connection waits for the reader.
    var isBlocked = false
    var lastPing: UInt64 = 0
    /// The newest ping that was answered; a pong answers the earlier ones, too.
    var answeredPing: UInt64 = 0
  }

  init(
    _ request: Request,
    over transport: any Transport,
    options: WebSocket.Options,
    clock: CallClock,
    generator: SharedGenerator,
    now: @escaping @Sendable () -> Date
  ) {
    self.request = request.scoped
    self.transport = transport
    self.options = options
    self.clock = clock
    self.generator = generator
    self.now = now
    state = Watched(State())
  }

  var shownURL: String { Redaction.shown(request.url) }

  var subprotocol: String? { state.read { $0.head?.headers[.secWebSocketProtocol] } }

  var closure: WebSocket.Close? { state.read { try? $0.end?.get() } }

  /// Begins the connections, once; a cancelled task begins none.
  func begin() {
    state.update { state in
      guard state.task == nil, state.end == nil, !Task.isCancelled else { return }
      state.task = Task { [self] in await run() }
    }
  }

  /// Breaks the connection.
  ///
  /// After the end it has no effect: the close is still sent, within its time limit.
  func cancel() {
    let task = state.update { state -> Task<Void, Never>? in
      guard state.end == nil else { return nil }
      let close = WebSocket.Close(code: .abnormal, reason: "a reader was cancelled")
      state.end = .failure(.closed(close, url: shownURL))
      return state.task
    }
    task?.cancel()
  }
}

// MARK: - Reader

extension WebSocketSession {
  /// The state of one iterator.
  struct Reading: Sendable {
    /// A Boolean value that indicates whether the iterator has got the end.
    fileprivate var isOver = false
    fileprivate var turn = WebSocketTurn()
  }

  /// Waits for the next update of an iterator.
  func next(_ reading: inout Reading) async throws(FreshetError) -> WebSocket.Update? {
    guard !reading.isOver else { return nil }
    begin()
    await reading.turn.pass()
    guard !Task.isCancelled, let step = await state.first({ $0.step() }) else {
      cancel()
      reading.isOver = true
      throw .cancelled
    }
    switch step {
    case .success(.closed), .failure: reading.isOver = true
    case .success: break
    }
    return try step.get()
  }
}

extension WebSocketSession.State {
  /// Returns the next update, or the end behind the last one.
  fileprivate mutating func step() -> Result<WebSocket.Update, FreshetError>? {
    if let update = inbox.popFirst() {
      if case .received(let message) = update {
        inboxBytes -= message.weight
      } else {
        noteCount -= 1
      }
      return .success(update)
    }
    return end?.map { .closed($0) }
  }

  /// Adds an update, and keeps at most sixteen that are not messages.
  mutating func post(_ update: WebSocket.Update) {
    if case .received(let message) = update {
      inboxBytes += message.weight
    } else {
      noteCount += 1
      if noteCount > 16 { dropNote() }
    }
    inbox.append(update)
  }

  private mutating func dropNote() {
    var isDropped = false
    inbox.removeAll { update in
      if case .received = update { return false }
      defer { isDropped = true }
      return !isDropped
    }
    noteCount -= 1
  }
}

// MARK: - Writers

extension WebSocketSession {
  func send(_ message: WebSocket.Message) async throws(FreshetError) {
    begin()
    guard !Task.isCancelled else { throw .cancelled }
    let (limit, url) = (options.buffer, shownURL)
    try await state.value { state -> Result<Void, FreshetError>? in
      if let failure = state.failure(url) { return .failure(failure) }
      // One limit for all messages, so that a short one does not overtake a long one.
      guard state.outbox.count == 0 || state.outbox.count < limit else { return nil }
      state.outbox.append(message)
      return .success(())
    }
  }

  func drain() async throws(FreshetError) {
    let url = shownURL
    try await state.value { state -> Result<Void, FreshetError>? in
      if let failure = state.failure(url) { return .failure(failure) }
      if exchange(&state.hasLost, with: false) { return .failure(.connection(.lost, url: url)) }
      return state.outbox.count == 0 ? .success(()) : nil
    }
  }

  func ping() async throws(FreshetError) -> Duration {
    begin()
    guard !Task.isCancelled else { throw .cancelled }
    let (url, clock) = (shownURL, clock)
    let (id, connection, time) = try await state.value {
      state -> Result<(UInt64, Int, Duration), FreshetError>? in
      if let failure = state.failure(url) { return .failure(failure) }
      guard state.head != nil else { return nil }
      return .success((state.ping(), state.connection, clock.now))
    }
    defer { state.update { $0.forget(ping: id) } }
    try await state.value { state -> Result<Void, FreshetError>? in
      let isSame = state.connection == connection
      if isSame, state.answeredPing >= id { return .success(()) }
      guard state.end != nil || !isSame || state.head == nil else { return nil }
      return .failure(state.failure(url) ?? .connection(.lost, url: url))
    }
    return clock.now - time
  }

  func close(_ close: WebSocket.Close) async {
    let task = state.update { state -> Task<Void, Never>? in
      guard state.end == nil, !state.isClosing else { return nil }
      state.isClosing = true
      if state.isReconnecting {
        state.end = .success(WebSocket.Close(code: .abnormal))
      } else if state.head == nil, state.outbox.count == 0 {
        // There is no connection, and nothing waits to be sent.
        state.end = .success(close)
      } else {
        state.outbox.close(close)
        return nil
      }
      return state.task
    }
    task?.cancel()
    await state.wait { $0.end != nil }
  }
}

extension WebSocketSession.State {
  /// A Boolean value that indicates whether a connection has ended, and no other one is open.
  fileprivate var isReconnecting: Bool { head == nil && (hasOpened || failures > 0) }

  /// Returns the reason why nothing can be sent any more, or `nil`.
  fileprivate func failure(_ url: String) -> FreshetError? {
    switch end {
    case .success(let close): .closed(close, url: url)
    case .failure(let error): error
    case nil: isClosing ? .closed(WebSocket.Close(code: .normal), url: url) : nil
    }
  }

  /// Sends a ping, and returns its number.
  mutating func ping() -> UInt64 {
    lastPing += 1
    outbox.ping(Self.payload(lastPing))
    return lastPing
  }

  /// Forgets a ping for whose answer nobody waits any more; it is not sent if it has not been.
  fileprivate mutating func forget(ping id: UInt64) {
    outbox.removePing(Self.payload(id))
  }

  /// Notes the answer to a ping, which is one to earlier pings too (RFC 6455 section 5.5.3).
  mutating func pong(_ payload: Data) {
    let answered = payload.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // A server may send pongs without being asked, with a time as their payload.
    guard answered <= lastPing, payload == Self.payload(answered) else { return }
    answeredPing = max(answeredPing, answered)
  }

  private static func payload(_ id: UInt64) -> Data {
    withUnsafeBytes(of: id.bigEndian) { Data($0) }
  }
}
