import Freshet

/// The table of a model, as one connection has read it.
final class ModelTable {
  struct Field {
    let column: String
    let path: String
    let keys: [String]
    let isStamp: Bool

    init(number: Int64, path: String) {
      column = "f\(number)"
      self.path = path
      keys = ModelTable.keys(path)
      isStamp = path == ModelTable.stamp
    }
  }

  /// A field that no record has, so that an app that does not know it leaves null in its column.
  ///
  /// Its null rows are those whose columns were filled by an older ``ModelRecord/indexed(_:)``.
  static let stamp = "(columns 2)"

  static func keys(_ path: String) -> [String] {
    path.split(separator: ".").map(String.init)
  }

  let number: Int64
  let name: String
  /// The oldest version that a record may have.
  let version: Int
  let fields: [Field]
  /// The column that is null in rows to be filled again; `nil` while there is nothing to fill, or
  /// everything.
  let stamp: String?
  private let connection: SQLiteConnection
  private var select: SQLiteStatement?
  private var insert: SQLiteStatement?
  private var update: SQLiteStatement?
  private var delete: SQLiteStatement?

  init(
    number: Int64,
    name: String,
    version: Int,
    fields: [Field],
    connection: SQLiteConnection
  ) {
    self.number = number
    self.name = name
    self.version = version
    self.fields = fields
    stamp = fields.first { $0.isStamp }?.column
    self.connection = connection
  }

  var table: String { "entity_\(number)" }

  func column(_ path: String) -> String? {
    fields.first { $0.path == path }?.column
  }

  private func statement(
    _ statement: inout SQLiteStatement?,
    _ sql: @autoclosure () -> String
  ) throws(SQLiteError) -> SQLiteStatement {
    if let statement { return statement }
    let new = try connection.prepare(sql())
    statement = new
    return new
  }
}

// MARK: - Rows

extension ModelTable {
  struct Row {
    let number: Int64
    let record: StoredRecord
  }

  func row(_ id: EntityID) throws(SQLiteError) -> Row? {
    let select = try statement(
      &select,
      "SELECT row, version, body FROM \(table) WHERE id = ?"
    )
    defer { select.reset() }
    try select.bind([id.bound])
    guard try select.step() else { return nil }
    return Row(
      number: select.integer(0),
      record: StoredRecord(version: Int(select.integer(1)), bytes: select.bytes(2))
    )
  }

  func insert(_ id: EntityID, _ record: StoredRecord) throws(SQLiteError) {
    let insert = try statement(
      &insert,
      """
      INSERT INTO \(table) (id, version, body\(fields.map { ", \($0.column)" }.joined()))
      VALUES (?, ?, ?\(String(repeating: ", ?", count: fields.count)))
      """
    )
    try insert.run([id.bound] + (try values(record)))
  }

  /// Inserts a record that was deleted in the row that it had, if that is free.
  func insert(_ id: EntityID, _ record: StoredRecord, at row: Int64) throws(SQLiteError) {
    try insert(id, record)
    try connection.run(
      "UPDATE OR IGNORE \(table) SET row = \(row) WHERE row = \(connection.lastInsertedID)"
    )
  }

  func update(_ row: Int64, _ record: StoredRecord) throws(SQLiteError) {
    let update = try statement(
      &update,
      """
      UPDATE \(table) SET version = ?, body = ?\(fields.map { ", \($0.column) = ?" }.joined())
      WHERE row = ?
      """
    )
    try update.run(try values(record) + [.integer(row)])
  }

  func delete(_ row: Int64) throws(SQLiteError) {
    let delete = try statement(&delete, "DELETE FROM \(table) WHERE row = ?")
    try delete.run([.integer(row)])
  }

  private func values(_ record: StoredRecord) throws(SQLiteError) -> [SQLiteValue] {
    var values: [SQLiteValue] = [.integer(Int64(record.version)), .bytes(record.bytes)]
    if fields.isEmpty { return values }
    let bytes = ModelRecord(record.bytes)
    for field in fields {
      // A damaged record cannot be found by its fields.
      let value = field.isStamp ? .integer(1) : try? bytes.indexed(field.keys)
      values.append(value ?? .null)
    }
    return values
  }
}
