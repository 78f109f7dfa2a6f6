import FreshetEssentials

/// A count of consecutive failures of the device to read the database.
///
/// Failures within one second of each other count as one.
struct DiskReadFailures: Sendable {
  private var count = 0
  private var last: Date?

  /// The count from which the database is examined, and set aside if it still cannot be read.
  static let limit = 3

  /// Counts a failure.
  ///
  /// - Returns: The number of failures so far.
  mutating func add(at now: Date) -> Int {
    if let last, abs(now.timeIntervalSince(last)) < 1 { return count }
    last = now
    count += 1
    return count
  }
}
