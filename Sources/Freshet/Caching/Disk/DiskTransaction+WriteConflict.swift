import FreshetEssentials

/// Late responses: those that were requested before a change at the origin or a removal, and those
/// that are older than the stored ones.
///
/// Changes and removals are rows of tables of their own, so that other processes and later launches
/// see them. Their numbers are the store's order of events: the newest row has the largest number.
/// The row with the number 0 replaces all rows that were deleted, and concerns every response.
extension DiskSchema {
  static func addInvalidations(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(
      """
      CREATE TABLE IF NOT EXISTS invalidation (
        number INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        time REAL NOT NULL,
        boot INTEGER NOT NULL,
        uptime INTEGER NOT NULL,
        date REAL NOT NULL
      );
      CREATE TABLE IF NOT EXISTS removal (
        number INTEGER PRIMARY KEY,
        mark TEXT NOT NULL UNIQUE,
        boot INTEGER NOT NULL,
        uptime INTEGER NOT NULL,
        date REAL NOT NULL
      );
      CREATE INDEX IF NOT EXISTS removal_uptime ON removal (boot, uptime);
      """
    )
  }

  /// The removals of one start of the machine by their order, and those of others by their date.
  static let selectRemovals = """
    SELECT mark, boot, uptime, date FROM removal
    WHERE boot = ? AND uptime >= ? OR (boot < ? OR boot > ?) AND date >= ?
    """

  static let selectInvalidation =
    "SELECT max(time) FROM invalidation WHERE key IN (?, ?, ?, ?, ?, ?)"

  static let selectMarks = """
    SELECT time, boot, uptime, date FROM invalidation
    WHERE key IN (?, ?, ?, ?, ?, ?) OR number = 0
    """

  /// Returns the parameters of ``selectInvalidation``: the key, and up to five that it extends.
  ///
  /// A `Host` field adds one word to the URL, chosen header fields or a body add two, and what is
  /// made from a response adds two more.
  static func parameters(_ key: CacheKey) -> [SQLiteValue] {
    let roots = key.roots
    return (0..<6).map { .text(roots[min($0, roots.count - 1)].text) }
  }
}

extension DiskTransaction {
  /// Deletes the responses of the key and of those that extend it, and records the change.
  func invalidate(_ key: CacheKey, _ mark: ChangeMark) throws(SQLiteError) {
    try delete(coveredBy: key)
    let earlier = try prepared(
      "SELECT time, boot, uptime, date FROM invalidation WHERE key = ? AND number > 0"
    )
    .rows([.text(key.text)]) { ChangeMark($0) }
    let mark = earlier.first.map { mark.replacing($0) } ?? mark
    try run(
      "INSERT OR REPLACE INTO invalidation (key, time, boot, uptime, date) VALUES (?, ?, ?, ?, ?)",
      [.text(key.text), .real(mark.time.timeIntervalSinceReferenceDate)] + mark.heard.columns
    )
    try trim("invalidation", columns: "'', time, boot, uptime, date")
  }

  /// Records a removal, so that responses that were requested before it are not stored.
  func note(_ removal: Removal, at instant: EventInstant) throws(SQLiteError) {
    try run(
      "INSERT OR REPLACE INTO removal (mark, boot, uptime, date) VALUES (?, ?, ?, ?)",
      [.text(removal.mark(salt))] + instant.columns
    )
    // A fetch does not outlast a restart of the machine.
    let date = instant.date.timeIntervalSinceReferenceDate
    try run(
      "DELETE FROM removal WHERE boot <> ? AND (date < ? OR date > ?)",
      .integer(Int64(bitPattern: instant.boot)),
      .real(date - Invalidations.longestTransfer),
      .real(date + Invalidations.longestTransfer)
    )
    try trim("removal", columns: "'', boot, uptime, date")
  }

  /// Deletes the oldest rows, and leaves one in their place.
  private func trim(_ table: String, columns: String) throws(SQLiteError) {
    let surplus =
      "SELECT number FROM \(table) ORDER BY number DESC LIMIT 1 OFFSET \(Invalidations.limit)"
    try run(
      """
      INSERT OR REPLACE INTO \(table)
      SELECT 0, \(columns) FROM \(table) WHERE number > 0 AND number = (\(surplus))
      """
    )
    try run("DELETE FROM \(table) WHERE number > 0 AND number <= (\(surplus))")
  }

  /// Returns a Boolean value that indicates whether a removal that concerns the response happened
  /// after it was requested.
  private func isRemoved(_ response: StoredResponse, now: EventInstant) throws(SQLiteError) -> Bool
  {
    guard let asked = response.askedAt else { return false }
    let removals = try removals(since: asked, now: now)
    guard !removals.isEmpty else { return false }
    let marks = Set(Removal.all(of: response).map { $0.mark(salt) } + [""])
    let late = removals.filter { marks.contains($0.mark) && asked.mayPrecede($0.instant, now: now) }
    if late.contains(where: { $0.instant.isAhead(of: now) }) { try repair("removal", now: now) }
    return !late.isEmpty
  }

  /// Returns a Boolean value that indicates whether the resource may have been changed after the
  /// response was requested.
  private func isInvalidated(
    _ response: StoredResponse,
    now: EventInstant
  ) throws(SQLiteError) -> Bool {
    let late = try invalidations(of: response.key).filter { $0.concerns(response, now: now) }
    if late.contains(where: { $0.heard.isAhead(of: now) }) { try repair("invalidation", now: now) }
    return !late.isEmpty
  }

  /// Replaces instants in the future by the current one: the machine's clock was set back.
  private func repair(_ table: String, now: EventInstant) throws(SQLiteError) {
    try run(
      "UPDATE \(table) SET uptime = ? WHERE boot = ? AND uptime > ?",
      .integer(now.uptime),
      .integer(Int64(bitPattern: now.boot)),
      .integer(now.uptime)
    )
  }

  /// Deletes the responses of the key and of those that extend it.
  func delete(coveredBy key: CacheKey) throws(SQLiteError) {
    try deleteAll(
      "SELECT id, cost, file FROM response WHERE key = ? OR key >= ? AND key < ?",
      [.text(key.text), .text(key.text + " "), .text(key.endOfCovered)]
    )
  }

  /// Returns the reason why a record comes too late to be stored; `nil` if it does not.
  ///
  /// `stored` is the response that it would replace, without its body.
  func lateness(
    of record: DiskRecord,
    behind stored: StoredResponse?
  ) throws(SQLiteError) -> StoreFailure.Reason? {
    let now = EventInstant.now
    if try isInvalidated(record.response, now: now) { return .invalidated }
    if try isRemoved(record.response, now: now) { return .removed }
    return stored?.outranks(record.response) == true ? .older : nil
  }
}

extension EventInstant {
  /// The columns `boot`, `uptime` and `date`.
  fileprivate var columns: [SQLiteValue] {
    [
      .integer(Int64(bitPattern: boot)), .integer(uptime),
      .real(date.timeIntervalSinceReferenceDate),
    ]
  }

  /// Reads three columns, of which the first has this number.
  init(_ statement: SQLiteStatement, at column: Int32) {
    self.init(
      boot: UInt64(bitPattern: statement.integer(column)),
      uptime: statement.integer(column + 1),
      date: Date(timeIntervalSinceReferenceDate: statement.real(column + 2))
    )
  }
}

extension ChangeMark {
  /// Reads the columns `time`, `boot`, `uptime` and `date`.
  init(_ statement: SQLiteStatement) {
    self.init(
      time: Date(timeIntervalSinceReferenceDate: statement.real(0)),
      heard: EventInstant(statement, at: 1)
    )
  }
}
