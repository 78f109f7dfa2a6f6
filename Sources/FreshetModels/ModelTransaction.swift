public import Freshet

/// Changes that are made atomically, see ``ModelStore/transaction(_:)``.
///
/// - It reads its own changes; others see them after the commit. When one of its methods could not
///   make a change, the transaction fails, even if the closure continues.
/// - It reads and writes what the server has confirmed. Changes of a ``ChangeQueue`` that are pending
///   are taken back before it reads or writes what they change, with those that depend on them, and applied again
///   at its end. A query reads all models of its type.
public final class ModelTransaction {
  let connection: ModelConnection
  private(set) var changes = ModelChanges()
  /// The reason why a change was made incompletely.
  private(set) var failure: FreshetError?
  /// The pending change that is applied optimistically; `nil` for writes of confirmed models.
  let change: Int64?
  /// The pending changes that were taken back, and are applied again at the end, with the models on which
  /// their effects depended.
  private(set) var lifted: [Int64: Set<EntityKey>] = [:]
  /// A Boolean value that indicates whether nothing is left to take back; `nil` before the first look.
  private var hasNoLayer: Bool?

  init(_ connection: ModelConnection, applying change: Int64? = nil) {
    self.connection = connection
    self.change = change
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
    let batch = try noting { () throws(FreshetError) in try ModelBatch(models) }
    return try write(batch)
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
    let id = try ModelBatch.identify(type, id)
    let key = EntityKey(model: Model.modelName, id: id)
    return try read(type, from: key) { context throws(FreshetError) in
      try reading.model(type, id, in: context)
    }
  }

  /// Returns the models that a query finds.
  ///
  /// - Parameter query: The query.
  /// - Returns: The models with their nested models.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if one cannot be read.
  public func models<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) throws(FreshetError) -> [Model] {
    try read(Model.self, from: .all(Model.modelName)) { context throws(FreshetError) in
      try reading.models(query, in: context)
    }
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
    try noting { () throws(FreshetError) in
      let id = try ModelBatch.identify(type, id)
      let table = try ModelPreparation(connection: connection).prepare(type)
      let key = try liftStored(EntityKey(model: Model.modelName, id: id), in: table)
      return try connection.reporting { () throws(SQLiteError) in
        guard let row = try table.row(key.id) else {
          try touch(key)
          return false
        }
        try capture(key, row)
        try table.delete(row.number)
        changes.add(key)
        return true
      }
    }
  }

  /// Takes back the pending changes of a model, and returns the key under which it is stored: for a temporary
  /// identity, that of the one which the server has assigned.
  private func liftStored(
    _ key: EntityKey,
    in table: ModelTable
  ) throws(FreshetError) -> EntityKey {
    try lift([key])
    let permanent = try connection.reporting { () throws(SQLiteError) -> EntityKey? in
      if try table.row(key.id) != nil { return nil }
      return try ChangeIdentities(connection: connection).permanent(key)
    }
    guard let permanent else { return key }
    try lift([permanent])
    return permanent
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
    try noting { () throws(FreshetError) in
      if let failure = query.sql.failure { throw failure }
      try lift([.all(Model.modelName)])
      try touch([.all(Model.modelName)])
      let matches = try matches(query)
      try delete(matches, of: Model.self)
      return matches.count
    }
  }
}

// MARK: - Pending changes

extension ModelTransaction {
  private var layer: ChangeLayer { ChangeLayer(connection: connection) }

  /// Takes back the pending changes on which models depend, before these are read or written.
  ///
  /// - Returns: A Boolean value that indicates whether there were any.
  @discardableResult
  func lift(_ keys: Set<EntityKey>) throws(FreshetError) -> Bool {
    guard change == nil, !keys.isEmpty, try mayLift() else { return false }
    return try connection.reporting { () throws(SQLiteError) in
      let result = try layer.lift(keys)
      note(result)
      return !result.changes.isEmpty
    }
  }

  /// Takes back a pending change, and those that depend on the same models.
  func lift(change number: Int64) throws(FreshetError) {
    try connection.reporting { () throws(SQLiteError) in
      try note(layer.lift(change: number))
      applyAtEnd(number)
    }
  }

  /// Takes back all pending changes.
  func liftAll() throws(FreshetError) {
    guard change == nil, try mayLift() else { return }
    try connection.report(try note(layer.liftAll()))
    hasNoLayer = true
  }

  /// Applies the changes that another process has taken back without knowing their types.
  func applyUnapplied() throws(FreshetError) {
    guard let types = connection.changeTypes else { return }
    let numbers = try connection.report(try layer.unapplied(types))
    for number in numbers { try lift(change: number) }
  }

