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
    try deleteAll(
      "SELECT id, cost, file FROM response WHERE cost < length OR cost > length + 4194304",
      []
    )
    try run("DELETE FROM usage WHERE response NOT IN (SELECT id FROM response)")
    try run("INSERT OR IGNORE INTO usage SELECT id, 0 FROM response")
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
}
