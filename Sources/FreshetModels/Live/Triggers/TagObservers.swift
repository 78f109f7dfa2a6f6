import Freshet
import Synchronization

/// The closures that are called when a tag becomes invalid.
final class TagObservers: Sendable {
  private let state = Mutex(State())

  private struct State {
    var next = 0
    var observers: [Int: (tag: String, call: @Sendable () -> Void)] = [:]
  }

  func add(_ tag: String, _ call: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.observers[state.next] = (tag, call)
      return state.next
    }
  }

  func remove(_ id: Int) {
    _ = state.withLock { $0.observers.removeValue(forKey: id) }
  }

  func invalidate(_ tag: String) {
    let calls = state.withLock {
      $0.observers.values.filter { $0.tag.hasSameBytes(as: tag) }.map(\.call)
    }
    for call in calls { call() }
  }
}
