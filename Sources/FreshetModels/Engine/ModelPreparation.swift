import Freshet

/// Prepares the table of a model for its type: creates it, adds its indexes, and migrates it to its
/// version.
struct ModelPreparation {
  private static let step = 256

  let connection: ModelConnection

  func prepare<Model: PersistableModel>(_ type: Model.Type) throws(FreshetError) -> ModelTable {
    try connection.reporting { () throws(SQLiteError) in
      let found = try connection.table(Model.modelName)
      if let found, connection.isPrepared(type) { return found }
      try connection.agree(on: type)
      let table = if let found { found } else { try create(type) }
      let indexed = try addFields(type, to: table)
      let current = try migrate(indexed, to: type)
      connection.setPrepared(type)
      return current
    }
  }

  private func create<Model: PersistableModel>(
    _ type: Model.Type
  ) throws(SQLiteError) -> ModelTable {
    try connection.run(
      "INSERT INTO model (name, version) VALUES (?, ?)",
      .text(Model.modelName),
      .integer(Int64(Model.modelVersion))
    )
    let number = connection.sqlite.lastInsertedID
    try ModelSchema.createEntities(number, in: connection.sqlite)
    return try reloaded(Model.modelName)
  }

  private func reloaded(_ name: String) throws(SQLiteError) -> ModelTable {
    guard let table = try connection.reloadedTable(name) else {
      throw SQLiteError(refusal: "the table of \(name) is missing")
    }
    return table
  }

  private func addFields<Model: PersistableModel>(
    _ type: Model.Type,
    to table: ModelTable
  ) throws(SQLiteError) -> ModelTable {
    let missing = Set(Model.indexPaths.filter { table.column($0) == nil })
    let isUnstamped = table.stamp == nil && !(missing.isEmpty && table.fields.isEmpty)
    guard !missing.isEmpty || isUnstamped else {
      try fill(table, where: table.stamp.map { "\($0) IS NULL" })
      return table
    }
    let paths = missing.sorted() + (isUnstamped ? [ModelTable.stamp] : [])
    for (offset, path) in paths.enumerated() {
      try addField(path, table.fields.count + 1 + offset, to: table)
    }
    let indexed = try reloaded(table.name)
    try fill(indexed, where: "1")
    return indexed
  }

  private func addField(
    _ path: String,
    _ number: Int,
    to table: ModelTable
  ) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO field (model, number, path) VALUES (?, ?, ?)",
      .integer(table.number),
      .integer(Int64(number)),
      .text(path)
    )
    try ModelSchema.addField(
      number,
      to: table.number,
      indexing: path == ModelTable.stamp ? "WHERE f\(number) IS NULL" : "",
      in: connection.sqlite
    )
  }

  /// Fills the columns of rows from their records.
  private func fill(_ table: ModelTable, where condition: String?) throws(SQLiteError) {
    guard let condition else { return }
    try rewrite(table, where: condition) { (record) throws(SQLiteError) in record }
  }

  private func migrate<Model: PersistableModel>(
    _ table: ModelTable,
    to type: Model.Type
  ) throws(SQLiteError) -> ModelTable {
    guard table.version != Model.modelVersion else { return table }
    if table.version < Model.modelVersion {
      try rewrite(table, where: "version < \(Model.modelVersion)") { (record) throws(SQLiteError) in
        do {
          let bytes = try ModelMigration.migrated(record, to: type)
          return StoredRecord(version: Model.modelVersion, bytes: bytes)
        } catch {
          let reason = (error as? FreshetError).map(Self.reason) ?? "a record is damaged"
          throw SQLiteError(refusal: "\(Model.modelName) cannot be migrated: \(reason)")
        }
      }
    }
    // An older app lowers it: the records that it writes are migrated when the newer one starts again.
    try connection.run(
      "UPDATE model SET version = ? WHERE number = ?",
      .integer(Int64(Model.modelVersion)),
      .integer(table.number)
    )
    return try reloaded(table.name)
  }

  private static func reason(_ error: FreshetError) -> String {
    if case .store(let failure) = error { failure.description } else { error.description }
  }

  /// Rewrites the rows of a table, with a bounded number of them in memory.
  private func rewrite(
    _ table: ModelTable,
    where condition: String,
    _ transform: (StoredRecord) throws(SQLiteError) -> StoredRecord
  ) throws(SQLiteError) {
    var last: Int64 = .min
    while true {
      let rows = try rows(table, condition, after: last)
      for row in rows {
        try table.update(row.number, try transform(row.record))
        last = row.number
      }
      if rows.count < Self.step { return }
    }
  }

  private func rows(
    _ table: ModelTable,
    _ condition: String,
    after last: Int64
  ) throws(SQLiteError) -> [ModelTable.Row] {
    try connection.rows(
      """
      SELECT row, version, body FROM \(table.table) WHERE \(condition) AND row > ?
      ORDER BY row LIMIT \(Self.step)
      """,
      [.integer(last)]
    ) { row in
      let record = StoredRecord(version: Int(row.integer(1)), bytes: row.bytes(2))
      return ModelTable.Row(number: row.integer(0), record: record)
    }
  }
}
