import Synchronization

/// The priority of work that is under way, which may change.
///
/// It travels with the task that does the work, so that whatever the work waits for can look at it.
final class Urgency: Sendable {
  @TaskLocal static var current: Urgency?

  private struct State {
    var priority: Request.Priority
    var observer: (@Sendable (Request.Priority) -> Void)?
  }

  private let state: Mutex<State>

  init(_ priority: Request.Priority) {
    state = Mutex(State(priority: priority))
  }

  var priority: Request.Priority { state.withLock(\.priority) }

  /// Changes the priority and tells the observer, in the order of the changes.
  func change(to priority: Request.Priority) {
    state.withLock { state in
      guard state.priority != priority else { return }
      state.priority = priority
      state.observer?(priority)
    }
  }

  /// Calls `observer` now and at each change, under a lock: it must not touch this again, and no lock
  /// that it takes may be held where this is.
  func observe(_ observer: (@Sendable (Request.Priority) -> Void)?) {
    state.withLock { state in
      state.observer = observer
      observer?(state.priority)
    }
  }
}
