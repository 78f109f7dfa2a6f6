import Foundation

/// A connection that looks up.
final class DiskReader {
  let generation: Int
  private let select: SQLiteStatement
  private let total: SQLiteStatement

  init(_ path: String, generation: Int) throws(SQLiteError) {
    self.generation = generation
    let connection = try SQLiteConnection(path, isCreating: false, patience: 100)
    try connection.run("PRAGMA query_only = ON; PRAGMA cell_size_check = ON")
    select = try connection.prepare(
      """
      SELECT id, stored, varying, head, digest, length, file, fingerprint, bytes
      FROM response WHERE key = ?
      """
    )
    total = try connection.prepare("SELECT count, bytes FROM total")
  }

  func statistics() throws(SQLiteError) -> DiskStore.Statistics {
    defer { total.reset() }
    guard try total.step() else { return DiskStore.Statistics(count: 0, bytes: 0) }
    return DiskStore.Statistics(count: Int(total.integer(0)), bytes: total.integer(1))
  }

  /// The newest variant that matches.
  func find(_ key: CacheKey, for headers: HTTPHeaders) throws(SQLiteError) -> DiskLookup {
    defer { select.reset() }
    try select.bind([.text(key.text)])
    var best: DiskHit?
    while try select.step() {
      if let best, select.real(1) <= best.stored { continue }
      guard let varying = select.withBlob(2, { DiskRecord.decodeVarying($0) }) else {
        return damaged()
      }
      guard varying.fields.isEmpty || varying.match(headers) else { continue }
      guard let hit = hit(key, varying) else { return damaged() }
      best = hit
    }
    return best.map { .hit($0) } ?? .none
  }

  private func damaged() -> DiskLookup {
    .damaged(id: select.integer(0), fingerprint: select.integer(7))
  }

  private func hit(_ key: CacheKey, _ varying: VaryingFields) -> DiskHit? {
    let file = select.text(6)
    let fingerprint = select.integer(7)
    let length = select.integer(5)
    guard fingerprint == self.fingerprint(key, length: length, file: file ?? ""),
      let head = select.withBlob(3, { DiskRecord.Head($0) }),
      let digest = select.blob(4).flatMap(SHA256Digest.init(bytes:)),
      let body = file.map(DiskRecord.Body.file) ?? select.blob(8).map(DiskRecord.Body.inline)
    else { return nil }
    return DiskHit(
      id: select.integer(0),
      fingerprint: fingerprint,
      stored: select.real(1),
      varying: varying,
      head: head,
      digest: digest,
      length: length,
      body: body
    )
  }

  private func fingerprint(_ key: CacheKey, length: Int64, file: String) -> Int64 {
    select.withBlob(2) { varying in
      select.withBlob(3) { head in
        select.withBlob(4) { digest in
          DiskRecord.fingerprint(
            key,
            varying: varying,
            head: head,
            digest: digest,
            length: length,
            file: file
          )
        }
      }
    }
  }
}
