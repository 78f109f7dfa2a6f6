import Synchronization

/// A transport whose exchanges wait for permits.
struct ScheduledTransport: TransportDecorator {
  /// The unit that needs a permit.
  enum Turns {
    /// Each hop; redirects are followed outside.
    case eachHop
    /// Each exchange of the inner transport, which is a hop, or a call that it resolves itself.
    case eachExchange
  }

  let base: any Transport
  let scheduler: RequestScheduler
  let turns: Turns

  func send(_ request: Request) -> Transfer {
    guard turns == .eachHop else {
      var transfer = base.send(request)
      if case .by = transfer.scheduling {
        transfer.exchange = { [transfer] in transfer.exchangeInTurn($0) }
      }
      transfer.scheduling = .by(scheduler)
      return transfer
    }
    return Transfer(request, isResolved: false, interruption: .within) { [base, scheduler] hop in
      var hop = hop
      hop.redirects.maximumCount = 0
      return ScheduledExchange(hop, scheduler: scheduler) {
        EventExchange(base.send($0).makeAsyncIterator())
      }
    }
  }
}

extension Transfer {
  /// Returns an exchange that waits for its permit itself, for use in decorators.
  func exchangeInTurn(_ request: Request) -> any Exchange {
    guard case .by(let scheduler) = scheduling else { return exchange(request) }
    return ScheduledExchange(request, scheduler: scheduler, start: exchange)
  }
}

/// An exchange that waits for a permit before it begins, and returns it at its end.
final class ScheduledExchange: Exchange {
  private struct State {
    /// The exchange once it has begun; it is kept afterwards, so that a late `cancel()` still reaches it.
    var exchange: (any Exchange)?
    var turn: RequestScheduler.Permit?
    var isCancelled = false
  }

  private let request: Request
  private let scheduler: RequestScheduler
  private let start: @Sendable (Request) -> any Exchange
  private let state = Mutex(State())

  init(
    _ request: Request,
    scheduler: RequestScheduler,
    start: @escaping @Sendable (Request) -> any Exchange
  ) {
    self.request = request
    self.scheduler = scheduler
    self.start = start
  }

  deinit {
    giveBack()
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    do {
      let event: TransferEvent?
      if let exchange = state.withLock(\.exchange) {
        event = try await exchange.next()
      } else if let turn = scheduler.enter(request) {
        event = try await begin(request, turn).next()
      } else {
        var request = request
        let turn = try await scheduler.wait(&request)
        event = try await begin(request, turn).next()
      }
      switch event {
      case .finished, nil: giveBack()
      default: break
      }
      return event
    } catch {
      giveBack()
      throw error
    }
  }

  func cancel() {
    let exchange = state.withLock { state in
      state.isCancelled = true
      return state.exchange
    }
    giveBack()
    exchange?.cancel()
  }

  private func begin(
    _ request: Request,
    _ turn: RequestScheduler.Permit?
  ) throws(FreshetError) -> any Exchange {
    if state.withLock(\.isCancelled) {
      turn?.end()
      throw .cancelled
    }
    let exchange = start(request)
    let isCancelled = state.withLock { state in
      state.exchange = exchange
      if !state.isCancelled { state.turn = turn }
      return state.isCancelled
    }
    guard isCancelled else { return exchange }
    turn?.end()
    exchange.cancel()
    throw .cancelled
  }

  /// Returns the permit, once.
  private func giveBack() {
    state.withLock { $0.turn.take() }?.end()
  }
}
