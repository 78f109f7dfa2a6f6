/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes so far, after decoding.
  public var completed: Int64
  /// The bytes in all, or `nil` while that is not known (chunked or compressed bodies).
  public var total: Int64?
  /// What has arrived, if the fetch's policy asks for it; it tells no two values apart.
  package var body: ArrivingBody?

  /// Makes a progress.
  public init(completed: Int64, total: Int64? = nil) {
    self.completed = completed
    self.total = total
  }

  /// The share that is done, 0 to 1, or `nil` while the total is not known.
  public var fraction: Double? {
    guard let total, total > 0 else { return total.map { _ in 1 } }
    return min(1, Double(completed) / Double(total))
  }
}

extension TransferProgress {
  /// Whether both have come as far, of as much.
  public static func == (left: Self, right: Self) -> Bool {
    left.completed == right.completed && left.total == right.total
  }

  /// Adds how far it has come, and of how much.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(completed)
    hasher.combine(total)
  }
}
