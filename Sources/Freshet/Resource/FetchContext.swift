/// What stays the same through all steps of one fetch.
///
/// It is shared, so that a step is a few references however large its request is.
final class FetchContext: Sendable {
  let request: Request
  let key: CacheKey
  let partition: String

  init(request: Request, partition: String) {
    self.request = request
    self.partition = partition
    key = CacheKey(request, partition: partition)
  }

  /// Under what a response is kept: what `POST` got answers a later `GET`.
  var storageKey: CacheKey {
    request.method == .post ? StoragePolicy.key(for: request, partition: partition) : key
  }
}

/// What a transfer took, shared for the same reason.
final class TransferRecord: Sendable {
  let metrics: TransferMetrics

  init(_ metrics: TransferMetrics) {
    self.metrics = metrics
  }
}
