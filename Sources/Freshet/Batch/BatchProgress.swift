/// How far a batch has come, in bytes and in items.
public struct BatchProgress: Sendable, Hashable {
  /// The bytes so far, those of failed items included; it never falls.
  ///
  /// What an earlier run had left of a body counts as soon as it is taken up.
  public var completedBytes: Int64 = 0
  /// The bytes in all, or `nil` while the size of an item is not known.
  ///
  /// It is never less than the bytes so far, and is corrected as real lengths become known.
  public var totalBytes: Int64?
  /// The items that have ended in a value or a failure.
  public var endedItems = 0
  /// Those of them that have failed.
  public var failedItems = 0
  /// All items; of a sequence that has not ended, those that have come so far.
  public var totalItems = 0
  /// Whether ``totalItems`` are all.
  public var knowsAllItems = false
  /// The share that is done, 0 to 1, or `nil` while it is not known; it never falls.
  public var fraction: Double?
  /// The bytes per second over the last five seconds; what was there before is not counted.
  public var bytesPerSecond = 0.0
  /// The items per second over the last five seconds.
  public var itemsPerSecond = 0.0
  /// The time that what is still to come takes at these rates, or `nil` if that cannot be told.
  ///
  /// Items of unknown size count as large as the average of the others.
  public var timeLeft: Duration?

  /// Makes the progress of a batch of nothing.
  public init() {}

  /// The bytes, as other pipelines tell them.
  public var transfer: TransferProgress {
    TransferProgress(completed: completedBytes, total: totalBytes)
  }
}
