import Synchronization

/// A value that can change, with observers of its changes.
final class ObservedValue<Value: Equatable & Sendable>: Sendable {
  private struct State {
    var value: Value
    var observers: [Int: @Sendable (Value) -> Void] = [:]
    var nextObserver = 0
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  var value: Value { state.withLock(\.value) }

  /// Changes the value and calls the observers, in the order of the changes; nothing if it is the same.
  func change(to value: Value) {
    state.withLock { state in
      guard state.value != value else { return }
      state.value = value
      for observer in state.observers.values { observer(value) }
    }
  }

  /// Calls `observer` now and at each change, under a lock.
  ///
  /// The observer must not use this object, and a lock that it takes must not be held while this object
  /// is called.
  ///
  /// - Returns: The number of the observer, for ``forget(_:)``.
  func observe(_ observer: @escaping @Sendable (Value) -> Void) -> Int {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = observer
      observer(state.value)
      return state.nextObserver
    }
  }

  /// Removes an observer.
  func forget(_ observer: Int) {
    _ = state.withLock { $0.observers.removeValue(forKey: observer) }
  }
}
