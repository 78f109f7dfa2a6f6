import Foundation

extension SQLiteConnection {
  /// Opens a database for its writer, and makes it if there is none, for this user alone.
  package convenience init(writing path: String) throws(SQLiteError) {
    // SQLite would make it readable to others; its companions get the same mode as the database.
    _ = try? OpenFile(creating: path, O_RDWR)
    try self.init(path, isCreating: true, patience: 5_000)
  }

  /// Sets up write-ahead logging, which lets readers go on while the writer writes.
  ///
  /// - Parameter power: Whether what is committed survives loss of power.
  /// - Throws: What SQLite refuses.
  package func useWriteAheadLog(survives power: Bool) throws(SQLiteError) {
    let full = power ? "ON" : "OFF"
    try run(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(power ? "FULL" : "NORMAL");
      PRAGMA wal_autocheckpoint = 2000;
      PRAGMA journal_size_limit = 33554432;
      PRAGMA cell_size_check = ON;
      PRAGMA fullfsync = \(full);
      PRAGMA checkpoint_fullfsync = \(full);
      PRAGMA temp_store = MEMORY;
      """
    )
  }
}
