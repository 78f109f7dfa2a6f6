import FreshetEssentials

extension SQLiteConnection {
  /// Opens a database for its writer, and creates it if there is none, accessible to this user only.
  package convenience init(writing path: String) throws(SQLiteError) {
    // SQLite would make it readable to others; its WAL and journal files get the same mode as the database.
    _ = try? OpenFile(creating: path, O_RDWR)
    try self.init(path, isCreating: true, patience: Self.writerPatience)
  }

  /// The time that a writer waits for other processes' locks, in milliseconds.
  static var writerPatience: Int32 { 5_000 }

  /// Enables write-ahead logging, so that readers are not blocked while the writer writes.
  ///
  /// - Parameter power: A Boolean value that indicates whether committed data survives a loss of power.
  /// - Throws: The error of SQLite.
  package func useWriteAheadLog(survives power: Bool) throws(SQLiteError) {
    let full = power ? "ON" : "OFF"
    try run(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(power ? "FULL" : "NORMAL");
      PRAGMA wal_autocheckpoint = 2000;
      PRAGMA cell_size_check = ON;
      PRAGMA fullfsync = \(full);
      PRAGMA checkpoint_fullfsync = \(full);
      PRAGMA temp_store = MEMORY;
      """
    )
  }
}
