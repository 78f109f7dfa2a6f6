import Freshet
import FreshetEssentials

/// A query in the form for the database.
struct ModelSelection: Sendable {
  enum Condition: Sendable {
    case equal(String, SQLiteValue)
    case oneOf(String, [SQLiteValue])
    /// From a value to a value with an operator; a missing end is open.
    case range(String, SQLiteValue?, SQLiteValue?, String)
  }

  var conditions: [Condition] = []
  var orders: [(path: String, direction: ModelDirection)] = []
  var limit: Int?
  var offset = 0
  /// The reason why it cannot be run.
  var failure: FreshetError?

  struct Statement {
    var sql: String
    var parameters: [SQLiteValue] = []
  }

  /// Returns the statement that selects columns of the matching rows.
  func statement(
    _ columns: String,
    _ table: ModelTable,
    on connection: ModelConnection
  ) throws(SQLiteError) -> Statement {
    var statement = Statement(sql: "SELECT \(columns) FROM \(table.table)")
    let list =
      orders.isEmpty ? try ModelList(listName(table.name), on: connection).number() : nil
    if let list {
      statement.sql += " LEFT JOIN member ON list = ? AND entity = id"
      statement.parameters.append(.integer(list))
    }
    var word = " WHERE "
    for condition in conditions {
      statement.sql += word
      word = " AND "
      try add(condition, table, to: &statement)
    }
    statement.sql += " ORDER BY "
    for (path, direction) in orders {
      statement.sql += try column(path, table) + (direction == .descending ? " DESC, " : ", ")
    }
    statement.sql += list == nil ? "row" : "place IS NULL, place, row"
    if limit != nil || offset > 0 {
      statement.sql += " LIMIT ? OFFSET ?"
      statement.parameters += [.integer(Int64(limit ?? -1)), .integer(Int64(offset))]
    }
    return statement
  }

  private func column(_ path: String, _ table: ModelTable) throws(SQLiteError) -> String {
    guard let column = table.column(path) else {
      throw SQLiteError(refusal: "\(table.name) has no index for \(path)")
    }
    return column
  }

  private func add(
    _ condition: Condition,
    _ table: ModelTable,
    to statement: inout Statement
  ) throws(SQLiteError) {
    switch condition {
    case .equal(let path, let value):
      statement.sql += "\(try column(path, table)) IS ?"
      statement.parameters.append(value)
    case .oneOf(let path, let values):
      let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
      statement.sql += "\(try column(path, table)) IN (\(marks))"
      statement.parameters += values
    case .range(let path, let lower, let upper, let comparison):
      let column = try column(path, table)
      // An open end still excludes rows without a value.
      statement.sql += lower == nil ? "\(column) IS NOT NULL" : "\(column) >= ?"
      if upper != nil { statement.sql += " AND \(column) \(comparison) ?" }
      statement.parameters += [lower, upper].compactMap(\.self)
    }
  }

  /// Says which list it is of, the same in every process: that of its conditions.
  func listName(_ model: String) -> [UInt8] {
    var writer = ModelRecordWriter()
    writer.write(ModelValue.text(model))
    for condition in conditions { writer.write(condition) }
    return writer.bytes
  }

  /// Returns the identity of the query, the same in every process.
  func name(_ model: String) -> [UInt8] {
    var writer = ModelRecordWriter()
    for (path, direction) in orders {
      writer.write(ModelValue.list([.text(path), .bool(direction == .descending)]))
    }
    writer.integer(Int64(limit ?? -1))
    writer.integer(Int64(offset))
    return listName(model) + writer.bytes
  }
}

extension ModelRecordWriter {
  fileprivate mutating func write(_ condition: ModelSelection.Condition) {
    switch condition {
    case .equal(let path, let value):
      write(.list([.text(path), value.value]))
    case .oneOf(let path, let values):
      write(.list([.text(path), .list(values.map(\.value).inOrder)]))
    case .range(let path, let lower, let upper, let comparison):
      let ends = [lower, upper].map { $0?.value ?? .null }
      write(.list([.text(path), .text(comparison)] + ends))
    }
  }
}

extension [ModelValue] {
  /// Each of the values once, in the order of their bytes: a set has another one in each process.
  fileprivate var inOrder: [ModelValue] {
    let encoded = map { (bytes: $0.encoded, value: $0) }
    var ordered: [(bytes: [UInt8], value: ModelValue)] = []
    for next in encoded.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) })
    where ordered.last?.bytes != next.bytes {
      ordered.append(next)
    }
    return ordered.map(\.value)
  }
}

extension SQLiteValue {
  fileprivate var value: ModelValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .text(text)
    case .blob(let data): .bytes(data)
    case .bytes(let bytes): .bytes(Data(bytes))
    }
  }
}

// MARK: - Description

extension ModelSelection {
  /// Conditions, orders and limit as source code, without values, which may be personal.
  var wording: String {
    let conditions = conditions.map { condition in
      switch condition {
      case .equal(let path, _): ".where(\(path), is: …)"
      case .oneOf(let path, let values): ".where(\(path), isOneOf: \(values.count) values)"
      case .range(let path, _, _, _): ".where(\(path), in: …)"
      }
    }
    let orders = orders.map { path, direction in
      ".sorted(by: \(path)\(direction == .descending ? ", .descending" : ""))"
    }
    let offset = offset > 0 ? ", offset: \(offset)" : ""
    let limit = limit.map { ".limit(\($0)\(offset))" } ?? ""
    return conditions.joined() + orders.joined() + limit
  }
}
