import FreshetEssentials

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A connection to a database, used by one thread at a time.
///
/// It is not `Sendable`: the writer's thread owns one, and each reader's is inside a `Mutex`.
package final class SQLiteConnection {
  private enum Place {
    case memory
    /// A file, `nil` if it was moved while it was opened, and the path by which it was.
    case file(FileIdentity?, at: String)
  }

  private let handle: OpaquePointer
  private let place: Place
  /// The length of the write-ahead log at the last commit, in pages; 0 unless ``keepsLog()`` was called.
  package private(set) var logPages: Int32 = 0

  /// Opens a database; `patience` is the time to wait for other processes' locks, in milliseconds.
  package convenience init(_ path: String, isCreating: Bool, patience: Int32) throws(SQLiteError) {
    let flags = isCreating ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE
    try self.init(path, at: path, flags: flags, patience: patience)
    try keepsFiles()
  }

  /// Leaves the emptied log and its index beside the database when the last connection is closed, because a
  /// full device has no room to make them again, and nothing could be read without them.
  private func keepsFiles() throws(SQLiteError) {
    var isOn: Int32 = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    // Without a limit the log is not emptied.
    try run("PRAGMA journal_size_limit = 33554432")
  }

  /// Opens a database that must not change while it is open.
  ///
  /// SQLite uses no locks then, and does not create the files of write-ahead logging beside it.
  convenience init(immutable path: String) throws(SQLiteError) {
    let escaped = path.split(separator: "/", omittingEmptySubsequences: false)
      .map(PercentEncoding.url.encode)
      .joined(separator: "/")
    try self.init(
      "file:\(escaped)?immutable=1",
      at: path,
      flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
      patience: 0
    )
  }

  private init(
    _ name: String,
    at path: String,
    flags: Int32,
    patience: Int32
  ) throws(SQLiteError) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      name,
      &handle,
      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nil
    )
    guard let handle else {
      throw SQLiteError(code: code, message: "no memory")
    }
    guard code == SQLITE_OK else {
      let message = String(cString: sqlite3_errmsg(handle))
      sqlite3_close_v2(handle)
      throw SQLiteError(code: code, message: message)
    }
    self.handle = handle
    place = Self.place(of: handle, at: path)
    sqlite3_busy_timeout(handle, patience)
  }

  deinit {
    // Defers closing until all remaining statements are finalized.
    sqlite3_close_v2(handle)
  }

  /// Runs statements without parameters and results.
  package func run(_ sql: String) throws(SQLiteError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    )
    guard let statement else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement")
    }
    return SQLiteStatement(statement, connection: self)
  }

  /// Returns the first number of the first row; 0 if there is no row.
  func integer(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The time to wait for other processes' locks, in milliseconds.
  func setPatience(_ patience: Int32) {
    sqlite3_busy_timeout(handle, patience)
  }

  /// Leaves checkpoints to ``checkpoint()``, so that no commit waits for one.
  func keepsLog() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    // A commit uses the connection, which therefore exists.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().logPages = pages
        return SQLITE_OK
      },
      context
    )
  }

  /// Copies the log to the database, as far as no reader needs it, without waiting for anybody.
  func checkpoint() {
    // The rest stays in the log, until the next attempt after a commit.
    logPages = 0
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }

  package var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` has changed.
  var changedRows: Int32 { sqlite3_changes(handle) }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// A Boolean value that indicates whether the file at the database's path is no longer this one.
  ///
  /// SQLite looks at the path to which links led when it opened the file; they may lead to another directory since.
  package var hasMoved: Bool {
    guard case .file(let identity, let path) = place else { return false }
    return identity == nil || FileIdentity(at: path) != identity
  }

  /// Returns the place of the database that has just been opened by a path.
  private static func place(of handle: OpaquePointer, at path: String) -> Place {
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    guard code == SQLITE_OK, let opened = sqlite3_db_filename(handle, "main") else {
      return .memory
    }
    let identity = moved == 0 ? FileIdentity(at: String(cString: opened)) : nil
    return .file(identity, at: path)
  }

  func check(_ code: Int32) throws(SQLiteError) {
    if code == SQLITE_OK { return }
    let error = SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    // For SQLite, an exceeded quota is a failure of the device.
    guard error.isUnwritten, hasExceededQuota else { throw error }
    throw SQLiteError(code: SQLITE_FULL, message: error.message)
  }

  /// A Boolean value that indicates whether the last failure of the database, or of its log, was a quota.
  ///
  /// `sqlite3_system_errno` has no failure of a commit.
  private var hasExceededQuota: Bool {
    var code: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &code)
    if code == EDQUOT { return true }
    var log: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
    // It has no methods while it is not open.
    guard let log, let methods = log.pointee.pMethods else { return false }
    return methods.pointee.xFileControl?(log, SQLITE_FCNTL_LAST_ERRNO, &code) == SQLITE_OK
      && code == EDQUOT
  }
}
