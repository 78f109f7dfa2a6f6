import Synchronization

/// State behind a lock that tasks can wait for.
///
/// Conditions are checked at each update, so that nobody polls.
final class Watched<State: Sendable>: Sendable {
  private struct Waiter {
    let id: Int
    let condition: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Guarded {
    var state: State
    var waiters: [Waiter] = []
    var nextID = 0
  }

  private let guarded: Mutex<Guarded>

  init(_ state: State) {
    guarded = Mutex(Guarded(state: state))
  }

  func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
    guarded.withLock { body($0.state) }
  }

  /// Changes the state, then lets those go on whose condition has come true.
  func update<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
    let (value, satisfied) = guarded.withLock { guarded in
      let value = body(&guarded.state)
      guard !guarded.waiters.isEmpty else { return (value, [Waiter]()) }
      let state = guarded.state
      let satisfied = guarded.waiters.filter { $0.condition(state) }
      guarded.waiters.removeAll { waiter in satisfied.contains { $0.id == waiter.id } }
      return (value, satisfied)
    }
    for waiter in satisfied {
      waiter.continuation.resume(returning: true)
    }
    return value
  }

  /// Waits until the condition holds: `true`, or `false` as soon as the task is cancelled.
  @discardableResult
  func wait(until condition: @escaping @Sendable (State) -> Bool) async -> Bool {
    let id = guarded.withLock { guarded in
      guarded.nextID += 1
      return guarded.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        register(Waiter(id: id, condition: condition, continuation: continuation))
      }
    } onCancel: {
      let waiter = guarded.withLock { guarded in
        guarded.waiters.firstIndex { $0.id == id }.map { guarded.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: false)
    }
  }

  private func register(_ waiter: Waiter) {
    let result: Bool? = guarded.withLock { guarded in
      if waiter.condition(guarded.state) { return true }
      // The flag is set before the handler runs: a handler that came too early to find the waiter
      // is seen here.
      if Task.isCancelled { return false }
      guarded.waiters.append(waiter)
      return nil
    }
    if let result {
      waiter.continuation.resume(returning: result)
    }
  }
}
