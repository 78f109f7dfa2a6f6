import Foundation
import Synchronization

/// The uses that are not written yet: a hit costs no write.
final class DiskTouches: Sendable {
  /// When the writer does not keep up, further uses are forgotten.
  private static let limit = 16_384
  private let pending = Mutex<[Int64: Int64]>([:])

  /// Notes a use, and returns how many are waiting.
  func add(_ id: Int64, at time: Date) -> Int {
    pending.withLock { pending in
      if pending.count < Self.limit || pending[id] != nil {
        pending[id] = Self.stamp(time)
      }
      return pending.count
    }
  }

  var count: Int { pending.withLock { $0.count } }

  func take() -> [Int64: Int64] {
    pending.withLock { pending in
      defer { pending = [:] }
      return pending
    }
  }

  /// Microseconds since 1970.
  static func stamp(_ time: Date) -> Int64 {
    Int64(clamping: Int(time.timeIntervalSince1970 * 1_000_000))
  }
}
