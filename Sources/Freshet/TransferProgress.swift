/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes so far, after decoding.
  public var completed: Int64
  /// The bytes in all, or `nil` while that is not known (chunked or compressed bodies).
  public var total: Int64?
  /// How many of the bytes so far were there before, 0 by default.
  ///
  /// An earlier fetch had left them, or they came for others before this one joined those. What a
  /// transfer's speed is computed from is ``completed`` without these. It tells no two values apart.
  public var inherited: Int64
  /// What has arrived, if the fetch's policy asks for it; it tells no two values apart.
  package var body: ArrivingBody?

  /// Makes a progress.
  public init(completed: Int64, total: Int64? = nil, inherited: Int64 = 0) {
    self.completed = completed
    self.total = total
    self.inherited = inherited
  }

  /// The share that is done, 0 to 1, or `nil` while the total is not known.
  public var fraction: Double? {
    guard let total, total > 0 else { return total.map { _ in 1 } }
    return min(1, Double(completed) / Double(total))
  }
}

extension TransferProgress {
  /// The same, where at least so many bytes had arrived before.
  func inheriting(_ count: Int64) -> TransferProgress {
    guard count > inherited else { return self }
    var progress = self
    progress.inherited = min(count, completed)
    return progress
  }

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
