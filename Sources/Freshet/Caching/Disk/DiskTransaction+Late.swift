import Foundation

/// What comes late: responses that were asked for before a change at the origin, and older ones than
/// those that are stored.
///
/// Changes are rows of a table of their own, so that other processes and later launches know of them,
/// and so are removals for the day that a fetch may last.
extension DiskSchema {
  /// Databases of earlier versions get the tables too; those versions leave them alone.
  static func addInvalidations(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(
      """
      CREATE TABLE IF NOT EXISTS invalidation (key TEXT PRIMARY KEY, time REAL NOT NULL) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS invalidation_time ON invalidation (time);
      CREATE TABLE IF NOT EXISTS removal (mark TEXT PRIMARY KEY, time REAL NOT NULL) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS removal_time ON removal (time);
      """
    )
  }

  static let selectRemovals = "SELECT mark FROM removal WHERE time > ? AND time < ?"

  static let selectInvalidation = "SELECT max(time) FROM invalidation WHERE key IN (?, ?, ?, ?)"

  /// What ``selectInvalidation`` is asked with: the key, and the three that it can extend.
  static func parameters(_ key: CacheKey) -> [SQLiteValue] {
    let roots = key.roots
    return (0..<4).map { .text(roots[min($0, roots.count - 1)].text) }
  }
}

extension DiskTransaction {
  /// Deletes what is stored for the key and for those that extend it, and notes when that was.
  func invalidate(_ key: CacheKey, at time: Date) throws(SQLiteError) {
    try delete(coveredBy: key)
    try run(
      """
      INSERT INTO invalidation VALUES (?, ?)
      ON CONFLICT (key) DO UPDATE SET time = max(time, excluded.time)
      """,
      .text(key.text),
      .real(time.timeIntervalSinceReferenceDate)
    )
    try run(
      """
      DELETE FROM invalidation WHERE time < (
        SELECT time FROM invalidation ORDER BY time DESC LIMIT 1 OFFSET \(Invalidations.limit)
      )
      """
    )
  }

  /// Notes that something is removed: what a fetch asked for before then is not kept.
  func note(_ removal: Removal, at time: Date) throws(SQLiteError) {
    let time = time.timeIntervalSinceReferenceDate
    try run(
      """
      INSERT INTO removal VALUES (?, ?)
      ON CONFLICT (mark) DO UPDATE SET time = max(time, excluded.time)
      """,
      .text(removal.mark(salt)),
      .real(time)
    )
    try run(
      "DELETE FROM removal WHERE time < ? OR time > ?",
      .real(time - Invalidations.longestTransfer),
      .real(time + Invalidations.longestTransfer)
    )
    try run(
      """
      DELETE FROM removal WHERE time < (
        SELECT time FROM removal ORDER BY time DESC LIMIT 1 OFFSET \(Invalidations.limit)
      )
      """
    )
  }

  /// Whether something that concerns the response was removed since a fetch asked for it.
  private func isRemoved(_ response: StoredResponse) throws(SQLiteError) -> Bool {
    guard let askedAt = response.askedAt?.timeIntervalSinceReferenceDate else { return false }
    let marks = try removalMarks(between: askedAt, and: askedAt + Invalidations.longestTransfer)
    guard !marks.isEmpty else { return false }
    return Removal.all(of: response).contains { marks.contains($0.mark(salt)) }
  }

  /// Deletes what is stored for the key and for those that extend it.
  func delete(coveredBy key: CacheKey) throws(SQLiteError) {
    try deleteAll(
      "SELECT id, cost, file FROM response WHERE key >= ? AND key < ?",
      [.text(key.text), .text(key.endOfCovered)]
    )
  }

  /// Why a record comes too late to be stored, if it does.
  ///
  /// `stored` is the head of the record in whose place it would be put.
  func lateness(
    of record: DiskRecord,
    behind stored: DiskRecord.Head?
  ) throws(SQLiteError) -> Late? {
    if let time = try invalidationTime(of: record.key),
      Invalidations.isLate(record.knownAt, for: time)
    {
      return .invalidated
    }
    if try isRemoved(record.response) { return .cleared }
    return stored?.response(record.key).outranks(record.response) == true ? .older : nil
  }
}

extension DiskRecord.Head {
  /// The response as far as its times are compared.
  func response(_ key: CacheKey) -> StoredResponse {
    StoredResponse(
      key: key,
      varying: .none,
      head: head,
      body: ResourceBody(Data()),
      requestTime: requestTime,
      responseTime: responseTime
    )
  }
}
