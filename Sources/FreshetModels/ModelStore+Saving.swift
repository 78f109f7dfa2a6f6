public import Freshet

extension ModelStore {
  /// Saves models, and their nested models, in one transaction.
  ///
  /// - They are read back from their records before these are written, so that an unreadable record
  ///   replaces nothing. Cancelling the task does not undo it.
  /// - Saving unchanged models writes nothing and notifies no observer.
  /// - When a model was read as part of a cycle, references that the read cut off are kept, if they
  ///   lead back to a model that is saved with it; in a plain struct in an array, if that is unchanged.
  ///   A nested model that was taken out of a read value, such as `thread.comments[0]`, has lost that
  ///   information: save the outermost model, or read the nested one by its identity first.
  /// - The first save of a type checks that its ``PersistableModel/indexes`` match their fields; if
  ///   one does not, it fails.
  ///
  /// - Parameter models: The models; the last of several with the same identity stays.
  /// - Returns: The models as they are stored now, in the same order.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be saved; nothing has changed
  ///   in that case.
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

  /// Saves a model, and its nested models.
  ///
  /// - Parameter model: The model.
  /// - Returns: The model as it is stored now.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it could not be saved; nothing has changed in
  ///   that case.
  @discardableResult
  public func save<Model: PersistableModel>(_ model: Model) async throws(FreshetError) -> Model {
    try await save([model]).first ?? model
  }

  /// Deletes the model with an identity, but not its nested models.
  ///
  /// Models that refer to it lose it: an optional becomes `nil`, and arrays and dictionaries omit
  /// it. A model that requires it is found by no query, and reading it by its identity fails.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The identity.
  /// - Returns: A Boolean value that indicates whether there was one.
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

  /// Deletes the models that a query finds, but not their nested models.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number of deleted models.
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
  /// - Changes in a ``ChangeQueue`` stay, and are applied again: see ``ChangeQueue/removeAll()``.
  /// - The answer to a call that arrives later is saved: end the calls before.
  /// - Their bytes stay in the files until SQLite overwrites them, usually when the store is closed
  ///   (``close()``).
  ///
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be deleted.
  public func removeAll() async throws(FreshetError) {
    try await writer.perform { transaction throws(FreshetError) in try transaction.removeAll() }
  }

  /// Makes several changes atomically.
  ///
  /// - The changes are visible to others only after the commit, and observers are not notified if it fails.
  /// - The closure runs on the store's thread, and all other writes wait for it: keep it short.
  /// - It runs again if the database seems to be damaged, or if another process has replaced it.
  ///
  /// ```swift
  /// try await models.transaction { transaction throws(FreshetError) in
  ///   let user = try transaction.model(User.self, id: 7)
  ///   guard user?.isGuest == true else {
  ///     throw .store(StoreFailure("only guests may be removed"))
  ///   }
  ///   try transaction.delete(User.self, id: 7)
  /// }
  /// ```
  ///
  /// - Parameter body: A closure that reads and changes models; throwing rolls everything back.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; ``/Freshet/FreshetError/store(_:)`` if the commit failed.
  public func transaction<Value: Sendable>(
    _ body: @escaping @Sendable (ModelTransaction) throws(FreshetError) -> Value
  ) async throws(FreshetError) -> Value {
    try await writer.perform(body)
  }
}
