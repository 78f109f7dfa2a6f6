import Foundation

/// A row that may answer a request, its body not looked at yet.
struct DiskHit: Sendable {
  let id: Int64
  let fingerprint: Int64
  let stored: Double
  let varying: VaryingFields
  let head: DiskRecord.Head
  let digest: SHA256Digest
  let length: Int64
  let body: DiskRecord.Body
}

/// What a reader found.
enum DiskLookup: Sendable {
  case none
  case hit(DiskHit)
  /// A row that is not as it was written.
  case damaged(id: Int64, fingerprint: Int64)
}
