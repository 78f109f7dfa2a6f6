extension DiskSchema {
  /// The store's salt, made with its first use; a table of its own, which earlier versions do not miss.
  static func salt(of connection: SQLiteConnection) throws(SQLiteError) -> String {
    try connection.run(
      "CREATE TABLE IF NOT EXISTS salt (id INTEGER PRIMARY KEY CHECK (id = 0), text TEXT NOT NULL)"
    )
    // Another process may have come first.
    let insert = try connection.prepare("INSERT OR IGNORE INTO salt VALUES (0, ?)")
    try insert.bind([.text(VaryingFields.newSalt())])
    while try insert.step() {}
    let select = try connection.prepare("SELECT text FROM salt")
    guard try select.step(), let salt = select.text(0) else {
      throw SQLiteError(refusal: "its salt is missing")
    }
    return salt
  }
}
