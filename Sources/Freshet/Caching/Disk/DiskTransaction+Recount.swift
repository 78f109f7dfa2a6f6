extension DiskTransaction {
  /// Returns a Boolean value that indicates whether a record has its body in this file.
  func needs(_ file: String) throws(SQLiteError) -> Bool {
    try !rows("SELECT id, cost, file FROM response WHERE file = ?", [.text(file)]).isEmpty
  }

  /// Corrects uses, tags and totals to match the records.
  ///
  /// It reads all of them, and runs when something was damaged.
  func recount() throws(SQLiteError) {
    // A wrong cost would cause everything to be evicted, or nothing.
    let wrong = "SELECT id, cost, file FROM response WHERE cost < length OR cost > length + 4194304"
    // No caller asks for this removal: the bodies of replaced records stay as long as they are needed.
    for row in try rows(wrong) { try delete(row) }
    try run("DELETE FROM usage WHERE response NOT IN (SELECT id FROM response)")
    try run(DiskSchema.insertUnusedRecords)
    try run("DELETE FROM tag WHERE response NOT IN (SELECT id FROM response)")
    try run(
      "INSERT OR IGNORE INTO total VALUES (0, 0, 0, 0, ?, ?)",
      .integer(DiskLimits.initial.bytes),
      .integer(DiskLimits.initial.partialBytes)
    )
    try run(
      """
      UPDATE total SET
        count = (SELECT count(*) FROM response),
        bytes = (SELECT coalesce(sum(cost), 0) FROM response)
      """
    )
    forgetChanges()
  }

  /// Adds the uses of records that have none, because a process ended before it wrote them.
  func addUses(of records: [Int64]) throws(SQLiteError) {
    for id in records { try run("\(DiskSchema.insertUnusedRecords) WHERE id = ?", .integer(id)) }
  }
}

extension DiskSchema {
  /// Gives records without a use the time at which they were stored, in microseconds since 1970.
  ///
  /// `stored` counts seconds since 2001.
  fileprivate static let insertUnusedRecords = """
    INSERT OR IGNORE INTO usage
    SELECT id, max(0, CAST((stored + 978307200) * 1000000 AS INTEGER)) FROM response
    """
}
