import Freshet

/// Reads models on one connection, in one snapshot.
struct ModelReading: RecordSource {
  let connection: ModelConnection

  func record(_ key: EntityKey) throws -> StoredRecord? {
    try connection.table(key.model)?.row(key.id)?.record
  }

  /// Calls a closure in a read transaction, so that all of it sees the same commit.
  func snapshot<Value>(
    _ body: (ModelReading) throws(FreshetError) -> Value
  ) throws(FreshetError) -> Value {
    try run("BEGIN")
    let value: Value
    do throws(FreshetError) {
      value = try body(self)
    } catch {
      try? connection.run("ROLLBACK")
      throw error
    }
    try run("COMMIT")
    return value
  }

  private func run(_ sql: String) throws(FreshetError) {
    try connection.report(try connection.run(sql))
  }

  /// Returns the model; `nil`, if that is wanted, also while a model that it contains is not stored.
  func model<Model: PersistableModel>(
    _ type: Model.Type,
    _ id: EntityID,
    in context: ReadingContext,
    nilIfIncomplete: Bool = false
  ) throws(FreshetError) -> Model? {
    do {
      return try stored(type, id, in: context)
    } catch is MissingModel where nilIfIncomplete {
      return nil
    } catch {
      throw failure(error, type)
    }
  }

  private func stored<Model: PersistableModel>(
    _ type: Model.Type,
    _ id: EntityID,
    in context: ReadingContext
  ) throws -> Model? {
    let key = EntityKey(model: Model.modelName, id: id)
    if let record = try record(key) { return try context.model(type, key, record) }
    // A temporary identity is another name for the one that the server has assigned.
    guard let permanent = try ChangeIdentities(connection: connection).permanent(key) else {
      return nil
    }
    context.depend(on: permanent)
    return try record(permanent).map { try context.model(type, permanent, $0) }
  }

  func models<Model: PersistableModel>(
    _ query: ModelQuery<Model>,
    in context: ReadingContext
  ) throws(FreshetError) -> [Model] {
    if let failure = query.sql.failure { throw failure }
    var models: [Model] = []
    do {
      guard let table = try table(query) else { return [] }
      guard query.sql.limit != nil || query.sql.offset > 0 else {
        try read(query.sql, table, context) { models.append($0) }
        return models
      }
      try page(query.sql, table, context) { models.append($0) }
      return models
    } catch {
      throw failure(error, Model.self)
    }
  }

  /// Reads the rows of a selection, and skips incomplete models.
  ///
  /// - Returns: The number of rows.
  @discardableResult
  private func read<Model: PersistableModel>(
    _ selection: ModelSelection,
    _ table: ModelTable,
    _ context: ReadingContext,
    _ body: (Model) -> Void
  ) throws -> Int {
    let statement = try selection.statement("id, version, body", table, on: connection)
    let select = try connection.statement(statement.sql)
    defer { select.reset() }
    try select.bind(statement.parameters)
    var rows = 0
    while try select.step() {
      rows += 1
      if let model: Model = try Self.model(select, context) { body(model) }
    }
    return rows
  }

  /// Reads a page; the limit and the offset count complete models, so that more rows are read if
  /// some are incomplete.
  private func page<Model: PersistableModel>(
    _ wanted: ModelSelection,
    _ table: ModelTable,
    _ context: ReadingContext,
    _ body: (Model) -> Void
  ) throws {
    let end = wanted.offset.addingReportingOverflow(wanted.limit ?? .max)
    let last = end.overflow ? Int.max : end.partialValue
    var (found, chunk) = (0, 0)
    var selection = wanted
    selection.offset = 0
    while found < last {
      chunk = max(last - found, min(2 * chunk, 1_024))
      selection.limit = chunk
      let rows = try read(selection, table, context) { (model: Model) in
        found += 1
        if found > wanted.offset, found <= last { body(model) }
      }
      if rows < chunk { return }
      selection.offset += rows
    }
  }

  /// Returns a Boolean value that indicates whether the columns of the model's table are filled by
  /// this code, in the type's version: an older app may have written in the meantime.
  func isCurrent<Model: PersistableModel>(_ type: Model.Type) throws(FreshetError) -> Bool {
    try connection.reporting { () throws(SQLiteError) in
      guard var table = try connection.table(Model.modelName) else { return true }
      if table.stamp == nil, !Model.indexes.isEmpty {
        guard let reloaded = try connection.reloadedTable(table.name) else { return true }
        table = reloaded
      }
      let stale = table.stamp.map { "EXISTS (SELECT 1 FROM \(table.table) WHERE \($0) IS NULL)" }
      let sql = "SELECT version, \(stale ?? "0") FROM model WHERE number = \(table.number)"
      let isCurrent = try connection.row(sql) {
        $0.integer(0) >= Int64(Model.modelVersion) && $0.integer(1) == 0
      }
      return isCurrent ?? true
    }
  }

  /// Returns the model in a row of `id, version, body`, unless a model that it contains is not stored.
  static func model<Model: PersistableModel>(
    _ row: SQLiteStatement,
    _ context: ReadingContext
  ) throws -> Model? {
    let key = EntityKey(model: Model.modelName, id: EntityID(row, column: 0))
    let record = StoredRecord(version: Int(row.integer(1)), bytes: row.bytes(2))
    do {
      return try context.model(Model.self, key, record)
    } catch is MissingModel {
      return nil
    }
  }

  func count<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) throws(FreshetError) -> Int {
    if let failure = query.sql.failure { throw failure }
    do {
      guard let table = try table(query) else { return 0 }
      let selection = try query.sql.statement("1", table, on: connection)
      let sql = "SELECT count(*) FROM (\(selection.sql))"
      return try connection.row(sql, selection.parameters) { Int($0.integer(0)) } ?? 0
    } catch {
      throw failure(error, Model.self)
    }
  }

  /// Returns the table with the fields in the query.
  func table<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) throws(SQLiteError) -> ModelTable? {
    guard let table = try connection.table(Model.modelName) else { return nil }
    let isComplete = Model.indexPaths.allSatisfy { table.column($0) != nil }
    return isComplete ? table : try connection.reloadedTable(Model.modelName)
  }

  func failure(
    _ error: any Error,
    _ type: (some PersistableModel).Type
  ) -> FreshetError {
    if let error = error as? SQLiteError { return connection.failure(error) }
    return ModelFailure.decoding(error, type)
  }
}
