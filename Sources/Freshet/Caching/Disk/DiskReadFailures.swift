import Foundation

/// How often in a row the device did not read the database.
///
/// What many meet within a second is one failure of the device.
struct DiskReadFailures: Sendable {
  private var count = 0
  private var last: Date?

  /// From this one on, the database is looked at again, and set aside if it still cannot be read.
  static let limit = 3

  /// Counts a failure.
  ///
  /// - Returns: How many there are.
  mutating func add(at now: Date) -> Int {
    if let last, abs(now.timeIntervalSince(last)) < 1 { return count }
    last = now
    count += 1
    return count
  }
}
