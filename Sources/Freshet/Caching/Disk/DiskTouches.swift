import FreshetEssentials
import Synchronization

/// The uses that are not written yet, so that a hit writes nothing, and a write only its record.
///
/// A process that ends abruptly loses them. A new response without a written use is not among the
/// least recently used ones, until the daily search gives it the time at which it was stored. An
/// eviction that finds too little to remove does so first.
final class DiskTouches: Sendable {
  /// The largest number of pending uses; further ones are dropped.
  private static let limit = 16_384
  private let pending = Mutex(Pending())
  private let areIgnored = Atomic(false)

  private struct Pending {
    var stamps: [Int64: Int64] = [:]
    /// The instant at which the first of them was recorded.
    var since = ContinuousClock.now
  }

  /// Drops the pending uses and all later ones.
  func ignore() {
    areIgnored.store(true, ordering: .relaxed)
    _ = take()
  }

  /// Records a use, and returns the number of pending ones, and whether it is the first.
  @discardableResult
  func add(_ id: Int64, at time: Date) -> (count: Int, isFirst: Bool) {
    if areIgnored.load(ordering: .relaxed) { return (0, false) }
    return pending.withLock { pending in
      let isFirst = pending.stamps.isEmpty
      if isFirst { pending.since = .now }
      if pending.stamps.count < Self.limit || pending.stamps[id] != nil {
        pending.stamps[id] = Self.stamp(time)
      }
      return (pending.stamps.count, isFirst)
    }
  }

  var count: Int { pending.withLock { $0.stamps.count } }

  /// The instant at which the first pending use was recorded; `nil` if there is none.
  var since: ContinuousClock.Instant? { pending.withLock { $0.stamps.isEmpty ? nil : $0.since } }

  func take() -> [Int64: Int64] {
    pending.withLock { pending in
      defer { pending.stamps = [:] }
      return pending.stamps
    }
  }

  /// Takes this number of uses once there are as many, so that the changes in the same transaction
  /// are not delayed; half of them if that is more, so that they do not pile up.
  func takeGroup(of size: Int) -> [Int64: Int64] {
    pending.withLock { pending in
      if pending.stamps.count < size { return [:] }
      var some: [Int64: Int64] = [:]
      let count = max(size, pending.stamps.count / 2)
      for (id, stamp) in pending.stamps.prefix(count) { some[id] = stamp }
      for id in some.keys { pending.stamps[id] = nil }
      return some
    }
  }

  /// Adds the uses of a group that could not be written, unless there are later ones.
  func putBack(_ group: [Int64: Int64]) {
    if group.isEmpty || areIgnored.load(ordering: .relaxed) { return }
    pending.withLock { pending in
      if pending.stamps.isEmpty { pending.since = .now }
      pending.stamps.merge(group) { later, _ in later }
    }
  }

  /// Returns the time of a stamp; `nil` for that of an unknown use, 0.
  static func time(_ stamp: Int64) -> Date? {
    stamp == 0 ? nil : Date(timeIntervalSince1970: Double(stamp) / 1_000_000)
  }

  /// Microseconds since 1970, as far as they can be represented; 0 for a time that is no number.
  static func stamp(_ time: Date) -> Int64 {
    let microseconds = (time.timeIntervalSince1970 * 1_000_000).rounded(.towardZero)
    if microseconds.isNaN { return 0 }
    return Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max)
  }
}
