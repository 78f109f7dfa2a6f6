import FreshetEssentials

/// The statements that change the database, and what they have changed since the last commit.
///
/// It belongs to the writer, and is used by one thread at a time.
final class DiskTransaction {
  /// The number of the database among those that the store has opened.
  let generation: Int
  /// The salt of the digests that replace the values of secret fields.
  let salt: String
  private let connection: SQLiteConnection
  private let tuning: DiskStore.Tuning
  private let beginning: SQLiteStatement
  private let committing: SQLiteStatement
  private let insertResponse: SQLiteStatement
  private let replaceResponse: SQLiteStatement
  private let insertUsage: SQLiteStatement
  private let insertTag: SQLiteStatement
  private let selectVariants: SQLiteStatement
  private let selectSurplus: SQLiteStatement
  private let updateHead: SQLiteStatement
  private let updateUsage: SQLiteStatement
  private let deletions: [SQLiteStatement]
  private let selectMarks: SQLiteStatement
  private let selectRemovals: SQLiteStatement
  private let updateTotal: SQLiteStatement
  private let selectTotal: SQLiteStatement

  /// The number of the transaction.
  private(set) var number = 0
  private var countChange: Int64 = 0
  private var bytesChange: Int64 = 0
  /// The bodies that no record refers to after the commit.
  private(set) var obsoleteFiles: [String] = []
  /// The bodies of the records that were replaced, and their approximate lengths.
  private(set) var replacedFiles: [(name: String, length: Int64)] = []
  /// The records that were stored or validated, whose uses are written later.
  private(set) var usedRecords: [Int64] = []
  /// A Boolean value that indicates whether a caller removes something.
  private(set) var hasRemoved = false
  /// A Boolean value that indicates whether pages may have become free, so that the file may be shrunk.
  private(set) var hasDeleted = false

  init(
    _ connection: SQLiteConnection,
    tuning: DiskStore.Tuning,
    generation: Int
  ) throws(SQLiteError) {
    self.generation = generation
    self.connection = connection
    self.tuning = tuning
    salt = try DiskSchema.salt(of: connection)
    beginning = try connection.prepare("BEGIN IMMEDIATE")
    committing = try connection.prepare("COMMIT")
    insertResponse = try connection.prepare(
      "INSERT INTO response VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    // The key stays, and with it the pages of its index; a body of the same length stays in its pages.
    replaceResponse = try connection.prepare(
      """
      UPDATE response SET head = ?, digest = ?, length = ?, file = ?, stored = ?, cost = ?,
        fingerprint = ?, bytes = ? WHERE id = ?
      """
    )
    insertUsage = try connection.prepare(
      "INSERT INTO usage SELECT id, ? FROM response WHERE id = ?"
    )
    insertTag = try connection.prepare("INSERT OR IGNORE INTO tag VALUES (?, ?)")
    selectVariants = try connection.prepare(
      "SELECT id, cost, file, varying, head, digest, stored FROM response WHERE key = ?"
    )
    selectSurplus = try connection.prepare(
      """
      SELECT id, cost, file FROM response WHERE key = ? AND id <> ?
      ORDER BY stored DESC LIMIT -1 OFFSET ?
      """
    )
    updateHead = try connection.prepare(
      "UPDATE response SET head = ?, stored = ?, cost = ?, fingerprint = ? WHERE id = ?"
    )
    updateUsage = try connection.prepare("UPDATE usage SET used = ? WHERE response = ?")
    deletions = [
      try connection.prepare("DELETE FROM response WHERE id = ?"),
      try connection.prepare("DELETE FROM usage WHERE response = ?"),
      try connection.prepare("DELETE FROM tag WHERE response = ?"),
    ]
    selectMarks = try connection.prepare(DiskSchema.selectMarks)
    selectRemovals = try connection.prepare(DiskSchema.selectRemovals)
    updateTotal = try connection.prepare("UPDATE total SET count = count + ?, bytes = bytes + ?")
    selectTotal = try connection.prepare("SELECT bytes, byte_limit, partial_limit FROM total")
  }
}

// MARK: - Beginning and ending

extension DiskTransaction {
  func begin() throws(SQLiteError) {
    number += 1
    countChange = 0
    bytesChange = 0
    obsoleteFiles = []
    replacedFiles = []
    usedRecords = []
    hasRemoved = false
    hasDeleted = false
    try beginning.run()
  }

