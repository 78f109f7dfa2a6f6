package import FreshetEssentials

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// A prepared statement of a connection.
package final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: SQLiteConnection

  /// The C macro `SQLITE_TRANSIENT`, a cast of -1: SQLite copies the bound bytes.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  init(_ handle: OpaquePointer, connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Steps to the next row, and returns `false` after the last one.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW:
      return true
    case SQLITE_DONE:
      return false
    case let code:
      try connection.check(code)
      return false
    }
  }

  /// Runs a statement that returns no rows, with its parameters, and resets it.
  func run(_ parameters: SQLiteValue...) throws(SQLiteError) {
    try run(parameters)
  }

  package func run(_ parameters: [SQLiteValue]) throws(SQLiteError) {
    defer { reset() }
    try bind(parameters)
    while try step() {}
  }

  /// Runs a statement with its parameters, returns a value for each row, and resets it.
  package func rows<Value>(
    _ parameters: [SQLiteValue],
    _ read: (SQLiteStatement) -> Value
  ) throws(SQLiteError) -> [Value] {
    defer { reset() }
    try bind(parameters)
    var values: [Value] = []
    while try step() { values.append(read(self)) }
    return values
  }

  /// Resets the statement and clears its parameters.
  package func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  package func bind(_ parameters: [SQLiteValue]) throws(SQLiteError) {
    var position: Int32 = 0
    for parameter in parameters {
      position += 1
      try connection.check(bind(parameter, at: position))
    }
  }

  private func bind(_ value: SQLiteValue, at position: Int32) -> Int32 {
    switch value {
    case .null:
      return sqlite3_bind_null(handle, position)
    case .integer(let number):
      return sqlite3_bind_int64(handle, position, number)
    case .real(let number):
      return sqlite3_bind_double(handle, position, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        guard let start = bytes.baseAddress else {
          return sqlite3_bind_text(handle, position, "", 0, Self.copied)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          sqlite3_bind_text(handle, position, $0, Int32(bytes.count), Self.copied)
        }
      }
    case .blob(let data):
      return data.withUnsafeBytes { bind($0, at: position) }
    case .bytes(let bytes):
      return bytes.withUnsafeBytes { bind($0, at: position) }
    }
  }

  private func bind(_ bytes: UnsafeRawBufferPointer, at position: Int32) -> Int32 {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return sqlite3_bind_zeroblob(handle, position, 0)
    }
    return sqlite3_bind_blob64(handle, position, start, UInt64(bytes.count), Self.copied)
  }
}

extension SQLiteStatement {
  package func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  package func real(_ column: Int32) -> Double {
    sqlite3_column_double(handle, column)
  }

  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// Returns the integer; `nil` if the column has another type.
  package func integerIfInteger(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_INTEGER ? integer(column) : nil
  }

  /// Returns the whole text, NUL bytes included; `nil` if the column has another type.
  package func textIfText(_ column: Int32) -> String? {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT else { return nil }
    let start = sqlite3_column_text(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Returns a copy of the bytes; empty for `NULL`.
  package func bytes(_ column: Int32) -> [UInt8] {
    withBlob(column) { Array($0) }
  }

  /// Passes the bytes, which are valid until the next step, to the closure; none for `NULL`.
  func withBlob<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    let start = sqlite3_column_blob(handle, column)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
    return body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns a copy of the bytes; empty for an empty blob, `nil` for `NULL`.
  func blob(_ column: Int32) -> Data? {
    guard let start = sqlite3_column_blob(handle, column) else {
      return isNull(column) ? nil : Data()
    }
    return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column)))
  }
}

/// The value of a parameter.
package enum SQLiteValue: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
  case bytes([UInt8])
}
