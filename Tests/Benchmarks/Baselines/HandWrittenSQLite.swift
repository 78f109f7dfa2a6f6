#if !canImport(Darwin)
import CSQLite
import Foundation
import Synchronization

/// The SQLite C API by hand: one table, one connection, prepared statements, write-ahead logging.
///
/// Unchecked: the connection is used within the lock only.
final class HandWrittenSQLite: @unchecked Sendable {
  private let lock = Mutex(())
  private var database: OpaquePointer?
  private var select: OpaquePointer?
  private var insert: OpaquePointer?

  init(_ path: String) throws {
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw BenchError("sqlite3_open") }
    sqlite3_exec(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;", nil, nil, nil)
    sqlite3_exec(
      database,
      "CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, head BLOB, body BLOB)",
      nil,
      nil,
      nil
    )
    sqlite3_prepare_v2(
      database,
      "SELECT head, body FROM entry WHERE key = ?",
      -1,
      &select,
      nil
    )
    sqlite3_prepare_v2(
      database,
      "INSERT OR REPLACE INTO entry VALUES (?, ?, ?)",
      -1,
      &insert,
      nil
    )
  }

  deinit {
    sqlite3_finalize(select)
    sqlite3_finalize(insert)
    sqlite3_close(database)
  }

  func read(_ key: String) throws -> Data {
    try lock.withLock { _ in
      defer { sqlite3_reset(select) }
      bind(key, to: select)
      guard sqlite3_step(select) == SQLITE_ROW, let bytes = sqlite3_column_blob(select, 1) else {
        throw BenchError("not stored: \(key)")
      }
      return Data(bytes: bytes, count: Int(sqlite3_column_bytes(select, 1)))
    }
  }

  /// One transaction each.
  func write(_ key: String, head: Data, body: Data) throws {
    try lock.withLock { _ in
      defer { sqlite3_reset(insert) }
      bind(key, to: insert)
      bind(head, at: 2)
      bind(body, at: 3)
      guard sqlite3_step(insert) == SQLITE_DONE else { throw BenchError("not written: \(key)") }
    }
  }

  private func bind(_ data: Data, at position: Int32) {
    _ = data.withUnsafeBytes { bytes in
      sqlite3_bind_blob(insert, position, bytes.baseAddress, Int32(bytes.count), Self.copied)
    }
  }

  private func bind(_ key: String, to statement: OpaquePointer?) {
    _ = key.withCString { sqlite3_bind_text(statement, 1, $0, -1, Self.copied) }
  }

  /// SQLite copies what is bound with this marker, which C spells as a cast of -1.
  static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
#endif
