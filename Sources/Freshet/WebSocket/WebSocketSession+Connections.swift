import FreshetEssentials

/// The connections of a socket, one after the other.
extension WebSocketSession {
  func run() async {
    while let number = beginConnection(), let pause = again(after: await connect(number)) {
      guard (try? await clock.sleep(until: clock.now + pause)) != nil else { return }
    }
  }

  /// Begins the next connection, and returns its number; `nil` after the end.
  private func beginConnection() -> Int? {
    state.update { state in
      guard state.end == nil else { return nil }
      state.connection += 1
      state.hasArrived = false
      state.lastReceived = clock.now
      state.post(.connecting)
      return state.connection
    }
  }

  /// Opens a connection, and returns why it has ended.
  private func connect(_ number: Int) async -> FreshetError {
    await withTaskGroup(of: FreshetError?.self) { group in
      group.addTask { await self.receive(number) }
      group.addTask { await self.keepAlive() }
      group.addTask { await self.linger() }
      var first: FreshetError?
      while first == nil, let error = await group.next() { first = error }
      group.cancelAll()
      return first ?? .cancelled
    }
  }

  /// Returns the pause before another connection, or ends the socket.
  private func again(after error: FreshetError) -> Duration? {
    state.update { state in
      // In the same update as the end: without a connection nothing waits, as if it had been sent.
      state.disconnect()
      guard state.end == nil else { return nil }
      if state.isClosing, state.hasOpened {
        state.end = .success(WebSocket.Close(code: .abnormal))
        return nil
      }
      if !state.hasArrived { state.failures += 1 }
      guard !state.isClosing, let reconnection = options.reconnection, Self.isTransient(error),
        !Task.isCancelled, state.failures <= reconnection.maximumFailures ?? .max
      else {
        state.end = .failure(Task.isCancelled ? .cancelled : error)
        return nil
      }
      state.pauses += 1
      let jitter = generator.fraction()
      var pause = reconnection.pause(number: state.pauses, retry: nil, jitter: jitter)
      if case .status(let head, _) = error, let wanted = head.retryAfter(now: now()) {
        pause = max(pause, wanted)
      }
      state.post(.reconnecting(after: pause, because: error))
      return pause
    }
  }

  private static func isTransient(_ error: FreshetError) -> Bool {
    if case .closed(let close, _) = error { return close.code.isTransient }
    return Reconnection.isTransient(error)
  }
}

// MARK: - Time

extension WebSocketSession {
  /// Asks a silent server for a sign of life; returns when it gives none.
  private func keepAlive() async -> FreshetError? {
    guard let keepAlive = options.keepAlive, keepAlive.interval > .zero else { return nil }
    var due = clock.now + keepAlive.interval
    while (try? await clock.sleep(until: due)) != nil {
      let asked = state.update { state -> Duration? in
        due = state.lastReceived + keepAlive.interval
        guard due <= clock.now, !state.isBlocked, state.head != nil else {
          due = max(due, clock.now + keepAlive.interval / 2)
          return nil
        }
        _ = state.ping()
        return state.lastReceived
      }
      guard let asked else { continue }
      let limit = clock.now + keepAlive.timeout
      guard (try? await clock.sleep(until: limit)) != nil else { return nil }
      let isSilent = state.read {
        $0.lastReceived == asked && !$0.isBlocked && !$0.isEnding
      }
      if isSilent { return .timedOut(.keepAlive, url: shownURL) }
      due = clock.now + keepAlive.interval
    }
    return nil
  }

  /// Gives the server its time to end the connection.
  private func linger() async -> FreshetError? {
    guard await state.wait(until: { $0.isEnding }) else {
      return nil
    }
    guard (try? await clock.sleep(until: clock.now + options.closing)) != nil else { return nil }
    return state.read(\.parting) ?? .connection(.lost, url: shownURL)
  }
}

// MARK: - Receiving

extension WebSocketSession {
  /// Receives until the connection ends, and returns why.
  private func receive(_ number: Int) async -> FreshetError {
    do throws(FreshetError) {
      let key = WebSocketHandshake.key(generator.next(), generator.next())
      let request = try request(number, key: key)
      var transfer = transport.send(request).makeAsyncIterator()
      // The next step of the transfer throws then, which must not wait for the reader.
      transfer.onCancel { [weak self] in
        self?.state.update { if $0.connection == number { $0.isInterrupted = true } }
      }
      var decoder = WebSocketDecoder(from: .server, limit: options.messageBytes)
      var turn = WebSocketTurn()
      while let event = try await transfer.next() {
        switch event {
        case .head(let head):
          try await check(head, key: key, &transfer)
          decoder.inflates =
            WebSocketHandshake.agreement(in: head.headers, deflates: options.compresses) ?? false
          open(head, deflates: decoder.inflates, greeting: try await greeting())
        case .body(let chunk):
          try await take(chunk, by: &decoder, &turn)
        case .sent, .redirected, .retrying, .interim, .waitingForConnectivity, .finished:
          break
        }
      }
      throw .connection(.lost, url: shownURL)
    } catch {
      return state.read(\.parting) ?? error
    }
  }

