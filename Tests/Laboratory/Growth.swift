#if !canImport(Darwin)
import Foundation

/// How what a process holds grows with what it has done, by censuses that were taken while nothing was
/// on its way.
///
/// The first half is left out: until then pools and stores fill up. What is left at the end of the
/// second is a leak, or looks like one.
struct Growth: CustomStringConvertible {
  struct Point: Sendable {
    /// How much had been done.
    let count: Int
    let census: Census

    init(_ count: Int, _ census: Census) {
      self.count = count
      self.census = census
    }
  }

  private let curve: [Point]
  /// The second half.
  private let late: ArraySlice<Point>

  init(_ curve: [Point]) {
    self.curve = curve
    late = curve[(curve.count / 2)...]
  }

  /// What is allocated and not freed, in bytes for each thing done: the median of the slopes between
  /// any two censuses of the second half, which no single burst bends.
  var bytesEach: Double {
    var slopes: [Double] = []
    for (index, first) in zip(late.indices, late) {
      for second in late[(index + 1)...] where second.count > first.count {
        let bytes = (second.census.allocatedMiB - first.census.allocatedMiB) * 1_048_576
        slopes.append(bytes / Double(second.count - first.count))
      }
    }
    guard !slopes.isEmpty else { return 0 }
    return slopes.sorted()[slopes.count / 2]
  }

  var description: String {
    String(format: "%.0f bytes more are allocated for each, by the second half", bytesEach)
  }

  /// What has grown.
  ///
  /// - Parameter limit: How many bytes may be more allocated for each thing done.
  /// - Returns: What has grown more than may be.
  func problems(limit: Double) -> [String] {
    var problems: [String] = []
    if late.allSatisfy({ $0.census.allocatedMiB == 0 }) {
      problems.append("nothing tells how much is allocated")
    }
    if bytesEach > limit { problems.append(description + ", \(limit) may be") }
    // Of a burst, an allocator keeps more than is used: a tenth, and what 64 requests may need.
    problems += grown(\.residentMiB, by: { $0 * 1.1 + 4 }, "resident memory")
    problems += grown({ Double($0.threads) }, by: { $0 }, "threads")
    // Idle connections are kept, up to 64 for each of the two servers.
    problems += grown({ Double($0.descriptors) }, by: { $0 + 16 }, "descriptors")
    problems += grown({ Double($0.files) }, by: { $0 + 2 }, "files")
    return problems
  }

  /// What there was least of in the last quarter, beside what there was most of in the quarter before.
  private func grown(
    _ value: (Census) -> Double,
    by allowed: (Double) -> Double,
    _ name: String
  ) -> [String] {
    let middle = late.startIndex + late.count / 2
    let (early, last) = (
      late[..<middle].map { value($0.census) }, late[middle...].map { value($0.census) }
    )
    guard let most = early.max(), let least = last.min(), least > allowed(most) else { return [] }
    return ["\(name) grew: from \(most) at most to \(least) at least"]
  }
}
#endif