  /// Resets the changes of the totals, after the totals were counted.
  func forgetChanges() {
    countChange = 0
    bytesChange = 0
  }

  /// A Boolean value that indicates whether more is stored than before.
  var hasGrown: Bool { bytesChange > 0 }

  /// Commits, and returns the size of everything stored and the directory's limits.
  func commit() throws(SQLiteError) -> (bytes: Int64, limits: DiskLimits) {
    if countChange != 0 || bytesChange != 0 {
      try updateTotal.run(.integer(countChange), .integer(bytesChange))
    }
    let totals = try totals()
    try committing.run()
    return totals
  }

  /// Returns the limits of the directory.
  func storedLimits() throws(SQLiteError) -> DiskLimits { try totals().limits }

  /// Returns the size of everything stored before this transaction, and the directory's limits.
  private func totals() throws(SQLiteError) -> (bytes: Int64, limits: DiskLimits) {
    defer { selectTotal.reset() }
    guard try selectTotal.step() else { return (0, .initial) }
    let limits = DiskLimits(bytes: selectTotal.integer(1), partialBytes: selectTotal.integer(2))
    return (selectTotal.integer(0), limits)
  }

  /// Sets the limits of the directory.
  func setLimits(_ limits: DiskLimits) throws(SQLiteError) {
    try run(
      "UPDATE total SET byte_limit = ?, partial_limit = ?",
      .integer(limits.bytes),
      .integer(limits.partialBytes)
    )
  }

  func rollBack() {
    // SQLite has rolled back by itself after some failures.
    if connection.isInTransaction { try? connection.run("ROLLBACK") }
  }
}

// MARK: - Changes

extension DiskTransaction {
  /// Stores a record in place of the one with the same key and the same varying fields.
  ///
  /// - Returns: The reason why it was not stored; `nil` if it was.
  func insert(_ record: DiskRecord) throws(SQLiteError) -> StoreFailure.Reason? {
    let record = record.salted(salt)
    let (old, neighbours) = try variants(of: record)
    if let late = try lateness(of: record, behind: old?.response) { return late }
    if record.response.isRefusal,
      neighbours.contains(where: { $0.response.outranks(record.response) })
    {
      return .older
    }
    let id: Int64
    if let old {
      try replace(old, with: record)
      id = old.row.id
    } else {
      id = try add(record)
    }
    for (row, error) in neighbours where error.isEnded(by: record.response) { try delete(row) }
    if !record.varying.isEmpty { try deleteSurplus(record.key, besides: id) }
    return nil
  }

  /// - Returns: The number of the new record.
  private func add(_ record: DiskRecord) throws(SQLiteError) -> Int64 {
    try insertResponse.run([.text(record.key.text), .blob(record.varying)] + record.columns)
    let id = connection.lastInsertedID
    usedRecords.append(id)
    for tag in record.tags { try insertTag.run(.text(tag), .integer(id)) }
    countChange += 1
    // What was deleted before may have had a damaged cost.
    bytesChange &+= record.cost
    return id
  }

  private func replace(_ old: Variant, with record: DiskRecord) throws(SQLiteError) {
    try replaceResponse.run(record.columns + [.integer(old.row.id)])
    try updateRelated(old, to: record)
    // A change that is run again finds its own record there.
    if let name = old.row.file, name != record.body.name {
      replacedFiles.append((name, old.row.cost))
    }
  }

  /// Updates the tags and the total size of a record whose row was changed, and notes its use.
  private func updateRelated(_ old: Variant, to record: DiskRecord) throws(SQLiteError) {
    let id = old.row.id
    usedRecords.append(id)
    if old.response?.tags.hasSameTags(as: record.tags) != true {
      try deletions[2].run(.integer(id))
      for tag in record.tags { try insertTag.run(.text(tag), .integer(id)) }
    }
    // Costs are read from a file: a damaged one must not trap.
    bytesChange = bytesChange &+ record.cost &- old.row.cost
    // A body in the database that is shorter now, or in a file, has left free pages.
    if old.row.file == nil, old.row.cost &- record.cost >= 4_096 || !record.body.name.isEmpty {
      hasDeleted = true
    }
  }

