public import Freshet

/// Changes that are made atomically, see ``ModelStore/transaction(_:)``.
///
/// It reads its own changes; others see them after the commit. When one of its methods could not
/// make a change, the transaction fails, even if the closure continues.
public final class ModelTransaction {
  let connection: ModelConnection
  private(set) var changes = ModelChanges()
  /// The reason why a change was made incompletely.
  private(set) var failure: FreshetError?

  init(_ connection: ModelConnection) {
    self.connection = connection
  }

  private var reading: ModelReading { ModelReading(connection: connection) }

  /// Saves models.
  ///
  /// - Parameter models: The models; the last of several with the same identity stays.
  /// - Returns: The models as they are stored now, in the same order.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if one of them cannot be stored.
  @discardableResult
  public func save<Model: PersistableModel>(
    _ models: [Model]
  ) throws(FreshetError) -> [Model] {
    try write(try ModelBatch(models))
  }

  /// Saves a model.
  ///
  /// - Parameter model: The model.
  /// - Returns: The model as it is stored now.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it cannot be stored.
  @discardableResult
  public func save<Model: PersistableModel>(_ model: Model) throws(FreshetError) -> Model {
    try save([model]).first ?? model
  }

  /// Returns the model with an identity, or `nil`.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The identity.
  /// - Returns: The model with its nested models.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it cannot be read.
  public func model<Model: PersistableModel>(
    _ type: Model.Type,
    id: Model.ID
  ) throws(FreshetError) -> Model? {
    _ = try ModelPreparation(connection: connection).prepare(type)
    return try reading.model(type, try ModelBatch.identify(type, id), in: ReadingContext(reading))
  }

  /// Returns the models that a query finds.
  ///
  /// - Parameter query: The query.
  /// - Returns: The models with their nested models.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if one cannot be read.
  public func models<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) throws(FreshetError) -> [Model] {
    _ = try ModelPreparation(connection: connection).prepare(Model.self)
    return try reading.models(query, in: ReadingContext(reading))
  }

  /// Deletes the model with an identity, but not its nested models.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The identity.
  /// - Returns: A Boolean value that indicates whether there was one.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it cannot be deleted.
  @discardableResult
  public func delete<Model: PersistableModel>(
    _ type: Model.Type,
    id: Model.ID
  ) throws(FreshetError) -> Bool {
    let key = EntityKey(model: Model.modelName, id: try ModelBatch.identify(type, id))
    return try noting { () throws(FreshetError) in
      let table = try ModelPreparation(connection: connection).prepare(type)
      do throws(SQLiteError) {
        guard let row = try table.row(key.id) else { return false }
        try table.delete(row.number)
      } catch {
        throw connection.failure(error)
      }
      changes.add(key)
      return true
    }
  }

  /// Deletes the models that a query finds, but not their nested models.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number of deleted models.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they cannot be deleted.
  @discardableResult
  public func delete<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) throws(FreshetError) -> Int {
    if let failure = query.sql.failure { throw failure }
    return try noting { () throws(FreshetError) in
      let table = try ModelPreparation(connection: connection).prepare(Model.self)
      do throws(SQLiteError) {
        let rows = try rows(query.sql.statement("row", table, on: connection))
        for row in rows { try table.delete(row) }
        if !rows.isEmpty { changes.addAll(Model.modelName) }
        return rows.count
      } catch {
        throw connection.failure(error)
      }
    }
  }

  private func rows(_ selection: ModelSelection.Statement) throws(SQLiteError) -> [Int64] {
    let select = try connection.statement(selection.sql)
    defer { select.reset() }
    try select.bind(selection.parameters)
    var rows: [Int64] = []
    while try select.step() { rows.append(select.integer(0)) }
    return rows
  }
}

// MARK: - Writing

extension ModelTransaction {
  /// Writes the records of models, and returns the models as they are stored now.
  func write<Model: PersistableModel>(
    _ batch: ModelBatch<Model>
  ) throws(FreshetError) -> [Model] {
    try noting { () throws(FreshetError) in
      var hasKept = false
      for record in batch.records where try write(record, record.type) { hasKept = true }
      // Otherwise the models were read from exactly the bytes that are stored now.
      guard hasKept else { return batch.models }
      let context = ReadingContext(reading)
      var models: [Model] = []
      for (key, model) in zip(batch.keys, batch.models) {
        models.append(try reading.model(Model.self, key.id, in: context) ?? model)
      }
      return models
    }
  }

  func note(_ key: EntityKey) { changes.add(key) }

  func noteAll(_ model: String) { changes.addAll(model) }

  func noting<Value>(
    _ body: () throws(FreshetError) -> Value
  ) throws(FreshetError) -> Value {
    do throws(FreshetError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }

  /// Writes a record, and returns a Boolean value that indicates whether a part of the previous one
  /// was kept.
  private func write<Model: PersistableModel>(
    _ record: EncodedRecord,
    _ type: Model.Type
  ) throws(FreshetError) -> Bool {
    let table = try ModelPreparation(connection: connection).prepare(type)
    do {
      guard let row = try table.row(record.key.id) else {
        let new = StoredRecord(version: Model.modelVersion, bytes: record.bytes)
        try table.insert(record.key.id, new)
        changes.add(record.key)
        return false
      }
      let merged = try merged(record, over: row.record, type)
      let isEqual = merged.bytes == row.record.bytes
      if !isEqual || merged.version != row.record.version {
        try table.update(row.number, merged)
      }
      if !isEqual { changes.add(record.key) }
      return merged.bytes != record.bytes
    } catch let error as SQLiteError {
      throw connection.failure(error)
    } catch {
      throw ModelFailure.decoding(error, type)
    }
  }

  /// Returns the record, with the fields of the previous one that its type does not declare.
  private func merged<Model: PersistableModel>(
    _ record: EncodedRecord,
    over stored: StoredRecord,
    _ type: Model.Type
  ) throws -> StoredRecord {
    let version = Model.modelVersion
    if stored.bytes == record.bytes { return StoredRecord(version: version, bytes: stored.bytes) }
    let kept = record.merged(over: try ModelMigration.migrated(stored, to: type))
    return StoredRecord(version: version, bytes: kept ?? record.bytes)
  }

  /// Removes the records of all models.
  func removeAll() throws(FreshetError) {
    do throws(SQLiteError) {
      let select = try connection.statement("SELECT number FROM model")
      var numbers: [Int64] = []
      while try select.step() { numbers.append(select.integer(0)) }
      select.reset()
      for number in numbers { try connection.sqlite.run("DELETE FROM entity_\(number)") }
      try connection.run("DELETE FROM refresh")
      try ModelList.removeAll(on: connection)
    } catch {
      throw connection.failure(error)
    }
    changes.isUnknown = true
  }
}
