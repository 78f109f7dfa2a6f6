/// How a batch ended.
public struct BatchResult: Sendable {
  /// One item that failed.
  public struct Failure: Sendable {
    /// Which one.
    public let item: BatchItem
    /// Why.
    public let error: FreshetError
  }

  /// The last sums.
  public let progress: BatchProgress
  /// What failed, in the order in which it did.
  public let failures: [Failure]
  /// What failed, as a batch that can be run again.
  public let failed: Batch

  /// How many items have a final value.
  public var completedItems: Int { progress.endedItems - progress.failedItems }
}
