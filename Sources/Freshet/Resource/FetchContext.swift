/// What stays the same through all steps of one fetch.
///
/// It is shared, so that a step is a few references however large its request is.
final class FetchContext: Sendable {
  let request: Request
  let key: CacheKey

  init(request: Request, key: CacheKey) {
    self.request = request
    self.key = key
  }
}

/// What a transfer took, shared for the same reason.
final class TransferRecord: Sendable {
  let metrics: TransferMetrics

  init(_ metrics: TransferMetrics) {
    self.metrics = metrics
  }
}
