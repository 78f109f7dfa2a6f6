#if canImport(Darwin)
import Dispatch
import Synchronization

/// Releases memory when the system asks for it.
package final class MemoryPressure: Sendable {
  private let source = Mutex<(any DispatchSourceMemoryPressure)?>(nil)

  package init() {}

  /// Calls a closure at each warning, with whether the system is about to end processes.
  package func watch(_ release: @escaping @Sendable (_ isCritical: Bool) -> Void) {
    source.withLock { source in
      let new = DispatchSource.makeMemoryPressureSource(
        eventMask: [.warning, .critical],
        queue: .global(qos: .utility)
      )
      new.setEventHandler { [weak self] in
        guard let self else { return }
        release(isCritical)
      }
      new.activate()
      source = new
    }
  }

  private var isCritical: Bool { source.withLock { $0?.data.contains(.critical) ?? false } }

  deinit {
    source.withLock { $0?.cancel() }
  }
}
#endif
