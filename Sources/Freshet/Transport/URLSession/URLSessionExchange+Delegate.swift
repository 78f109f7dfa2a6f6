#if canImport(Darwin)
import FreshetEssentials
import Synchronization

extension URLSessionExchange {
  func sent(_ count: Int64) {
    deliver { state in
      guard !state.hasHead else { return }
      state.sent = TransferProgress(sent: count, total: request.body?.length)
    }
  }

  /// Receives the head, and returns whether the body should be received.
  func received(_ response: URLResponse) -> Bool {
    guard let response = response as? HTTPURLResponse else {
      finish(.failure(.invalidResponse("it is not one of HTTP", url: shownURL)))
      return false
    }
    guard !state.withLock(\.hasHead) else {
      let reason = "it has several parts, each in place of the one before"
      finish(.failure(.invalidResponse(reason, url: shownURL)))
      return false
    }
    let head = ResponseHead(response, of: request)
    guard mayReceive(head.headers) else { return false }
    deliver { note(head, in: &$0) }
    return true
  }

  /// Receives an interim response.
  func received(interim response: HTTPURLResponse) {
    let head = ResponseHead(response, of: request)
    guard head.status != 100, mayReceive(head.headers),
      state.withLock({ $0.interimCount < TransferEvent.interimLimit })
    else { return }
    deliver { state in
      state.interimCount += 1
      state.interim.append(head)
    }
  }

  /// Counts the fields of a head against the limits, whose excess ends the exchange.
  private func mayReceive(_ headers: HTTPHeaders) -> Bool {
    let limits = request.limits
    let (count, bytes) = state.withLock { state in
      state.headerCount += headers.count
      state.headerBytes += headers.reduce(0) {
        $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count + 4
      }
      return (state.headerCount, state.headerBytes)
    }
    if count > limits.headerCount {
      finish(.failure(.limitExceeded(.headerCount(limits.headerCount), url: shownURL)))
      return false
    }
    if bytes > limits.headerBytes {
      finish(.failure(.limitExceeded(.headerBytes(limits.headerBytes), url: shownURL)))
      return false
    }
    return true
  }

  /// Notes the head, behind which another time without bytes is allowed.
  func note(_ head: ResponseHead, in state: inout State) {
    state.head = head
    state.hasHead = true
    if head.headers.contains(.contentEncoding) {
      state.encodedLength = head.headers[.contentLength].flatMap { ASCII.integer($0) }
    }
    state.watch?.cancel()
    state.watch = makeWatch()
  }

  func received(_ data: Data, of task: URLSessionTask) {
    var failure: FreshetError?
    deliver { state in
      state.received += Int64(data.count)
      if let limit = exceeded(by: state.received, wire: state.encodedLength) {
        failure = .limitExceeded(limit, url: shownURL)
        return
      }
      state.body.append(data)
      guard state.body.count >= window, !state.isPaused else { return }
      state.isPaused = true
      // Suspended under the lock, so that the reader's resume comes after it.
      task.suspend()
    }
    if let failure { finish(.failure(failure)) }
  }

  /// Receives frames of a WebSocket, whose reader decides when more are read.
  func receivedFrames(_ frames: Data) {
    deliver { state in
      state.body.append(frames)
      state.link?.waits(for: state.body.count)
    }
  }

  func collected(_ metrics: URLSessionTaskMetrics, of task: URLSessionTask) {
    let isUnsent = metrics.transactionMetrics.allSatisfy { $0.requestStartDate == nil }
    let measured = TransferMetrics(metrics, of: task)
    state.withLock { state in
      state.isUnsent = isUnsent
      if let measured { state.metrics = measured }
    }
  }

  /// Ends the exchange; with the response of a server that does not agree to a WebSocket, with that.
  func completed(_ error: (any Error)?, refusal: HTTPURLResponse? = nil) {
    let (metrics, hasHead, isUnsent) = state.withLock { ($0.metrics, $0.hasHead, $0.isUnsent) }
    if request.isUpgrade, !hasHead, let refusal { return refuse(refusal, metrics) }
    if let limit = request.messageBytes, (error as? POSIXError)?.code == .EMSGSIZE {
      return finish(.failure(.limitExceeded(.messageBytes(limit), url: shownURL)))
    }
    let failure = error.map { FreshetError($0, isUnsent: isUnsent, url: shownURL) }
    finish(failure.map { .failure($0) } ?? .success(metrics))
  }

