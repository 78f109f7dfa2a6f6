/// Compares the totals with the records, a bounded number of them at a time.
///
/// It reads one snapshot of the database on a connection of its own, so that concurrent writes make
/// no difference.
final class DiskAudit {
  private static let step = 4_096
  /// The largest number of missing uses that do not count as damage.
  private static let unusedLimit = 4_096

  private let connection: SQLiteConnection
  private let records: SQLiteStatement
  private let claimed: (count: Int64, bytes: Int64)
  private var count: Int64 = 0
  private var bytes: Int64 = 0
  private var isInOrder = true
  /// The records without a use, which a process has not written yet, or never will.
  private(set) var unused: [Int64] = []

  init(_ path: String) throws(SQLiteError) {
    connection = try SQLiteConnection(path, isCreating: false, patience: 100)
    try connection.run("PRAGMA query_only = ON; BEGIN")
    claimed = (
      try connection.integer("SELECT count FROM total"),
      try connection.integer("SELECT bytes FROM total")
    )
    records = try connection.prepare(
      """
      SELECT cost, length, EXISTS (SELECT 1 FROM usage WHERE response = id), id FROM response
      """
    )
  }

  /// Checks the next records.
  ///
  /// - Returns: A Boolean value that indicates whether all are in order; `nil` while there are
  ///   more.
  func goOn() throws(SQLiteError) -> Bool? {
    for _ in 0..<Self.step {
      guard try records.step() else {
        records.reset()
        return isInOrder && count == claimed.count && bytes == claimed.bytes
      }
      count += 1
      bytes = bytes &+ records.integer(0)
      if records.integer(0) < records.integer(1) { isInOrder = false }
      if records.integer(2) == 0 { unused.append(records.integer(3)) }
      if unused.count > Self.unusedLimit { isInOrder = false }
    }
    return nil
  }
}
