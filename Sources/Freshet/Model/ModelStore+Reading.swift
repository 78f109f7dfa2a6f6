extension ModelStore {
  /// The model with an identity, or `nil`.
  ///
  /// Reading never waits for writing. It takes some microseconds, where the caller is.
  ///
  /// - Parameters:
  ///   - type: Its type.
  ///   - id: The identity.
  /// - Returns: The model, put together from one commit.
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be used, the record is not what the
  ///   type expects, or a model that it cannot do without is not stored.
  public func model<Model: PersistableModel>(
    _ type: Model.Type,
    id: Model.ID
  ) async throws(FreshetError) -> Model? {
    try await prepare(type)
    let id = try ModelBatch.identify(type, id)
    return try core.read { reading throws(FreshetError) in
      try reading.model(type, id, in: ReadingContext(reading))
    }
  }

  /// The models that a query finds.
  ///
  /// - Parameter query: The query; all of its models are in memory at once, see ``scan(_:)``.
  /// - Returns: The models, put together from one commit.
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be used, the query names a field that
  ///   is not declared, or a record is not what the type expects.
  @concurrent public func models<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) async throws(FreshetError) -> [Model] {
    try await prepare(Model.self)
    return try core.read { reading throws(FreshetError) in
      try reading.models(query, in: ReadingContext(reading))
    }
  }

  /// How many models a query finds, those included that cannot be put together.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number.
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be used, or the query names a field
  ///   that is not declared.
  @concurrent public func count<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) async throws(FreshetError) -> Int {
    try await prepare(Model.self)
    return try core.read { reading throws(FreshetError) in try reading.count(query) }
  }

  /// Opens the store, and makes the model's table what its type needs.
  func prepare<Model: PersistableModel>(_ type: Model.Type) async throws(FreshetError) {
    if core.isPrepared(type) { return }
    try await writer.perform { transaction throws(FreshetError) in
      _ = try ModelPreparation(connection: transaction.connection).prepare(type)
    }
    core.setPrepared(type)
  }
}