  /// Replaces the head of a record if it still has the same body.
  ///
  /// - Returns: The reason why it was not replaced; `nil` if it was.
  func refresh(_ record: DiskRecord) throws(SQLiteError) -> StoreFailure.Reason? {
    var record = record.salted(salt)
    let (stored, neighbours) = try variants(of: record)
    if let late = try lateness(of: record, behind: stored?.response) { return late }
    guard let old = stored else { return .bodyRemoved }
    guard old.digest == record.digest else { return .bodyReplaced }
    // The body stays in place: the fingerprint includes its place.
    record = record.moved(to: old.row.file, notBefore: old.stored)
    try updateHead.run(
      .blob(record.head),
      .real(record.stored),
      .integer(record.cost),
      .integer(record.fingerprint),
      .integer(old.row.id)
    )
    try updateRelated(old, to: record)
    for (row, error) in neighbours where error.isEnded(by: record.response) { try delete(row) }
    return nil
  }

  /// Writes the use of a record, unless that has been deleted.
  func touch(_ id: Int64, _ stamp: Int64) throws(SQLiteError) {
    try updateUsage.run(.integer(stamp), .integer(id))
    if connection.changedRows == 0 { try insertUsage.run(.integer(stamp), .integer(id)) }
  }

  func run(_ sql: String, _ parameters: SQLiteValue...) throws(SQLiteError) {
    try run(sql, parameters)
  }

  func run(_ sql: String, _ parameters: [SQLiteValue]) throws(SQLiteError) {
    try connection.prepare(sql).run(parameters)
  }

  func prepared(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    try connection.prepare(sql)
  }

  /// Deletes the records that a query finds, which selects `id, cost, file`.
  ///
  /// - Returns: The number of deleted records.
  @discardableResult
  func deleteAll(_ sql: String, _ parameters: [SQLiteValue]) throws(SQLiteError) -> Int {
    let rows = try rows(sql, parameters)
    try deleteAll(rows)
    return rows.count
  }

  /// Deletes the first records of an order.
  ///
  /// - Parameters:
  ///   - sql: A query that selects `id, cost, file` and the value by which it is ordered.
  ///   - parameters: Its parameters.
  ///   - limit: The largest number of records.
  /// - Returns: The number of deleted records, and the value of the last one.
  /// - Throws: The error of SQLite.
  func deleteFirst(
    _ sql: String,
    _ parameters: [SQLiteValue],
    limit: Int
  ) throws(SQLiteError) -> (count: Int, last: SQLiteValue?) {
    let found = try connection.prepare("\(sql) LIMIT \(limit)")
      .rows(parameters) { statement in
        let value = statement.textIfText(3).map(SQLiteValue.text) ?? .integer(statement.integer(3))
        return (row: Row(statement), value: value)
      }
    try deleteAll(found.map(\.row))
    return (found.count, found.last?.value)
  }

  private func deleteAll(_ rows: [Row]) throws(SQLiteError) {
    hasRemoved = true
    // Before the records, whose removal may fail for lack of space.
    obsoleteFiles += rows.compactMap(\.file)
    for row in rows { try deleteRecord(of: row) }
  }

  /// Returns the size of everything stored, including the changes of this transaction.
  func storedBytes() throws(SQLiteError) -> Int64 { try totals().bytes &+ bytesChange }
}

// MARK: - Rows

extension DiskTransaction {
  /// The columns that are needed to delete a record.
  struct Row {
    let id: Int64
    let cost: Int64
    let file: String?

    init(_ statement: SQLiteStatement) {
      id = statement.integer(0)
      cost = statement.integer(1)
      file = statement.textIfText(2)
    }
  }

  /// Returns the records that a query finds, which selects `id, cost, file`.
  func rows(_ sql: String, _ parameters: [SQLiteValue] = []) throws(SQLiteError) -> [Row] {
    try connection.prepare(sql).rows(parameters) { Row($0) }
  }

