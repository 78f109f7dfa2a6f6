/// The result of a batch.
public struct BatchResult: Sendable {
  /// One item that failed.
  public struct Failure: Sendable {
    /// The item.
    public let item: BatchItem
    /// The error.
    public let error: FreshetError
  }

  /// The final progress.
  public let progress: BatchProgress
  /// The failures, in the order in which they happened.
  public let failures: [Failure]
  /// The failed items, as a batch that can be run again.
  public let failed: Batch

  /// The number of items with a final value.
  public var completedItems: Int { progress.endedItems - progress.failedItems }
}
