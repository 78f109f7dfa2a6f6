#if !canImport(GRDB)
import Foundation

// The interface of GRDB that the samples use, as its documentation has it; nothing of it works.

protocol DatabaseWriter: AnyObject, Sendable {
  func write<Value: Sendable>(
    _ updates: @Sendable (Database) throws -> Value
  ) async throws -> Value
}

final class DatabaseQueue: DatabaseWriter {
  init(path: String) throws {}

  func write<Value: Sendable>(
    _ updates: @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try updates(Database())
  }
}

final class Database {
  func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {}
}

struct StatementArguments: ExpressibleByArrayLiteral {
  init() {}
  init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {}
}

protocol DatabaseValueConvertible {}
extension Data: DatabaseValueConvertible {}
extension Int: DatabaseValueConvertible {}
extension String: DatabaseValueConvertible {}

extension DatabaseValueConvertible {
  static func fetchAll(
    _ database: Database,
    sql: String,
    arguments: StatementArguments = StatementArguments()
  ) throws -> [Self] {
    []
  }
}
#endif
