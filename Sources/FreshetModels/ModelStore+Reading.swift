public import Freshet

extension ModelStore {
  /// The model with an identity, or `nil`.
  ///
  /// Reading never waits for writing, but for the first of a type, which opens the store and makes what
  /// the type needs. It takes some microseconds, where the caller is.
  ///
  /// - Parameters:
  ///   - type: Its type.
  ///   - id: The identity.
  /// - Returns: The model, put together from one commit.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the store cannot be used, the record is not what the
  ///   type expects, or a model that it cannot do without is not stored.
  public func model<Model: PersistableModel>(
    _ type: Model.Type,
    id: Model.ID
  ) async throws(FreshetError) -> Model? {
    let id = try ModelBatch.identify(type, id)
    return try await read(type, .byIdentity) { reading throws(FreshetError) in
      try reading.model(type, id, in: ReadingContext(reading))
    }
  }

  /// The models that a query finds.
  ///
  /// - Parameter query: The query; all of its models are in memory at once, see ``scan(_:)``.
  /// - Returns: The models, put together from one commit.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the store cannot be used, the query names a field that
  ///   is not declared, or a record is not what the type expects.
  @concurrent public func models<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) async throws(FreshetError) -> [Model] {
    try await read(Model.self, .byFields) { reading throws(FreshetError) in
      try reading.models(query, in: ReadingContext(reading))
    }
  }

  /// How many models a query finds, those included that cannot be put together.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the store cannot be used, or the query names a field
  ///   that is not declared.
  @concurrent public func count<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) async throws(FreshetError) -> Int {
    try await read(Model.self, .byFields) { reading throws(FreshetError) in
      try reading.count(query)
    }
  }
}

// MARK: - Preparation

/// What a reading needs of a model's table.
enum ReadingAccess {
  case byIdentity
  /// Its columns, which an older app may have filled in its way.
  case byFields
}

extension ModelStore {
  /// Opens the store, and makes the model's table what its type needs.
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

  /// Reads from one commit, after what an older app has written meanwhile was made what the type
  /// needs, and on another database if this one is damaged and to be set aside.
  func read<Model: PersistableModel, Value: Sendable>(
    _ type: Model.Type,
    _ access: ReadingAccess,
    _ body: @Sendable (ModelReading) throws(FreshetError) -> Value
  ) async throws(FreshetError) -> Value {
    do throws(FreshetError) {
      return try await readOnce(type, access, body)
    } catch {
      guard try await isWorthAnotherTry(error) else { throw error }
      return try await readOnce(type, access, body)
    }
  }

  private func readOnce<Model: PersistableModel, Value: Sendable>(
    _ type: Model.Type,
    _ access: ReadingAccess,
    _ body: @Sendable (ModelReading) throws(FreshetError) -> Value
  ) async throws(FreshetError) -> Value {
    try await prepare(type)
    guard access == .byFields else { return try core.read(body) }
    let found = try core.read { reading throws(FreshetError) -> Value? in
      guard try reading.isCurrent(type) else { return .none }
      return .some(try body(reading))
    }
    if let found { return found }
    try await prepareAnew(type)
    // What is written from now on is the next reading's.
    return try core.read(body)
  }

  /// Has the writer look at a database that a reader has found damaged; it sets it aside if it is.
  func isWorthAnotherTry(_ error: FreshetError) async throws(FreshetError) -> Bool {
    guard core.configuration.damage == .setAside, ModelConnection.isDamage(error),
      let generation = core.damaged
    else { return false }
    try await writer.perform { transaction throws(FreshetError) in
      let connection = transaction.connection
      guard connection.generation == generation else { return }
      do throws(SQLiteError) {
        try connection.check()
      } catch {
        throw connection.failure(error)
      }
    }
    return true
  }
}
