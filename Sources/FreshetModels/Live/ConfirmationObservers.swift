import Synchronization

/// The order of refreshes and of the changes that are sent, and the closures that are called at a confirmation.
final class ConfirmationObservers: Sendable {
  private let state = Mutex(State())

  private struct State {
    var step = 0
    var next = 0
    var observers: [Int: @Sendable (Int) -> Void] = [:]
  }

  /// Returns the number of a new step, larger than those before it: the end of a refresh, or the sending of a change.
  func step() -> Int {
    state.withLock { state in
      state.step += 1
      return state.step
    }
  }

  func add(_ call: @escaping @Sendable (Int) -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.observers[state.next] = call
      return state.next
    }
  }

  func remove(_ id: Int) {
    _ = state.withLock { $0.observers.removeValue(forKey: id) }
  }

  /// Calls the observers with the step at which a change was sent that is confirmed now.
  func confirmed(_ step: Int) {
    let calls = state.withLock { Array($0.observers.values) }
    for call in calls { call(step) }
  }
}