  private func request(_ number: Int, key: String) throws(FreshetError) -> Request {
    guard request.method == .get, request.body == nil else {
      throw .invalidRequest("a WebSocket is opened by a GET without a body", url: shownURL)
    }
    let protocols = options.protocols
    guard protocols.allSatisfy({ ASCII.isToken($0) }), Set(protocols).count == protocols.count
    else {
      throw .invalidRequest(
        "options.protocols contains a name that is not a token, or one name twice",
        url: shownURL
      )
    }
    var request = request
    let fields = WebSocketHandshake.fields(
      key: key,
      protocols: protocols,
      deflates: options.compresses
    )
    request.headers = request.headers.merging(fields)
    // A token is not sent to another origin by a redirect.
    if WebSocketHandshake.containToken(protocols) {
      request.redirects.secretHeaders.insert(.secWebSocketProtocol)
    }
    request.body = .stream(isReplayable: true) { [weak self] in
      PulledChunks(from: ()) { [self] _ in
        guard let self else { throw FreshetError.cancelled }
        return await self.nextFrames(number)
      }
    }
    request.messageBytes = options.messageBytes
    return request
  }

  private func check(
    _ head: ResponseHead,
    key: String,
    _ transfer: inout Transfer.Iterator
  ) async throws(FreshetError) {
    let problem: String?
    if head.status == 101 {
      problem = WebSocketHandshake.problem(
        with: head,
        key: key,
        protocols: offered(to: head),
        deflates: options.compresses
      )
    } else if head.status.isSuccess {
      problem = "its status is not 101; the server may not have a WebSocket at this URL"
    } else {
      // A body that does not come is waited for as an end is.
      state.update { $0.parting = .status(head, body: Data()) }
      let refusal = FreshetError.status(head, body: try await transfer.refusalBody())
      state.update { $0.parting = refusal }
      throw refusal
    }
    if let problem { throw .invalidResponse(problem, url: shownURL) }
  }

  /// Returns the protocols that the server was sent, which are none after some redirects.
  private func offered(to head: ResponseHead) -> [String] {
    head.notes.sent?.members(of: .secWebSocketProtocol) ?? options.protocols
  }

  /// Waits for the first message of a connection, but not behind the end of the socket or of its call.
  private func greeting() async throws(FreshetError) -> WebSocket.Message? {
    guard let greeting = options.greeting else { return nil }
    let outcome = Promise<WebSocket.Message?>()
    let task = Task { outcome.settle(.success(await greeting())) }
    let ending = Task { [state] in
      if await state.wait(until: \.isOver) { outcome.settle(.failure(.cancelled)) }
    }
    defer {
      task.cancel()
      ending.cancel()
    }
    return try await outcome.value()
  }

  private func open(_ head: ResponseHead, deflates: Bool, greeting: WebSocket.Message?) {
    state.update { state in
      guard state.end == nil else { return }
      state.head = head
      state.outbox.deflates = deflates
      if let greeting { state.outbox.greet(with: greeting) }
      state.hasOpened = true
      state.lastReceived = clock.now
      state.post(.opened(head))
    }
  }

  private func take(
    _ chunk: Data,
    by decoder: inout WebSocketDecoder,
    _ turn: inout WebSocketTurn
  ) async throws(FreshetError) {
    state.update { state in
      state.lastReceived = clock.now
    }
    decoder.receive(chunk)
    do throws(WebSocketViolation) {
      while let event = try decoder.next() {
        handle(event)
        guard await waitForReader() else { return }
        await turn.pass()
      }
    } catch {
      let failure = error.error(url: shownURL)
      state.update { state in
        state.outbox.close(WebSocket.Close(code: error.code), first: true)
        if state.end == nil { state.end = .failure(failure) }
      }
    }
  }

  private func handle(_ event: WebSocketDecoder.Event) {
    state.update { state in
      if case .close = event {} else { state.noteArrival() }
      switch event {
      case .message(let message):
        // The server's close is behind it.
        if state.isClosing, state.isFull(options.buffer) { state.isDropping = true }
        if !state.isDropping { state.post(.received(message)) }
      case .ping(let payload): state.outbox.pong(payload)
      case .pong(let payload): state.pong(payload)
      case .close(let close): closed(close, &state)
      }
    }
  }

  /// Answers a close, and ends the socket unless another connection follows.
  private func closed(_ close: WebSocket.Close, _ state: inout State) {
    let answer = close.code.isSendable ? close.code : .noStatus
    state.outbox.close(WebSocket.Close(code: answer), first: true)
    guard state.end == nil else { return }
    if !state.isClosing, options.reconnection != nil, close.code.isTransient {
      state.parting = .closed(close, url: shownURL)
    } else if state.isClosing || close.code.isNormal {
      state.end = .success(close)
    } else {
      state.end = .failure(.closed(close, url: shownURL))
    }
  }

  /// Waits while the inbox is full.
  ///
  /// - Returns: A Boolean value that indicates whether more may be delivered: behind an end, nothing waits, so
  ///   that the rest would have no limit.
  private func waitForReader() async -> Bool {
    let limit = options.buffer
    let (isBlocked, isOver) = state.update { state in
      state.isBlocked = state.isFull(limit) && !state.isOver && !state.isClosing
      return (state.isBlocked, state.isOver)
    }
    guard isBlocked else { return !isOver }
    await state.wait { !$0.isFull(limit) || $0.isOver || $0.isClosing }
    return state.update { state in
      state.isBlocked = false
      state.lastReceived = clock.now
      return !state.isOver
    }
  }
}

extension WebSocketSession.State {
  /// Returns whether messages of this number of bytes wait for the reader.
  fileprivate func isFull(_ limit: Int) -> Bool {
    inboxBytes >= max(limit, 1)
  }

  /// Notes that a connection works.
  fileprivate mutating func noteArrival() {
    hasArrived = true
    failures = 0
    pauses = 0
  }

  /// Resets the state of a connection that has ended.
  fileprivate mutating func disconnect() {
    head = nil
    isBlocked = false
    isInterrupted = false
    parting = nil
    if !isClosing, outbox.beginAnew() { hasLost = true }
  }
}
