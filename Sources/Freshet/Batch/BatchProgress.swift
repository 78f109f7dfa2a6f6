/// The progress of a batch, in bytes and in items.
public struct BatchProgress: Sendable, Hashable {
  /// The bytes so far, including those of failed items; it never decreases.
  ///
  /// The bytes of a partial body from an earlier run count as soon as it is resumed.
  public var completedBytes: Int64 = 0
  /// The total number of bytes, or `nil` while the size of an item is unknown.
  ///
  /// It is never less than the bytes so far, and is corrected when actual lengths become known.
  public var totalBytes: Int64?
  /// The number of items that have ended with a value or a failure.
  public var endedItems = 0
  /// The number of items that have failed.
  public var failedItems = 0
  /// The number of all items; for a sequence that has not ended, of those so far.
  public var totalItems = 0
  /// A Boolean value that indicates whether ``totalItems`` includes all items.
  public var knowsAllItems = false
  /// The completed fraction, 0 to 1, or `nil` until ``knowsAllItems``; it never decreases.
  ///
  /// It is that of the bytes. While ``totalBytes`` is `nil`, for which one item of unknown size is enough, it is
  /// that of the items: ``endedItems`` of ``totalItems``. It is 1 only when all items have ended.
  public var fraction: Double?
  /// The bytes per second over the last five seconds, without bytes that were available before.
  public var bytesPerSecond = 0.0
  /// The items per second over the last five seconds.
  public var itemsPerSecond = 0.0
  /// The estimated time of the remaining work at these rates, or `nil` if it cannot be estimated.
  ///
  /// Items of unknown size are estimated by the average of the others.
  public var timeLeft: Duration?

  /// Makes the progress of an empty batch.
  public init() {}

  /// The bytes, as the progress of a transfer.
  public var transfer: TransferProgress {
    TransferProgress(completed: completedBytes, total: totalBytes)
  }
}
