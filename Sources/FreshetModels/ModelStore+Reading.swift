public import Freshet

extension ModelStore {
  /// Returns the model with an identity, or `nil`.
  ///
  /// Reading never waits for writing, except for the first use of a type, which opens the store and
  /// prepares the type's table. It takes some microseconds, on the caller's thread.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The identity.
  /// - Returns: The model with its nested models, all of one commit.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the store cannot be used, the record does not
  ///   match the type, or a nested model that is not optional is not stored.
  public func model<Model: PersistableModel>(
    _ type: Model.Type,
    id: Model.ID
  ) async throws(FreshetError) -> Model? {
    let id = try ModelBatch.identify(type, id)
    return try await read(type, .byIdentity) { reading throws(FreshetError) in
      try reading.model(type, id, in: ReadingContext(reading))
    }
  }

  /// Returns the models that a query finds.
  ///
  /// - Parameter query: The query; all of its models are in memory at once, see ``scan(_:)``.
  /// - Returns: The models with their nested models, all of one commit.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the store cannot be used, the query names an
  ///   undeclared field, or a record does not match the type.
  @concurrent public func models<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) async throws(FreshetError) -> [Model] {
    try await read(Model.self, .byFields) { reading throws(FreshetError) in
      try reading.models(query, in: ReadingContext(reading))
    }
  }

  /// Returns the number of models that a query finds, including incomplete ones.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the store cannot be used, or the query names
  ///   an undeclared field.
  @concurrent public func count<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) async throws(FreshetError) -> Int {
    try await read(Model.self, .byFields) { reading throws(FreshetError) in
      try reading.count(query)
    }
  }
}

// MARK: - Preparation

/// The parts of a model's table that a read uses.
enum ReadingAccess {
  case byIdentity
  /// The columns for fields, which an older app may have filled differently.
  case byFields
}

extension ModelStore {
  /// Opens the store, and prepares the model's table for its type.
  func prepare<Model: PersistableModel>(_ type: Model.Type) async throws(FreshetError) {
    if core.isPrepared(type) { return }
    try await writer.perform { transaction throws(FreshetError) in
      _ = try ModelPreparation(connection: transaction.connection).prepare(type)
    }
    core.setPrepared(type)
  }

  private func prepareAnew<Model: PersistableModel>(
    _ type: Model.Type
  ) async throws(FreshetError) {
    try await writer.perform { transaction throws(FreshetError) in
      transaction.connection.forgetTables()
      _ = try ModelPreparation(connection: transaction.connection).prepare(type)
    }
  }

  /// Opens the store, and prepares no table.
  func open() async throws(FreshetError) {
    guard case .open = core.phase else {
      return try await writer.perform { _ throws(FreshetError) in }
    }
  }

  /// Reads from one commit of a store that is open, and no models by their fields.
  func readNow<Value: Sendable>(
    _ body: @Sendable (ModelReading) throws(FreshetError) -> Value
  ) throws(FreshetError) -> Value {
    do throws(ReadingFailure) {
      return try core.read(body)
    } catch {
      throw error.error
    }
  }

  /// Reads from one commit.
  ///
  /// Before that, rows that an older app has written are updated, and a database that another process has
  /// replaced is left for the new one. If the database is damaged and the configuration allows it, it is
  /// replaced by an empty one.
  func read<Model: PersistableModel, Value: Sendable>(
    _ type: Model.Type,
    _ access: ReadingAccess,
    _ body: @Sendable (ModelReading) throws(FreshetError) -> Value
  ) async throws(FreshetError) -> Value {
    do throws(ReadingFailure) {
      return try await readOnce(type, access, body)
    } catch {
      guard try await isWorthAnotherTry(error) else { throw error.error }
    }
    do throws(ReadingFailure) {
      return try await readOnce(type, access, body)
    } catch {
      throw error.error
    }
  }

  private func readOnce<Model: PersistableModel, Value: Sendable>(
    _ type: Model.Type,
    _ access: ReadingAccess,
    _ body: @Sendable (ModelReading) throws(FreshetError) -> Value
  ) async throws(ReadingFailure) -> Value {
    try await other { () async throws(FreshetError) in try await prepare(type) }
    guard access == .byFields else { return try core.read(mayMove: false, body) }
    let found = try core.read(mayMove: false) { reading throws(FreshetError) -> Value? in
      guard try reading.isCurrent(type) else { return .none }
      return .some(try body(reading))
    }
    if let found { return found }
    try await other { () async throws(FreshetError) in try await prepareAnew(type) }
    // Later writes are left to the next read.
    return try core.read(body)
  }

  /// Waits for the writer, which looks after damage itself.
  func other(
    _ work: () async throws(FreshetError) -> Void
  ) async throws(ReadingFailure) {
    do throws(FreshetError) {
      try await work()
    } catch {
      throw .other(error)
    }
  }

  /// Lets the writer check a database that a reader has found damaged, and set it aside if it is; or open
  /// the one in the place of a replaced one.
  ///
  /// - Returns: A Boolean value that indicates whether to read again.
  func isWorthAnotherTry(_ failure: ReadingFailure) async throws(FreshetError) -> Bool {
    if case .moved = failure {
      try await writer.perform { _ throws(FreshetError) in }
      return true
    }
    guard core.configuration.damage == .setAside, case .damage(_, let generation) = failure else {
      return false
    }
    try await writer.perform { transaction throws(FreshetError) in
      let connection = transaction.connection
      guard connection.generation == generation else { return }
      try connection.report(try connection.check())
    }
    return true
  }
}
