import Synchronization

/// A value behind a lock.
final class Guarded<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) {
    mutex = Mutex(value)
  }

  var value: Value {
    get { mutex.withLock(\.self) }
    set { mutex.withLock { $0 = newValue } }
  }

  func change(_ body: (inout Value) -> Void) {
    mutex.withLock { body(&$0) }
  }
}