  /// Takes over what another transaction on the same connection has done.
  func absorb(_ other: ModelChanges, lifted others: [Int64: Set<EntityKey>] = [:]) {
    changes.add(other)
    lifted.merge(others) { $0.union($1) }
    hasNoLayer = nil
  }

  /// Does not apply a change again at the end.
  func drop(_ number: Int64) { lifted[number] = nil }

  /// Applies a change at the end.
  func applyAtEnd(_ number: Int64) { lifted[number] = lifted[number] ?? [] }

  /// Makes changes that were taken back depend on a model by its permanent identity.
  func renameLifted(_ old: EntityKey, _ new: EntityKey) {
    lifted = lifted.mapValues { keys in
      keys.contains(old) ? keys.subtracting([old]).union([new]) : keys
    }
  }

  /// Applies the changes that were taken back.
  func lower() throws(FreshetError) {
    if lifted.isEmpty { return }
    changes.add(try layer.lower(lifted))
    lifted = [:]
    hasNoLayer = nil
  }

  private func note(_ result: ChangeLayer.Lifted) {
    lifted.merge(result.changes) { $0.union($1) }
    for key in result.keys { changes.add(key) }
  }

  private func mayLift() throws(FreshetError) -> Bool {
    if let hasNoLayer { return !hasNoLayer }
    let isEmpty = try connection.report(try layer.isEmpty)
    hasNoLayer = isEmpty
    return !isEmpty
  }

  /// Stores the confirmed record of a model before a pending change replaces it.
  func capture(_ key: EntityKey, _ row: ModelTable.Row?) throws(SQLiteError) {
    guard let change else { return }
    try layer.capture(key, row, for: change)
  }

  /// Notes a model on which a pending change depends, and which it does not replace.
  private func touch(_ key: EntityKey) throws(SQLiteError) {
    guard let change else { return }
    try layer.touch(key, for: change)
  }

  func touch(_ keys: Set<EntityKey>) throws(FreshetError) {
    if change == nil { return }
    try connection.reporting { () throws(SQLiteError) in
      for key in keys { try touch(key) }
    }
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

  /// Reads models without the effects of pending changes.
  ///
  /// A failure of the reading is only its own, unless SQLite has rolled back the transaction.
  private func read<Model: PersistableModel, Value>(
    _ type: Model.Type,
    from key: EntityKey,
    _ body: (ReadingContext) throws(FreshetError) -> Value
  ) throws(FreshetError) -> Value {
    func lift(_ keys: Set<EntityKey>) throws(FreshetError) -> Bool {
      try noting { () throws(FreshetError) in
        let isLifted = try self.lift(keys)
        // Of confirmed records that have missed a migration.
        _ = try ModelPreparation(connection: connection).prepare(type)
        return isLifted
      }
    }
    var keys: Set = [key]
    _ = try lift(keys)
    while true {
      let context = ReadingContext(reading)
      let result = Result { () throws(FreshetError) in try body(context) }
      let nested = context.dependencies.subtracting(keys)
      keys.formUnion(nested)
      if case .failure(let error) = result, !connection.sqlite.isInTransaction { failure = error }
      // The confirmed records may name others than those that were read, or that a pending change has deleted.
      if !nested.isEmpty, try lift(nested) { continue }
      let value = try result.get()
      try touch(keys)
      return value
    }
  }

  func note(_ key: EntityKey) { changes.add(key) }

  func noteAll(_ model: String) { changes.addAll(model) }

  func noting<Value>(
    _ body: () throws(FreshetError) -> Value
  ) throws(FreshetError) -> Value {
    // SQLite may have rolled back all that came before, and would save what comes behind for itself.
    if let failure { throw failure }
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
    try lift([record.key])
    do {
      guard let row = try table.row(record.key.id) else {
        try capture(record.key, nil)
        let new = StoredRecord(version: Model.modelVersion, bytes: record.bytes)
        try table.insert(record.key.id, new)
        changes.add(record.key)
        return false
      }
      let merged = try merged(record, over: row.record, type)
      let isEqual = merged.bytes == row.record.bytes
      if !isEqual || merged.version != row.record.version {
        try capture(record.key, row)
        try table.update(row.number, merged)
      } else {
        try touch(record.key)
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

  func removeAll() throws(FreshetError) {
    try liftAll()
    try connection.reporting { () throws(SQLiteError) in
      for number in try connection.integers("SELECT number FROM model") {
        try connection.sqlite.run("DELETE FROM entity_\(number)")
      }
      try connection.run("DELETE FROM refresh")
      try ModelList.removeAll(on: connection)
      // Pending changes may name models by their temporary identities.
      try connection.run("DELETE FROM alias WHERE NOT EXISTS (SELECT 1 FROM change)")
    }
    changes.isUnknown = true
  }
}