  /// A record with the same key and the same varying fields as another.
  private struct Variant {
    let row: Row
    let digest: Data?
    let stored: Double
    /// The response without its body; `nil` if its record is damaged.
    let response: StoredResponse?
  }

  /// An error beside a copy, or a copy beside an error.
  private typealias Neighbour = (row: Row, response: StoredResponse)

  /// Returns the record with the same varying fields, and the errors for the same requests as a
  /// copy, or the copies for those of an error.
  ///
  /// `record` must be salted.
  private func variants(
    of record: DiskRecord
  ) throws(SQLiteError) -> (same: Variant?, neighbours: [Neighbour]) {
    defer { selectVariants.reset() }
    try selectVariants.bind([.text(record.key.text)])
    var same: Variant?
    var neighbours: [Neighbour] = []
    lazy var own = record.varying.withUnsafeBytes { DiskRecord.decodeVarying($0) }
    while try selectVariants.step() {
      let row = Row(selectVariants)
      let url = record.response.head.url
      let stored = selectVariants.withBlob(4) { DiskRecord.decode($0, record.key, like: url) }
      if selectVariants.withBlob(3, { $0.elementsEqual(record.varying) }) {
        same = Variant(
          row: row,
          digest: selectVariants.blob(5),
          stored: selectVariants.real(6),
          response: stored
        )
        continue
      }
      let varying = selectVariants.withBlob(3) { DiskRecord.decodeVarying($0) }
      guard let varying, let stored, let own, varying.agrees(with: own),
        stored.isRefusal != record.response.isRefusal
      else { continue }
      neighbours.append((row, stored))
    }
    return (same, neighbours)
  }

  /// Returns the changes that concern a key.
  func invalidations(of key: CacheKey) throws(SQLiteError) -> [ChangeMark] {
    try selectMarks.rows(DiskSchema.parameters(key)) { ChangeMark($0) }
  }

  /// Returns the removals that may be newer than an instant.
  func removals(
    since instant: EventInstant,
    now: EventInstant
  ) throws(SQLiteError) -> [(mark: String, instant: EventInstant)] {
    // If the monotonic clock was set back, any of them may be newer, see `mayPrecede`.
    let uptime = instant.isAhead(of: now) ? 0 : instant.uptime
    let boot = SQLiteValue.integer(Int64(bitPattern: instant.boot))
    let date = SQLiteValue.real(instant.date.timeIntervalSinceReferenceDate)
    let removals = try selectRemovals.rows([boot, .integer(uptime), boot, boot, date]) { row in
      row.textIfText(0).map { (mark: $0, instant: EventInstant(row, at: 1)) }
    }
    return removals.compactMap { $0 }
  }

  /// Deletes the oldest variants of a key, but never the record that was just written.
  private func deleteSurplus(_ key: CacheKey, besides id: Int64) throws(SQLiteError) {
    let others = Int64(tuning.variantLimit - 1)
    let parameters = [SQLiteValue.text(key.text), .integer(id), .integer(others)]
    for row in try selectSurplus.rows(parameters, Row.init) { try delete(row) }
  }

  func delete(_ row: Row) throws(SQLiteError) {
    try deleteRecord(of: row)
    if let file = row.file { obsoleteFiles.append(file) }
  }

  private func deleteRecord(of row: Row) throws(SQLiteError) {
    for deletion in deletions { try deletion.run(.integer(row.id)) }
    countChange -= 1
    // Costs are read from a file: a damaged one must not trap.
    bytesChange &-= row.cost
    hasDeleted = true
  }
}

extension DiskRecord {
  /// The columns that a replacement changes, from `head` to `bytes`.
  fileprivate var columns: [SQLiteValue] {
    let (file, bytes): (SQLiteValue, SQLiteValue) =
      switch body {
      case .inline(let data): (.null, .blob(data))
      case .file(let name): (.text(name), .null)
      }
    return [
      .blob(head), .blob(digest), .integer(length), file, .real(stored), .integer(cost),
      .integer(fingerprint), bytes,
    ]
  }
}
