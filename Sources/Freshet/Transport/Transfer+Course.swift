extension Transfer {
  /// One transfer under way: its exchanges, one after the other.
  ///
  /// It is an object, so that an iterator is one reference: those that have one look at each step
  /// whether they do. Its last exchange is cancelled with it, unless that is over.
  final class Course {
    enum State {
      case ready
      case running(any Exchange)
      /// A redirect has answered, and leads to a request.
      case leaving(any Exchange, Request)
      case ended
    }

    private(set) var state = State.ready
    private let makeExchange: @Sendable (Request) -> any Exchange
    private let isResolved: Bool
    private let scheduling: Transfer.Scheduling
    /// It is used by one task at a time, and what reads it does not come back here.
    @exclusivity(unchecked)
    private var request: Request
    /// That of the exchange, if it has taken one.
    private var turn: RequestScheduler.Turn?
    private var visited: [RedirectPolicy.Visit] = []
    private var deadline: Moment?

    init(
      _ request: Request,
      isResolved: Bool,
      _ scheduling: Transfer.Scheduling,
      _ makeExchange: @escaping @Sendable (Request) -> any Exchange
    ) {
      self.request = request
      self.isResolved = isResolved
      self.scheduling = scheduling
      self.makeExchange = makeExchange
    }

    deinit {
      abandon()
    }
  }
}

// MARK: - Steps

extension Transfer.Course {
  func begin() throws(FreshetError) {
    guard !isResolved else { return }
    try request.validate()
    request = request.scoped
    deadline = request.timeouts.total.map { .now.advanced(by: $0) }
  }

  func follow(_ next: Request) throws(FreshetError) {
    visited.append(RedirectPolicy.Visit(request.method, request.url))
    var next = next
    if let deadline {
      let remaining = Moment.now.duration(to: deadline)
      guard remaining > .zero else {
        throw .timedOut(.total, url: Redaction.shown(next.url))
      }
      next.timeouts.total = remaining
    }
    request = next
  }

  /// Begins an exchange, if it need not wait for a turn.
  func startAtOnce() throws(FreshetError) -> (any Exchange)? {
    guard !Task.isCancelled else { throw .cancelled }
    guard case .by(let scheduler) = scheduling else { return start(request) }
    return scheduler.enter(request).map { start(request, $0) }
  }

  /// Begins an exchange when it is its turn.
  nonisolated(nonsending) func start() async throws(FreshetError) -> any Exchange {
    guard case .by(let scheduler) = scheduling else { return start(request) }
    var request = request
    let turn = try await scheduler.wait(&request)
    return start(request, turn)
  }

  private func start(_ request: Request, _ turn: RequestScheduler.Turn? = nil) -> any Exchange {
    let exchange = makeExchange(request)
    self.turn = turn
    state = .running(exchange)
    return exchange
  }

  func pass(_ event: consuming TransferEvent) throws(FreshetError) -> TransferEvent {
    switch consume event {
    case .head(let head):
      return try pass(head)
    case .finished(let metrics):
      finish()
      return .finished(metrics)
    case let event:
      return event
    }
  }

  private func pass(_ head: consuming ResponseHead) throws(FreshetError) -> TransferEvent {
    // Notes what was sent: what a response may answer later depends on it.
    if !isResolved, head.notes.sent == nil { head.notes.sent = request.headers }
    if let problem = head.framingProblem {
      throw .invalidResponse(problem, url: Redaction.shown(head.url))
    }
    guard head.status.isRedirection, !isResolved else { return .head(head) }
    switch request.redirects.decision(for: request, head: head, visited: visited) {
    case .pass:
      return .head(head)
    case .fail(let error):
      throw error
    case .follow(let next, let redirect):
      if case .running(let exchange) = state { state = .leaving(exchange, next) }
      return .redirected(redirect)
    }
  }
}

// MARK: - Ends

extension Transfer.Course {
  /// Reads what is left of a response that nobody will see, see ``Drain``.
  nonisolated(nonsending) func drain() async throws(FreshetError) {
    guard let exchange = end() else { return }
    defer { endTurn() }
    try await Drain(exchange: exchange).run()
  }

  /// Ends it when its exchange is over.
  func finish() {
    state = .ended
    endTurn()
  }

  /// Ends it, and cancels the exchange that is not over.
  func abandon() {
    guard let exchange = end() else { return }
    endTurn()
    exchange.cancel()
  }

  /// Ends it; what it returns is not over.
  private func end() -> (any Exchange)? {
    defer { state = .ended }
    switch state {
    case .running(let exchange), .leaving(let exchange, _): return exchange
    case .ready, .ended: return nil
    }
  }

  private func endTurn() {
    turn.take()?.end()
  }
}