  private func refuse(_ response: HTTPURLResponse, _ metrics: TransferMetrics) {
    if received(response) { finish(.success(metrics)) }
  }

  /// Creates a stream of a body from a file or a stream, from the beginning.
  func bodyStream() -> InputStream? {
    guard let body = request.body else { return nil }
    switch body.source {
    case .bytes: return nil
    case .file(let url): return InputStream(url: url)
    case .stream(let chunks): return bodyStream(of: chunks, body)
    }
  }

  private func bodyStream(
    of chunks: @escaping @Sendable () -> RequestBody.Chunks,
    _ body: RequestBody
  ) -> InputStream? {
    let isFirst = state.withLock { $0.pump == nil }
    guard isFirst || body.isReplayable else { return nil }
    let url = shownURL
    let (pump, input) = URLSessionPump.start(
      chunks,
      length: body.length,
      url: url,
      resume: { [weak self] in self?.state.withLock { $0.lastActivity = .now } },
      // One that is cancelled is not needed any more, and fails nothing.
      fail: { [weak self] in if !Task.isCancelled { self?.finish(.failure($0)) } }
    )
    let unneeded = state.withLock { state -> URLSessionPump? in
      guard state.end == nil else { return pump }
      defer { state.pump = pump }
      return state.pump
    }
    unneeded?.close()
    return input
  }

  /// Ends the exchange, unless it has ended.
  func finish(_ end: Result<TransferMetrics, FreshetError>) {
    var cancelWork: (@Sendable () -> Void)?
    deliver { state in
      state.end = end
      state.isPaused = false
      cancelWork = state.takeWork()
    }
    cancelWork?()
  }

  func deliver(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state -> WaitContinuation? in
      state.lastActivity = .now
      guard state.end == nil else { return nil }
      change(&state)
      return state.hasNews ? state.waiter.take() : nil
    }
    waiter?.resume()
  }

  /// The session does not count the bytes before decoding: `wire` is the announced length.
  private func exceeded(by count: Int64, wire: Int64?) -> FreshetError.Limit? {
    let limits = request.limits
    if let limit = limits.bodyBytes, count > limit { return .bodyBytes(limit) }
    guard count > 32 << 20, let wire else { return nil }
    let ratio = Int64(max(1, limits.decompressionRatio))
    return count / ratio > wire + 256 * 1024 ? .decompressionRatio(limits.decompressionRatio) : nil
  }
}

// MARK: - Time

extension URLSessionExchange {
  /// Ends the exchange at its deadline; retains it only while checking.
  static func watch(
    _ exchange: @Sendable () -> URLSessionExchange?,
    _ timeouts: Request.Timeouts,
    since start: ContinuousClock.Instant
  ) async {
    while let deadline = exchange()?.deadline(timeouts, since: start) {
      if deadline.time <= .now {
        guard let exchange = exchange() else { return }
        exchange.finish(.failure(.timedOut(deadline.phase, url: exchange.shownURL)))
        return
      }
      let time = min(deadline.time, .now + .longestWait)
      guard (try? await Task.sleep(until: time, clock: .continuous)) != nil else { return }
    }
  }

  private func deadline(
    _ timeouts: Request.Timeouts,
    since start: ContinuousClock.Instant
  ) -> (time: ContinuousClock.Instant, phase: FreshetError.TimeoutPhase)? {
    let (hasHead, isPaused, isOpen, last) = state.withLock {
      ($0.hasHead, $0.isPaused || $0.pump?.isWaiting == true, $0.end == nil, $0.lastActivity)
    }
    guard isOpen else { return nil }
    let total = timeouts.total.map { (time: start + $0, phase: FreshetError.TimeoutPhase.total) }
    guard let silence = hasHead ? timeouts.idle : timeouts.firstByte else { return total }
    // A slow reader does not count as silence, nor does a slow source; the deadline is checked again later.
    let time = (isPaused ? .now : last) + silence
    if let total, total.time <= time { return total }
    return (time, hasHead ? .idle : .firstByte)
  }
}
#endif
