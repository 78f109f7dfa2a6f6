/// Reads a database from its beginning to its end, on a connection of its own.
enum DiskExamination {
  /// Checks that the database can be read and is sound.
  ///
  /// - Throws: The error that keeps it from being read, or the damage; nothing if it is in use by
  ///   others.
  static func run(_ path: String) throws(SQLiteError) {
    let connection = try SQLiteConnection(path, isCreating: false, patience: 100)
    try connection.run("PRAGMA query_only = ON")
    let verdict = try connection.prepare("PRAGMA quick_check(1)")
    guard try verdict.step(), let text = verdict.text(0), text != "ok" else { return }
    throw SQLiteError(damage: text)
  }
}
