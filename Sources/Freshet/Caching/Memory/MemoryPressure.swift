#if canImport(Darwin)
import Dispatch
import Synchronization

/// Makes a memory store release memory when the system asks for it.
final class MemoryPressure: Sendable {
  private let source = Mutex<(any DispatchSourceMemoryPressure)?>(nil)

  func watch(_ store: MemoryStore) {
    source.withLock { source in
      let new = DispatchSource.makeMemoryPressureSource(
        eventMask: [.warning, .critical],
        queue: .global(qos: .utility)
      )
      new.setEventHandler { [weak store, weak self] in
        guard let store, let self else { return }
        if isCritical {
          store.empty()
        } else {
          store.trim(toCost: store.cost / 2)
        }
      }
      new.activate()
      source = new
    }
  }

  private var isCritical: Bool {
    source.withLock { $0?.data.contains(.critical) ?? false }
  }

  deinit {
    source.withLock { $0?.cancel() }
  }
}
#endif
