import Foundation
import Freshet
import Synchronization

/// An exchange that plays events, and then waits for its cancellation if it has no end.
final class ScriptedExchange: Exchange {
  private struct State {
    var events: [Result<TransferEvent, FreshetError>]
    var isCancelled = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>

  init(_ events: [Result<TransferEvent, FreshetError>]) {
    state = Mutex(State(events: events))
  }

  convenience init(_ events: TransferEvent...) {
    self.init(events.map { .success($0) })
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  var unread: Int { state.withLock { $0.events.count } }

  func next() async throws(FreshetError) -> TransferEvent? {
    if let event = state.withLock({ $0.events.isEmpty ? nil : $0.events.removeFirst() }) {
      return try event.get()
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isCancelled { state.waiter = continuation }
          return state.isCancelled
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
    throw .cancelled
  }

  func cancel() {
    let waiter = state.withLock { state in
      state.isCancelled = true
      return state.waiter.take()
    }
    waiter?.resume()
  }
}

/// Hands out exchanges in order, and remembers what for.
final class Script: Sendable {
  private let state: Mutex<(exchanges: [ScriptedExchange], requests: [Request])>

  init(_ exchanges: ScriptedExchange...) {
    state = Mutex((exchanges, []))
  }

  var requests: [Request] { state.withLock { $0.requests } }

  func transfer(_ request: Request) -> Transfer {
    Transfer(request) { request in
      self.state.withLock { state in
        state.requests.append(request)
        return state.exchanges.removeFirst()
      }
    }
  }
}
