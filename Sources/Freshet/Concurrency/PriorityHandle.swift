import Synchronization

/// The priority of running work, which can change.
///
/// A task-local value carries it, so that whatever the work waits for can read and observe it.
final class PriorityHandle: Sendable {
  @TaskLocal static var current: PriorityHandle?

  private struct State {
    var priority: Request.Priority
    var observer: (@Sendable (Request.Priority) -> Void)?
  }

  private let state: Mutex<State>

  init(_ priority: Request.Priority) {
    state = Mutex(State(priority: priority))
  }

  var priority: Request.Priority { state.withLock(\.priority) }

  /// Changes the priority and calls the observer, in the order of the changes.
  func change(to priority: Request.Priority) {
    state.withLock { state in
      guard state.priority != priority else { return }
      state.priority = priority
      state.observer?(priority)
    }
  }

  /// Calls `observer` now and at each change, under a lock.
  ///
  /// The observer must not use this object, and a lock that it takes must not be held while this object
  /// is called.
  func observe(_ observer: (@Sendable (Request.Priority) -> Void)?) {
    state.withLock { state in
      state.observer = observer
      observer?(state.priority)
    }
  }
}
