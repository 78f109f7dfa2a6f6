extension DiskSchema {
  /// Returns the store's salt, made at its first use.
  ///
  /// It is in a table of its own, so that earlier versions can still use the database.
  static func salt(of connection: SQLiteConnection) throws(SQLiteError) -> String {
    try connection.run(
      "CREATE TABLE IF NOT EXISTS salt (id INTEGER PRIMARY KEY CHECK (id = 0), text TEXT NOT NULL)"
    )
    // Nothing is written if there is a salt: another process may be writing for long.
    if let salt = try storedSalt(connection) { return salt }
    // Another process may come first.
    try connection.prepare("INSERT OR IGNORE INTO salt VALUES (0, ?)")
      .run(.text(VaryingFields.newSalt()))
    guard let salt = try storedSalt(connection) else {
      // A salt that damage has cut off can be neither found nor inserted again.
      throw SQLiteError(refusal: "its salt is missing").asDamage
    }
    return salt
  }

  private static func storedSalt(_ connection: SQLiteConnection) throws(SQLiteError) -> String? {
    let select = try connection.prepare("SELECT text FROM salt")
    return try select.step() ? select.textIfText(0) : nil
  }
}
