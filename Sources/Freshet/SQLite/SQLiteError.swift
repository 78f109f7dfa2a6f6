#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// What SQLite answered instead of doing it.
package struct SQLiteError: Error {
  /// The extended result code.
  let code: Int32
  package let message: String
  private(set) var isDiscarded = false
  /// Whether the database under this name is no longer the one that was opened.
  private(set) var isMoved = false
  private var isDamage = false

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// For a database that is to be thrown away, whatever is in it.
  init(discarding reason: String) {
    self.init(code: SQLITE_CORRUPT, message: reason)
    isDiscarded = true
  }

  /// For a database in which something is not as it should be.
  init(damage reason: String) {
    self.init(code: SQLITE_CORRUPT, message: reason)
  }

  /// For a database that is sound and must be left alone.
  package init(refusal reason: String) {
    self.init(code: SQLITE_AUTH, message: reason)
  }

  /// For a reader whose database has been removed or replaced.
  static var moved: SQLiteError {
    var error = SQLiteError(code: SQLITE_READONLY, message: "the database was replaced")
    error.isMoved = true
    return error
  }

  private var primary: Int32 { code & 0xFF }

  /// Whether the file is not a sound database.
  package var isCorruption: Bool {
    primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || isDamage
  }

  /// Whether the schema is not the one that the statements were written for, although its version is.
  ///
  /// A byte of a name has changed, then. It tells something of the database while that is being opened.
  var isOfAnotherSchema: Bool {
    primary == SQLITE_ERROR
      && (message.hasPrefix("no such ") || message.contains(" has no column named ")
        || message.hasPrefix("ON CONFLICT clause does not match"))
  }

  /// Whether the device did not read what was asked for; it may be able to a moment later.
  var isUnreadable: Bool {
    // Reading, short reading, a broken file system, a wrong checksum.
    primary == SQLITE_IOERR && [1, 2, 32, 33].contains(code >> 8)
  }

  /// The same failure as damage of the database.
  var asDamage: SQLiteError {
    var error = self
    error.isDamage = true
    return error
  }

  /// Whether the file or its directory cannot be written by this user.
  var isReadOnly: Bool {
    primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_PERM
  }

  /// Whether another connection keeps it locked.
  var isBusy: Bool {
    primary == SQLITE_BUSY || primary == SQLITE_LOCKED
  }

  var isFull: Bool { primary == SQLITE_FULL }

  /// The reason, for ``FreshetError/store(_:)``.
  package var reason: String {
    switch primary {
    case _ where isDiscarded: message
    case SQLITE_FULL: "there is no space left for it"
    case SQLITE_BUSY, SQLITE_LOCKED: "another process keeps the database locked"
    case SQLITE_READONLY, SQLITE_PERM: "the database cannot be written"
    case SQLITE_CANTOPEN: "the database cannot be opened"
    case SQLITE_AUTH: message
    default: "the database failed: \(message) (\(code))"
    }
  }
}
