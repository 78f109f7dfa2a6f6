#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// An error that SQLite returned, or that describes an unusable database.
package final class SQLiteError: Error {
  /// The extended result code.
  let code: Int32
  package let message: String
  let isDiscarded: Bool
  /// A Boolean value that indicates whether the database at this path is no longer the one that was opened.
  let isMoved: Bool
  private let isDamage: Bool

  init(
    code: Int32,
    message: String,
    isDiscarded: Bool = false,
    isMoved: Bool = false,
    isDamage: Bool = false
  ) {
    self.code = code
    self.message = message
    self.isDiscarded = isDiscarded
    // `VNODE`: on Apple platforms, the file was renamed or removed while it was open.
    self.isMoved = isMoved || code == SQLITE_IOERR | 27 << 8
    self.isDamage = isDamage
  }

  /// Creates an error for a database that has to be deleted, whatever it contains.
  convenience init(discarding reason: String) {
    self.init(code: SQLITE_CORRUPT, message: reason, isDiscarded: true)
  }

  /// Creates an error for a database with inconsistent contents.
  convenience init(damage reason: String) {
    self.init(code: SQLITE_CORRUPT, message: reason)
  }

  /// Creates an error for a database that is intact and must not be touched.
  package convenience init(refusal reason: String) {
    self.init(code: SQLITE_AUTH, message: reason)
  }

  /// The error for a reader whose database has been removed or replaced.
  static var moved: SQLiteError {
    SQLiteError(code: SQLITE_READONLY, message: "the database was replaced", isMoved: true)
  }

  private var primary: Int32 { code & 0xFF }

  /// A Boolean value that indicates whether the database was not touched, see ``init(refusal:)``.
  package var isRefusal: Bool { primary == SQLITE_AUTH }

  /// A Boolean value that indicates whether the file is not an intact database.
  package var isCorruption: Bool {
    primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || isDamage
  }

  /// A Boolean value that indicates whether the schema differs from what the statements expect,
  /// although its version matches.
  ///
  /// That happens if a byte of a name is damaged. The check is only meaningful while the database is
  /// being opened.
  var isOfAnotherSchema: Bool {
    primary == SQLITE_ERROR
      && (message.hasPrefix("no such ") || message.contains(" has no column named ")
        || message.hasPrefix("ON CONFLICT clause does not match"))
  }

  /// A Boolean value that indicates whether the device failed to read; a later attempt may succeed.
  var isUnreadable: Bool {
    // `READ`, `SHORT_READ`, `CORRUPTFS`, `DATA`: failed and short reads, a broken file system, a wrong
    // checksum.
    primary == SQLITE_IOERR && [1, 2, 32, 33].contains(code >> 8)
  }

  /// A Boolean value that indicates whether the device failed to write.
  var isUnwritten: Bool {
    // `WRITE`, `FSYNC`.
    primary == SQLITE_IOERR && [3, 4].contains(code >> 8)
  }

  /// A copy of the error, marked as damage of the database.
  var asDamage: SQLiteError {
    SQLiteError(
      code: code,
      message: message,
      isDiscarded: isDiscarded,
      isMoved: isMoved,
      isDamage: true
    )
  }

  /// A Boolean value that indicates whether this user cannot write the file or its directory.
  var isReadOnly: Bool {
    primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_PERM
  }

  /// A Boolean value that indicates whether another connection keeps the database locked.
  var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

  package var isFull: Bool { primary == SQLITE_FULL || isLogFull }

  /// `SHMSIZE`: the index of the log could not grow.
  private var isLogFull: Bool { primary == SQLITE_IOERR && code >> 8 == 19 }

  private static let noSpace = "there is no space left on the disk"

  /// The reason, for ``FreshetError/store(_:)``.
  package var reason: String {
    switch primary {
    case _ where isDiscarded: message
    case _ where isFull: Self.noSpace
    // `WRITE`: the device, or a limit of the process (`ulimit -f`).
    case SQLITE_IOERR where code >> 8 == 3:
      "the database cannot be written: the disk failed, or its file may not grow"
    case SQLITE_BUSY, SQLITE_LOCKED: "another process keeps the database locked"
    case SQLITE_READONLY, SQLITE_PERM: "the database cannot be written"
    case SQLITE_CANTOPEN: "the database cannot be opened"
    case SQLITE_AUTH: message
    default: "the database failed: \(message) (\(code))"
    }
  }
}
