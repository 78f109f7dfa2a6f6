import FreshetEssentials

/// A connection for lookups.
final class DiskReader {
  let generation: Int
  private let connection: SQLiteConnection
  private let select: SQLiteStatement
  private let total: SQLiteStatement
  private let selectOne: SQLiteStatement
  private let selectPage: SQLiteStatement
  private let selectInvalidation: SQLiteStatement

  init(_ path: String, generation: Int, isImmutable: Bool = false) throws(SQLiteError) {
    self.generation = generation
    connection =
      isImmutable
      ? try SQLiteConnection(immutable: path)
      : try SQLiteConnection(path, isCreating: false, patience: 100)
    try connection.run("PRAGMA query_only = ON; PRAGMA cell_size_check = ON")
    let columns = "id, stored, varying, head, digest, length, file, fingerprint, cost"
    select = try connection.prepare("SELECT \(columns), bytes FROM response WHERE key = ?")
    selectOne = try connection.prepare("SELECT \(columns), bytes, key FROM response WHERE id = ?")
    selectPage = try connection.prepare(
      """
      SELECT \(columns), NULL, key, (SELECT used FROM usage WHERE response = id)
      FROM response WHERE id > ? ORDER BY id LIMIT 64
      """
    )
    total = try connection.prepare("SELECT count, bytes FROM total")
    selectInvalidation = try connection.prepare(DiskSchema.selectInvalidation)
  }

  /// A Boolean value that indicates whether the name now belongs to another database, or to none.
  var hasMoved: Bool { connection.hasMoved }

  func statistics() throws(SQLiteError) -> DiskStore.Statistics {
    defer { total.reset() }
    guard try total.step() else { return DiskStore.Statistics(count: 0, bytes: 0) }
    return DiskStore.Statistics(count: Int(total.integer(0)), bytes: total.integer(1))
  }

  func invalidationTime(of key: CacheKey) throws(SQLiteError) -> Date? {
    defer { selectInvalidation.reset() }
    try selectInvalidation.bind(DiskSchema.parameters(key))
    guard try selectInvalidation.step(), !selectInvalidation.isNull(0) else { return nil }
    return Date(timeIntervalSinceReferenceDate: selectInvalidation.real(0))
  }

  /// Returns the best variant that matches, if any; `url` is the URL that it is likely to have.
  func find(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    like url: URL?
  ) throws(SQLiteError) -> DiskLookup? {
    defer { select.reset() }
    try select.bind([.text(key.text)])
    var choice = VariantChoice<DiskHit>()
    while try select.step() {
      guard let varying = select.withBlob(2, { DiskRecord.decodeVarying($0) }) else {
        return damaged()
      }
      let fit = varying.fit(headers, in: languages(key))
      guard fit != .none else { continue }
      guard let hit = hit(key, varying.unsalted(for: headers), in: select, like: url) else {
        return damaged()
      }
      choice.offer(hit.response, at: hit, stored: hit.stored, fit)
    }
    return choice.answer.map { .hit($0.best.place, beside: $0.beside?.place) }
  }

  /// Returns the record with this number, unless it is damaged.
  func hit(_ id: Int64) throws(SQLiteError) -> DiskHit? {
    defer { selectOne.reset() }
    try selectOne.bind([.integer(id)])
    guard try selectOne.step(), let key = selectOne.textIfText(10),
      let varying = selectOne.withBlob(2, { DiskRecord.decodeVarying($0) })
    else { return nil }
    return hit(CacheKey(text: key), varying, in: selectOne)
  }

  /// Returns the next records after this number, without their bodies.
  func page(after id: Int64) throws(SQLiteError) -> [DiskListing] {
    try selectPage.rows([.integer(id)]) { _ in listing() }
  }

  private func listing() -> DiskListing {
    let key = CacheKey(text: selectPage.textIfText(10) ?? "")
    let varying = selectPage.withBlob(2) { DiskRecord.decodeVarying($0) }
    guard let varying, let hit = hit(key, varying, in: selectPage, withBody: false) else {
      return .damaged(id: selectPage.integer(0), fingerprint: selectPage.integer(7), key: key)
    }
    return .entry(
      DiskStore.Entry(
        id: hit.id,
        fingerprint: hit.fingerprint,
        key: key,
        url: hit.response.head.url,
        status: hit.response.head.status,
        length: hit.length,
        digest: hit.digest,
        stored: hit.stored,
        used: selectPage.isNull(11) ? hit.stored : DiskTouches.time(selectPage.integer(11)),
        varying: varying,
        tags: hit.response.tags
      )
    )
  }

  /// Returns the languages of the current row.
  private func languages(_ key: CacheKey) -> [String] {
    select.withBlob(3) { DiskRecord.decode($0, key) }?.head.languages ?? []
  }

  private func damaged() -> DiskLookup {
    .damaged(id: select.integer(0), fingerprint: select.integer(7))
  }

  private func hit(
    _ key: CacheKey,
    _ varying: VaryingFields,
    in select: SQLiteStatement,
    like url: URL? = nil,
    withBody: Bool = true
  ) -> DiskHit? {
    let file = select.textIfText(6)
    let fingerprint = select.integer(7)
    let length = select.integer(5)
    let inline = withBody ? select.blob(9) : Data()
    guard
      fingerprint == Self.fingerprint(key, in: select, length: length, file: file ?? ""),
      let digest = select.blob(4).flatMap(SHA256Checksum.init(bytes:)),
      let response = select.withBlob(
        3,
        { DiskRecord.decode($0, key, varying: varying, digest: digest, like: url) }
      ),
      let body = file.map(DiskRecord.Body.file) ?? inline.map(DiskRecord.Body.inline)
    else { return nil }
    return DiskHit(
      id: select.integer(0),
      fingerprint: fingerprint,
      stored: Date(timeIntervalSinceReferenceDate: select.real(1)),
      response: response,
      digest: digest,
      length: length,
      body: body
    )
  }

  private static func fingerprint(
    _ key: CacheKey,
    in select: SQLiteStatement,
    length: Int64,
    file: String
  ) -> Int64 {
    DiskRecord.fingerprint(
      key,
      length: length,
      file: file,
      stored: select.real(1),
      cost: select.integer(8)
    ) { fingerprint in
      for column: Int32 in 2...4 { select.withBlob(column) { fingerprint.add($0) } }
    }
  }
}
