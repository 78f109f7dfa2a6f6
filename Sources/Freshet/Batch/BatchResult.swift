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
  /// The failures in order of time, including those that a stale copy replaced.
  public let failures: [Failure]
  /// The failed items, as a batch that can be run again.
  public let failed: Batch

  /// The number of items that have not failed.
  public var completedItems: Int { progress.endedItems - progress.failedItems }
}
