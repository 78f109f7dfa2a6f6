import Synchronization

/// The clients that use a store, of which the last one that is shut down closes it.
final class StoreUsers: Sendable {
  private let count = Atomic<Int>(0)

  func enter() {
    count.add(1, ordering: .acquiringAndReleasing)
  }

  /// - Returns: `true` if it was the last one.
  func leave() -> Bool {
    count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}
