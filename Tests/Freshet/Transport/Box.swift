import Freshet
import Synchronization

/// What a closure needs that is made before it is known.
final class Box: Sendable {
  private let state = Mutex<(transport: (any Transport)?, isUsed: Bool)>((nil, false))

  var transport: (any Transport)? {
    get { state.withLock { $0.transport } }
    set { state.withLock { $0.transport = newValue } }
  }

  /// `true` the first time.
  func first() -> Bool {
    state.withLock { state in
      defer { state.isUsed = true }
      return !state.isUsed
    }
  }
}

/// How often something happened.
final class Counter: Sendable {
  private let state = Mutex(0)

  var value: Int { state.withLock { $0 } }

  func count() {
    _ = next()
  }

  /// One more; returns how many there were before.
  func next() -> Int {
    state.withLock { state in
      defer { state += 1 }
      return state
    }
  }
}

/// The largest of some numbers.
final class Peak: Sendable {
  private let state = Mutex(0)

  var value: Int { state.withLock { $0 } }

  func note(_ number: Int) {
    state.withLock { $0 = max($0, number) }
  }
}
