/// An event of a running batch.
///
/// For each item, in this order: `started`; `progressed` and `received` any number of times, of which
/// the last `received` has the final resource; or `failed`. A stale copy that replaces a failure is
/// `received` as the final resource, and its item is `failed` behind it. For the whole: `advanced` in
/// between, and `finished` once, at the end.
public enum BatchEvent: Sendable {
  /// The item is being looked up, and fetched if necessary.
  case started(BatchItem)
  /// Progress of the item; conflated to the newest.
  case progressed(BatchItem, TransferProgress)
  /// The item has a value, final or not.
  case received(BatchItem, Resource)
  /// The item has failed: it has no final value, or only a stale copy that replaces the failure.
  indirect case failed(BatchItem, FreshetError)
  /// Progress of the whole batch; conflated to the newest.
  indirect case advanced(BatchProgress)
  /// All items have ended.
  indirect case finished(BatchResult)
}

extension BatchEvent: PipelineEvent {
  /// The result, once all items have ended.
  public var value: BatchResult? {
    if case .finished(let result) = self { result } else { nil }
  }

  /// The progress of the whole batch in bytes.
  public var progress: TransferProgress? {
    if case .advanced(let progress) = self { progress.transfer } else { nil }
  }
}
