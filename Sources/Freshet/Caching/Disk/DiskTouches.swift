import Foundation
import Synchronization

/// The uses that are not written yet: a hit costs no write.
final class DiskTouches: Sendable {
  /// When the writer does not keep up, further uses are forgotten.
  private static let limit = 16_384
  private let pending = Mutex(Pending())

  private struct Pending {
    var stamps: [Int64: Int64] = [:]
    /// When the first of them was noted.
    var since = ContinuousClock.now
  }

  /// Notes a use, and returns how many are waiting, and whether none was before.
  func add(_ id: Int64, at time: Date) -> (count: Int, isFirst: Bool) {
    pending.withLock { pending in
      let isFirst = pending.stamps.isEmpty
      if isFirst { pending.since = .now }
      if pending.stamps.count < Self.limit || pending.stamps[id] != nil {
        pending.stamps[id] = Self.stamp(time)
      }
      return (pending.stamps.count, isFirst)
    }
  }

  var count: Int { pending.withLock { $0.stamps.count } }

  /// When the first one that waits was noted; `nil` if none waits.
  var since: ContinuousClock.Instant? {
    pending.withLock { $0.stamps.isEmpty ? nil : $0.since }
  }

  func take() -> [Int64: Int64] {
    pending.withLock { pending in
      defer { pending.stamps = [:] }
      return pending.stamps
    }
  }

  /// Takes some, so few that whoever waits for the same transaction does not notice.
  func takeSome() -> [Int64: Int64] {
    pending.withLock { pending in
      if pending.stamps.isEmpty { return [:] }
      var some: [Int64: Int64] = [:]
      for (id, stamp) in pending.stamps.prefix(256) { some[id] = stamp }
      for id in some.keys { pending.stamps[id] = nil }
      return some
    }
  }

  /// Microseconds since 1970.
  static func stamp(_ time: Date) -> Int64 {
    Int64(clamping: Int(time.timeIntervalSince1970 * 1_000_000))
  }
}
