/// Reads models on one connection, in one snapshot.
struct ModelReading: RecordSource {
  let connection: ModelConnection

  func record(_ key: EntityKey) throws -> StoredRecord? {
    try connection.table(key.model)?.row(key.id)?.record
  }

  /// Runs something in a read transaction, so that all of it sees the same commit.
  func snapshot<Value>(_ body: () throws(FreshetError) -> Value) throws(FreshetError) -> Value {
    try run("BEGIN")
    let value: Value
    do throws(FreshetError) {
      value = try body()
    } catch {
      try? connection.run("ROLLBACK")
      throw error
    }
    try run("COMMIT")
    return value
  }

  private func run(_ sql: String) throws(FreshetError) {
    do throws(SQLiteError) {
      try connection.run(sql)
    } catch {
      throw connection.failure(error)
    }
  }

  func model<Model: PersistableModel>(
    _ type: Model.Type,
    _ id: EntityID,
    in context: ReadingContext
  ) throws(FreshetError) -> Model? {
    do {
      let key = EntityKey(model: Model.modelName, id: id)
      guard let record = try record(key) else { return nil }
      return try context.model(type, key, record)
    } catch {
      throw failure(error, type)
    }
  }

  func models<Model: PersistableModel>(
    _ query: ModelQuery<Model>,
    in context: ReadingContext
  ) throws(FreshetError) -> [Model] {
    if let failure = query.sql.failure { throw failure }
    do {
      guard let table = try table(query) else { return [] }
      let selection = try query.sql.statement("id, version, body", table)
      let select = try connection.statement(selection.sql)
      defer { select.reset() }
      try select.bind(selection.parameters)
      var models: [Model] = []
      while try select.step() {
        if let model: Model = try Self.model(select, context) { models.append(model) }
      }
      return models
    } catch {
      throw failure(error, Model.self)
    }
  }

  /// The model in a row of `id, version, body`, unless it needs one that is not stored.
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
      var selection = try query.sql.statement("1", table)
      selection.sql = "SELECT count(*) FROM (\(selection.sql))"
      let select = try connection.statement(selection.sql)
      defer { select.reset() }
      try select.bind(selection.parameters)
      return try select.step() ? Int(select.integer(0)) : 0
    } catch {
      throw failure(error, Model.self)
    }
  }

  /// The table with the fields that the query names.
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
