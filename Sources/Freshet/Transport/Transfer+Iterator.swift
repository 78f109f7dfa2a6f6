extension Transfer {
  /// Pulls the events of one transfer.
  ///
  /// - The request is validated and sent by the first `next`; an invalid one is never sent.
  /// - After `finished`, or after it has thrown, `next` returns `nil` for ever.
  /// - In a cancelled task `next` throws ``FreshetError/cancelled`` and sends nothing more.
  /// - Dropping the iterator, or the last copy of it, cancels the exchange.
  public struct Iterator: AsyncIteratorProtocol {
    private let exchange: @Sendable (Request) -> any Exchange
    private let isResolved: Bool
    private let scheduler: RequestScheduler?
    private var request: Request
    private var state = State.ready
    private var visited: [RedirectPolicy.Visit] = []
    private var deadline: Moment?

    private enum State {
      case ready
      case running(Hop)
      case leaving(Hop, Request)
      case ended
    }

    init(_ transfer: consuming Transfer) {
      request = transfer.request
      exchange = transfer.exchange
      isResolved = transfer.isResolved
      scheduler = transfer.scheduler
    }

    /// The next event, or `nil` after `finished`.
    ///
    /// - Parameter actor: Where the caller runs; the events are handed over without leaving it.
    /// - Returns: The event.
    /// - Throws: What ended the transfer, once. A status of 400 and above is not an error here.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      do {
        let hop: Hop
        switch state {
        case .running(let current): hop = current
        case .ready:
          try begin()
          if let started = try startAtOnce() { hop = started } else { hop = try await start() }
        case .leaving(let last, let next):
          try await last.drain()
          try follow(next)
          if let started = try startAtOnce() { hop = started } else { hop = try await start() }
        case .ended: return nil
        }
        let event = try await hop.exchange.next()
        return try pass(event, of: hop)
      } catch {
        state = .ended
        throw error
      }
    }
  }
}

@available(*, unavailable)
extension Transfer.Iterator: Sendable {}

// MARK: - Steps

extension Transfer.Iterator {
  private mutating func begin() throws(FreshetError) {
    guard !isResolved else { return }
    try request.validate()
    request = request.scoped
    deadline = request.timeouts.total.map { .now.advanced(by: $0) }
  }

  private mutating func follow(_ next: Request) throws(FreshetError) {
    visited.append(RedirectPolicy.Visit(request.method, request.url))
    request = next
    if let deadline {
      let remaining = Moment.now.duration(to: deadline)
      guard remaining > .zero else {
        throw .timedOut(.total, url: Redaction.shown(request.url))
      }
      request.timeouts.total = remaining
    }
  }

  /// Begins an exchange, if it need not wait for a turn.
  private mutating func startAtOnce() throws(FreshetError) -> Transfer.Hop? {
    guard !Task.isCancelled else { throw .cancelled }
    guard let scheduler else { return start(request) }
    return scheduler.enter(request).map { start(request, $0) }
  }

  /// Begins an exchange when it is its turn.
  private mutating func start() async throws(FreshetError) -> Transfer.Hop {
    var request = request
    let turn = try await scheduler?.wait(&request)
    return start(request, turn ?? nil)
  }

  private mutating func start(
    _ request: Request,
    _ turn: RequestScheduler.Turn? = nil
  ) -> Transfer.Hop {
    let hop = Transfer.Hop(exchange(request), turn)
    state = .running(hop)
    return hop
  }

  private mutating func pass(
    _ event: TransferEvent?,
    of hop: Transfer.Hop
  ) throws(FreshetError) -> TransferEvent? {
    let event = noted(event)
    if case .head(let head) = event, let problem = head.framingProblem {
      throw .invalidResponse(problem, url: Redaction.shown(head.url))
    }
    switch event {
    case .head(let head) where head.status.isRedirection && !isResolved:
      let decision = request.redirects.decision(for: request, head: head, visited: visited)
      switch decision {
      case .pass: return event
      case .fail(let error): throw error
      case .follow(let next, let redirect):
        state = .leaving(hop, next)
        return .redirected(redirect)
      }
    case .finished, nil:
      hop.end()
      state = .ended
      return event
    default:
      return event
    }
  }

  /// Notes what was sent: what a response may answer later depends on it.
  private func noted(_ event: TransferEvent?) -> TransferEvent? {
    guard !isResolved, case .head(var head) = event, head.notes.sent == nil else { return event }
    head.notes.sent = request.headers
    return .head(head)
  }
}

extension Transfer.Iterator {
  /// Leaves a response that nobody will see; a short one is read to its end, so that its connection
  /// can be used again.
  mutating func leave(after head: ResponseHead) async throws(FreshetError) {
    guard case .running(let hop) = state else { return }
    state = .ended
    guard head.decodedLength ?? 0 <= Drain.limit else { return }
    try await hop.drain()
  }
}

// MARK: - Hop

extension Transfer {
  /// An exchange that is cancelled when nobody holds it any more, and its turn, which is given back.
  final class Hop {
    let exchange: any Exchange
    private let turn: RequestScheduler.Turn?
    private var isOver = false

    init(_ exchange: any Exchange, _ turn: RequestScheduler.Turn?) {
      self.exchange = exchange
      self.turn = turn
    }

    deinit {
      guard !isOver else { return }
      turn?.end()
      exchange.cancel()
    }

    func end() {
      isOver = true
      turn?.end()
    }

    /// Reads what is left of a response that nobody will see, see ``Drain``.
    func drain() async throws(FreshetError) {
      isOver = true
      defer { turn?.end() }
      try await Drain(exchange: exchange).run()
    }
  }
}
