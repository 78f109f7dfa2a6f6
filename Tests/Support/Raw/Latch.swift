#if !canImport(Darwin)
import Foundation

/// Something that one side waits for, at most two minutes, and the other side opens.
package final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func open() {
    semaphore.signal()
  }

  /// Blocks a thread of its own, never one of a task's.
  @discardableResult
  package func block() -> Bool {
    semaphore.wait(timeout: .now() + 120) == .success
  }

  @discardableResult
  package func wait() async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.block()) }
    }
  }
}
#endif
