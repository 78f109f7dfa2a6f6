import FreshetEssentials

/// A row that may answer a request; its body has not been checked yet.
final class DiskHit: Sendable {
  let id: Int64
  let fingerprint: Int64
  let stored: Double
  let varying: VaryingFields
  let head: DiskRecord.Head
  let digest: SHA256Checksum
  let length: Int64
  let body: DiskRecord.Body

  init(
    id: Int64,
    fingerprint: Int64,
    stored: Double,
    varying: VaryingFields,
    head: DiskRecord.Head,
    digest: SHA256Checksum,
    length: Int64,
    body: DiskRecord.Body
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.stored = stored
    self.varying = varying
    self.head = head
    self.digest = digest
    self.length = length
    self.body = body
  }
}

extension DiskHit: VariantCandidate {
  var isRefusal: Bool { !head.head.status.isSuccess }

  var variantRank: VariantRank {
    VariantRank(hasVary: !varying.fields.isEmpty, date: date, received: stored)
  }

  func isNewer(than other: DiskHit) -> Bool {
    date > other.date && head.responseTime > other.head.responseTime
  }

  private var date: Double {
    let date = head.head.headers[.date].flatMap { HTTPDate.parse($0, now: head.responseTime) }
    return (date ?? head.responseTime).timeIntervalSinceReferenceDate
  }
}

/// The row that a reader has found for a key.
enum DiskLookup: Sendable {
  /// A row, and the row of the copy beside it if it is an error.
  case hit(DiskHit, beside: DiskHit?)
  /// A row that differs from what was written.
  case damaged(id: Int64, fingerprint: Int64)
}
