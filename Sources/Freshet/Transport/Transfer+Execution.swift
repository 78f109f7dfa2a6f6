extension Transfer {
  /// The state of a running transfer, with its consecutive exchanges.
  ///
  /// It is an object, so that an iterator is a single reference. When it is released, it cancels its
  /// last exchange, unless that has ended.
  final class Execution {
    enum State {
      case ready
      case running(any Exchange)
      /// A redirect was received, and leads to this request.
      case leaving(any Exchange, Request)
      case ended
    }

    private(set) var state = State.ready
    private let makeExchange: @Sendable (Request) -> any Exchange
    private let isResolved: Bool
    private let interruption: Transfer.Interruption
    /// The call that it is, if others see it.
    private let tracked: TrackedCall?
    /// The number of the action that ends the exchange when its call is cancelled.
    private var ending: Int?
    private let scheduler: RequestScheduler?
    /// Used by one task at a time, and never accessed again while it is read.
    @exclusivity(unchecked)
    private var request: Request
    /// The permit of the current exchange, if it needed one.
    private var turn: RequestScheduler.Permit?
    private var visited: [RedirectPolicy.Visit] = []
    /// The header fields of those requests, as they were sent.
    private var earlier: [HTTPHeaders.Field] = []
    /// The time at which nothing is left of the total timeout, but for the call's waits for the network.
    private var deadline: ContinuousClock.Instant?

    init(_ transfer: consuming Transfer) {
      request = transfer.request
      isResolved = transfer.isResolved
      interruption = transfer.interruption
      tracked = transfer.tracked
      scheduler = transfer.scheduler
      makeExchange = transfer.exchange
    }

    deinit {
      stop()
      tracked?.end(.cancelled)
    }
  }
}

// MARK: - Steps

extension Transfer.Execution {
  func onCancel(_ action: @escaping @Sendable () -> Void) {
    _ = tracked?.onCancel(action)
  }

  func begin() throws(FreshetError) {
    try tracked?.begin()
    guard !isResolved else { return }
    if request.scope == nil { request.scope = CallScope() }
    try request.validate()
    deadline = request.timeouts.total.map { .now.advanced(by: $0 - request.timeOffline) }
  }

  func follow(_ next: Request) throws(FreshetError) {
    var next = next
    if let deadline {
      let remaining = ContinuousClock.Instant.now.duration(to: deadline) + request.timeOffline
      guard remaining > .zero else {
        throw .timedOut(.total, url: Redaction.shown(next.url))
      }
      next.timeouts.total = remaining
    }
    request = next
  }

  /// Begins an exchange if it need not wait for a permit.
  func startAtOnce() throws(FreshetError) -> (any Exchange)? {
    guard !Task.isCancelled, request.call?.isCancelled != true else { throw .cancelled }
    guard let scheduler else { return start(request) }
    guard let turn = scheduler.enter(request) else { return nil }
    return start(request, turn)
  }

  /// Begins an exchange, after waiting for a permit if necessary.
  nonisolated(nonsending) func start() async throws(FreshetError) -> any Exchange {
    guard let scheduler else { return start(request) }
    var request = request
    let turn = try await scheduler.wait(&request)
    return start(request, turn)
  }

  private func start(_ request: Request, _ turn: RequestScheduler.Permit? = nil) -> any Exchange {
    let exchange = interruptible(makeExchange(request))
    self.turn = turn
    state = .running(exchange)
    return exchange
  }

  /// The exchange so that the call that it is a part of can end it.
  private func interruptible(_ exchange: any Exchange) -> any Exchange {
    guard let call = request.call, interruption != .within else { return exchange }
    let exchange = interruption == .byTask ? SteppedExchange(exchange) : exchange
    ending = call.onCancel { exchange.cancel() }
    return exchange
  }

  private func endInterruption() {
    guard let ending = ending.take() else { return }
    request.call?.forget(ending)
  }

  func pass(_ event: consuming TransferEvent) throws(FreshetError) -> TransferEvent {
    switch consume event {
    case .head(let head):
      return try noted(pass(head))
    case .finished(let metrics):
      if tracked?.note(.finished(metrics)) == true { throw .cancelled }
      finish()
      return .finished(metrics)
    case .sent(var progress):
      progress.isSent = true
      return try noted(.sent(progress))
    case let event:
      return try noted(event)
    }
  }

  /// An event of which the call has taken note.
  private func noted(_ event: consuming TransferEvent) throws(FreshetError) -> TransferEvent {
    guard let tracked else { return event }
    if tracked.note(event) { throw .cancelled }
    return event
  }

  private func pass(_ head: consuming ResponseHead) throws(FreshetError) -> TransferEvent {
    // Notes the fields that were sent, because the stored response depends on them.
    if !isResolved, head.notes.sent == nil { head.notes.sent = request.headers }
    if !earlier.isEmpty { head.notes.earlier = earlier }
    head.hide(request.redirects.secretHeaders)
    if let problem = head.problem(answering: request) {
      throw .invalidResponse(problem, url: Redaction.shown(head.url))
    }
    guard head.status.isRedirection, !isResolved else { return .head(head) }
    switch request.redirects.decision(for: request, head: head, visited: visited) {
    case .pass:
      return .head(head)
    case .fail(let error):
      throw error
    case .follow(let next, let redirect):
      earlier += head.notes.sent ?? request.headers
      visited.append(RedirectPolicy.Visit(request, answeredBy: head))
      if case .running(let exchange) = state { state = .leaving(exchange, next) }
      return .redirected(redirect)
    }
  }
}

// MARK: - Ends

extension Transfer.Execution {
  /// Reads and discards the rest of a response, see ``Drain``.
  nonisolated(nonsending) func drain() async throws(FreshetError) {
    guard let exchange = end() else { return }
    defer { endTurn() }
    // The drain has a task of its own.
    try await Drain(exchange: (exchange as? SteppedExchange)?.base ?? exchange).run()
    // The call's own end could not reach the exchange meanwhile.
    if tracked?.isCancelled == true { throw .cancelled }
  }

  /// Ends the transfer after its exchange has ended.
  func finish() {
    state = .ended
    endInterruption()
    endTurn()
    tracked?.end(nil)
  }

  /// Ends it, and cancels the exchange that is not over.
  ///
  /// - Returns: The failure: a call that was ended from outside is cancelled, whatever its exchange has reported.
  @discardableResult
  func abandon(_ error: FreshetError) -> FreshetError {
    let failure = tracked?.isCancelled == true ? FreshetError.cancelled : error
    stop()
    tracked?.end(failure)
    return failure
  }

  /// Cancels the exchange, unless it is over.
  private func stop() {
    guard let exchange = end() else { return }
    endTurn()
    exchange.cancel()
  }

  /// Ends the transfer, and returns an exchange that has not ended.
  private func end() -> (any Exchange)? {
    defer { state = .ended }
    endInterruption()
    switch state {
    case .running(let exchange), .leaving(let exchange, _): return exchange
    case .ready, .ended: return nil
    }
  }

  private func endTurn() {
    turn.take()?.end()
  }
}
