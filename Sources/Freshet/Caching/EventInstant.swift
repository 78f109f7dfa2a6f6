import FreshetEssentials

/// A point in the order of the events of this machine.
///
/// The wall clock can be set; this order cannot. It is the machine's monotonic clock, which all
/// processes share, and it is reset by each start of the machine.
package struct EventInstant: Sendable, Hashable {
  /// The start of the machine that ``uptime`` is counted from.
  let boot: UInt64
  /// The monotonic time, in nanoseconds.
  let uptime: Int64
  /// The wall clock at that point, to compare instants of different starts of the machine.
  let date: Date

  /// The current instant.
  package static var now: EventInstant {
    EventInstant(boot: MachineBoot.current, uptime: MonotonicClock.nanoseconds, date: Date())
  }
}

extension EventInstant {
  /// Compares the instant with that of a change that a store has recorded.
  ///
  /// A wrong `true` costs a fetch, and a wrong `false` shows outdated data, so the answer is `true`
  /// in case of doubt.
  ///
  /// - Parameters:
  ///   - change: The instant at which a store recorded the change.
  ///   - now: The current instant.
  /// - Returns: A Boolean value that indicates whether a fetch that began at this instant may lack
  ///   the change.
  func mayPrecede(_ change: EventInstant, now: EventInstant) -> Bool {
    if boot == change.boot {
      return uptime <= change.uptime || isAhead(of: now)
    }
    // The machine was restarted after this instant, and the change came later.
    if change.boot == now.boot { return true }
    let lateness = change.date.timeIntervalSince(date)
    // No fetch outlasts a restart of the machine; containers may report different starts.
    return lateness >= 0 && (boot != now.boot || lateness < Invalidations.longestTransfer)
  }

  /// Returns a Boolean value that indicates whether the instant is in the future: the monotonic
  /// clock was set back, as debuggers and restored machines can do.
  func isAhead(of now: EventInstant) -> Bool {
    boot == now.boot && uptime > now.uptime
  }
}

/// The monotonic clock of the machine.
private enum MonotonicClock {
  static var nanoseconds: Int64 {
    var time = timespec()
    #if canImport(Darwin)
    // `CLOCK_MONOTONIC` follows the wall clock there.
    clock_gettime(CLOCK_MONOTONIC_RAW, &time)
    #else
    clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

/// The identifier of the machine's current start, as a number.
private enum MachineBoot {
  static let current: UInt64 = {
    guard let name else { return UInt64.random(in: .min ... .max) }
    var fingerprint = Fingerprint()
    fingerprint.add(name)
    return UInt64(bitPattern: fingerprint.value)
  }()

  #if canImport(Darwin)
  private static var name: String? {
    var bytes = [UInt8](repeating: 0, count: 64)
    var count = bytes.count
    guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0, count > 0 else {
      return nil
    }
    return String(decoding: bytes[..<min(count, bytes.count)], as: UTF8.self)
  }
  #else
  private static var name: String? {
    let file = "/proc/sys/kernel/random/boot_id"
    guard let boot = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
    // A container may have a monotonic clock of its own.
    let space = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/time")
    return boot + (space ?? "")
  }
  #endif
}
