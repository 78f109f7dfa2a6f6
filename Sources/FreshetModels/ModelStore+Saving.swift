public import Freshet

extension ModelStore {
  /// Saves models, and those inside them, in one transaction.
  ///
  /// - They are read back from their records before these are written: what could not be read
  ///   replaces nothing. Cancelling the task does not take them back.
  /// - Saving what is stored already writes nothing and tells nobody.
  /// - What reading had to leave out of a circle is kept, where what leads back to a model that is
  ///   saved with it is missing. A part that was taken out of what was read, such as
  ///   `thread.comments[0]`, no longer knows what it led back to: save the outermost model, or read
  ///   the part by its identity before.
  /// - The first of a type shows whether its ``PersistableModel/indexes`` hold their fields; if one
  ///   does not, that is a failure.
  ///
  /// - Parameter models: The models; the last of several with the same identity stays.
  /// - Returns: The models as they are stored now, in the same order.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be saved; nothing has changed then.
  @discardableResult
  public func save<Model: PersistableModel>(
    _ models: [Model]
  ) async throws(FreshetError) -> [Model] {
    guard !models.isEmpty else { return [] }
    let batch =
      try await models.count > 4
      ? .make(models, checks: core.checks) : ModelBatch(models, checks: core.checks)
    return try await writer.perform { transaction throws(FreshetError) in
      try transaction.write(batch)
    }
  }

  /// Saves a model, and those inside it.
  ///
  /// - Parameter model: The model.
  /// - Returns: The model as it is stored now.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it could not be saved; nothing has changed then.
  @discardableResult
  public func save<Model: PersistableModel>(_ model: Model) async throws(FreshetError) -> Model {
    try await save([model]).first ?? model
  }

  /// Deletes the model with an identity, not those inside it.
  ///
  /// Models that refer to it go on without it: `nil` where it is optional, left out of their arrays
  /// and dictionaries. One that cannot do without it is found by no query, and reading it by its
  /// identity fails.
  ///
  /// - Parameters:
  ///   - type: Its type.
  ///   - id: The identity.
  /// - Returns: Whether there was one.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it could not be deleted.
  @discardableResult
  public func delete<Model: PersistableModel>(
    _ type: Model.Type,
    id: Model.ID
  ) async throws(FreshetError) -> Bool {
    try await writer.perform { transaction throws(FreshetError) in
      try transaction.delete(type, id: id)
    }
  }

  /// Deletes the models that a query finds, not those inside them.
  ///
  /// - Parameter query: The query.
  /// - Returns: How many there were.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be deleted.
  @discardableResult
  public func delete<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) async throws(FreshetError) -> Int {
    try await writer.perform { transaction throws(FreshetError) in
      try transaction.delete(query)
    }
  }

  /// Deletes all models of all types.
  ///
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be deleted.
  public func removeAll() async throws(FreshetError) {
    try await writer.perform { transaction throws(FreshetError) in try transaction.removeAll() }
  }

  /// Makes several changes together or not at all.
  ///
  /// - Nobody else sees anything of it before the commit, and no observer hears of it if it fails.
  /// - The closure runs on the store's thread, where all writing waits for it: let it be short.
  ///
  /// ```swift
  /// try await models.transaction { transaction in
  ///   let user = try transaction.model(User.self, id: 7)
  ///   guard user?.isGuest == true else { throw .store("only guests may be removed") }
  ///   try transaction.delete(User.self, id: 7)
  /// }
  /// ```
  ///
  /// - Parameter body: Reads and changes; throwing rolls everything back.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; ``/Freshet/FreshetError/store(_:)`` if the commit failed.
  public func transaction<Value: Sendable>(
    _ body: @escaping @Sendable (ModelTransaction) throws(FreshetError) -> Value
  ) async throws(FreshetError) -> Value {
    try await writer.perform(body)
  }
}
