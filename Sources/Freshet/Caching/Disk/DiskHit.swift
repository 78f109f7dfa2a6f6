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

extension DiskHit {
  /// The order of ``VariantChoice``.
  func isBetter(than other: DiskHit) -> Bool {
    (other.varying.fields.isEmpty ? 0 : 1, other.date, other.stored)
      < (varying.fields.isEmpty ? 0 : 1, date, stored)
  }

  private var date: Double {
    let date = head.head.headers[.date].flatMap { HTTPDate.parse($0, now: head.responseTime) }
    return (date ?? head.responseTime).timeIntervalSinceReferenceDate
  }
}

/// What a reader found.
enum DiskLookup: Sendable {
  case none
  case hit(DiskHit)
  /// A row that is not as it was written.
  case damaged(id: Int64, fingerprint: Int64)
}
