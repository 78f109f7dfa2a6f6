extension DiskSchema {
  /// The store's salt, made with its first use; a table of its own, which earlier versions do not miss.
  static func salt(of connection: SQLiteConnection) throws(SQLiteError) -> String {
    try connection.run(
      "CREATE TABLE IF NOT EXISTS salt (id INTEGER PRIMARY KEY CHECK (id = 0), text TEXT NOT NULL)"
    )
    // Nothing is written where there is one: another process may be writing for long.
    if let salt = try storedSalt(connection) { return salt }
    // Another process may come first.
    try connection.prepare("INSERT OR IGNORE INTO salt VALUES (0, ?)")
      .run(.text(VaryingFields.newSalt()))
    guard let salt = try storedSalt(connection) else {
      // What was cut off is neither found nor made again.
      throw SQLiteError(refusal: "its salt is missing").asDamage
    }
    return salt
  }

  private static func storedSalt(_ connection: SQLiteConnection) throws(SQLiteError) -> String? {
    let select = try connection.prepare("SELECT text FROM salt")
    return try select.step() ? select.text(0) : nil
  }
}
