#if !canImport(Darwin)
import Synchronization

/// What a server has seen.
package final class Seen<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])

  package init() {}

  package var values: [Value] { state.withLock { $0 } }

  package func add(_ value: Value) {
    state.withLock { $0.append(value) }
  }
}
#endif
