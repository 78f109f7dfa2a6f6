import Synchronization

/// A transport whose exchanges wait for their turn.
struct ScheduledTransport: Transport {
  let base: any Transport
  let scheduler: RequestScheduler

  func send(_ request: Request) -> Transfer {
    var transfer = base.send(request)
    let start = transfer.exchange
    transfer.exchange = { [scheduler] request in
      ScheduledExchange(request, scheduler: scheduler, start: start)
    }
    return transfer
  }
}

/// An exchange that begins when the scheduler lets it, and gives its turn back when it ends.
final class ScheduledExchange: Exchange {
  private enum Phase {
    case waiting
    case running(any Exchange, turn: Int)
    case over
  }

  private let request: Request
  private let scheduler: RequestScheduler
  private let start: @Sendable (Request) -> any Exchange
  private let phase = Mutex(Phase.waiting)

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
    cancel()
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    guard let exchange = try await exchange() else { return nil }
    do {
      let event = try await exchange.next()
      switch event {
      case .finished, nil: end()
      default: break
      }
      return event
    } catch {
      end()
      throw error
    }
  }

  func cancel() {
    end()?.cancel()
  }

  /// The exchange, which begins at the first call; `nil` after the end.
  private func exchange() async throws(FreshetError) -> (any Exchange)? {
    switch phase.withLock(\.self) {
    case .running(let exchange, _): return exchange
    case .over: return nil
    case .waiting: break
    }
    let turn = try await scheduler.enter(request)
    let exchange = start(request)
    let isOver = phase.withLock { phase in
      if case .over = phase { return true }
      phase = .running(exchange, turn: turn)
      return false
    }
    guard isOver else { return exchange }
    scheduler.leave(turn)
    exchange.cancel()
    throw .cancelled
  }

  @discardableResult
  private func end() -> (any Exchange)? {
    let last = phase.withLock { phase in
      defer { phase = .over }
      return phase
    }
    guard case .running(let exchange, let turn) = last else { return nil }
    scheduler.leave(turn)
    return exchange
  }
}
