import Foundation

/// What comes late: responses that were asked for before a change at the origin, and older ones than
/// those that are stored.
///
/// Changes are rows of a table of their own, so that other processes and later launches know of them.
extension DiskSchema {
  /// Databases of earlier versions get the table too; those versions leave it alone.
  static func addInvalidations(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(
      """
      CREATE TABLE IF NOT EXISTS invalidation (key TEXT PRIMARY KEY, time REAL NOT NULL) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS invalidation_time ON invalidation (time);
      """
    )
  }

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
