import Synchronization

/// The closures that are called at each event of a kind.
final class EventObservers<Event: Sendable>: Sendable {
  private let state = Mutex(State())

  private struct State {
    var next = 0
    var observers: [Int: @Sendable (Event) -> Void] = [:]
  }

  func add(_ call: @escaping @Sendable (Event) -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.observers[state.next] = call
      return state.next
    }
  }

  func remove(_ id: Int) {
    _ = state.withLock { $0.observers.removeValue(forKey: id) }
  }

  func notify(_ event: Event) {
    let calls = state.withLock { Array($0.observers.values) }
    for call in calls { call(event) }
  }
}
