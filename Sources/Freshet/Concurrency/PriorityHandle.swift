import Synchronization

/// The priority of running work, which can change.
///
/// A task-local value carries it, so that whatever the work waits for can read and observe it.
final class PriorityHandle: Sendable {
  @TaskLocal static var current: PriorityHandle?

  private struct State {
    var priority: Request.Priority
    var observers: [Int: @Sendable (Request.Priority) -> Void] = [:]
    var nextObserver = 0
  }

  private let state: Mutex<State>

  init(_ priority: Request.Priority) {
    state = Mutex(State(priority: priority))
  }

  var priority: Request.Priority { state.withLock(\.priority) }

  /// Changes the priority and calls the observers, in the order of the changes.
  func change(to priority: Request.Priority) {
    state.withLock { state in
      guard state.priority != priority else { return }
      state.priority = priority
      for observer in state.observers.values { observer(priority) }
    }
  }

  /// Calls `observer` now and at each change, under a lock.
  ///
  /// The observer must not use this object, and a lock that it takes must not be held while this object
  /// is called.
  ///
  /// - Returns: The number of the observer, for ``forget(_:)``.
  func observe(_ observer: @escaping @Sendable (Request.Priority) -> Void) -> Int {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = observer
      observer(state.priority)
      return state.nextObserver
    }
  }

  /// Removes an observer.
  func forget(_ observer: Int) {
    _ = state.withLock { $0.observers.removeValue(forKey: observer) }
  }
}
