import FreshetEssentials

/// A row that may answer a request; its body has not been checked yet.
struct DiskHit: Sendable {
  let id: Int64
  let fingerprint: Int64
  /// The time when it was stored or validated last.
  let stored: Date
  /// The response, without its body.
  let response: StoredResponse
  let digest: SHA256Checksum
  let length: Int64
  let body: DiskRecord.Body
}

/// The row that a reader has found for a key.
enum DiskLookup: Sendable {
  /// A row, and the row of the copy beside it if it is an error.
  case hit(DiskHit, beside: DiskHit?)
  /// A row that differs from what was written.
  case damaged(id: Int64, fingerprint: Int64)
}
