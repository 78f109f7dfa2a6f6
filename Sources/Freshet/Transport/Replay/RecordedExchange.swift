package import FreshetEssentials

/// The recorded data of one exchange.
package struct RecordedExchange {
  package let request: Request
  package let began: Date
  package var head: ResponseHead?
  /// The body; empty if it was not kept.
  package var body = Data()
  /// The length of the whole body in bytes.
  package var bodySize: Int64 = 0
  package var metrics = TransferMetrics()
  package var error: FreshetError?
  /// A remark for readers of the archive.
  package var comment: String?

  package init(_ request: Request, began: Date) {
    self.request = request
    self.began = began
  }
}
