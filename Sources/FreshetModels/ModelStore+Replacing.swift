public import Freshet

extension ModelStore {
  /// Saves models in the place of those that a query finds, in one transaction.
  ///
  /// - What the query found before and `models` does not have is deleted. So is whatever the query
  ///   would find then, behind a limit for instance: after it, the query finds nothing that is not in
  ///   `models`.
  /// - A model inside one of `models` is one that `models` has.
  /// - Deleting is what ``delete(_:)`` does: references to a model that is gone become `nil`, or a gap
  ///   in an array, and what cannot do without it is found by no query. Models inside it stay.
  /// - A query without an order finds them in the order of `models` from then on, and behind them what
  ///   is stored later. That order belongs to the query's conditions, whatever its limit. The store
  ///   keeps the 1,000 orders that have changed last.
  /// - Replacing models by equal ones writes nothing and notifies no observer, unless their order was
  ///   dropped in the meantime.
  ///
  /// ```swift
  /// try await models.replace(ModelQuery(Tweet.self).where(\.author.id, is: 7), with: tweets)
  /// ```
  ///
  /// - Parameters:
  ///   - query: Which models are replaced; it finds those of one list, and no others.
  ///   - models: The list; the last of several with the same identity is stored, in the place of the
  ///     first.
  /// - Returns: The models as they are stored now, in the same order.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if they could not be saved, or the query names a field that
  ///   is not declared; nothing has changed then.
  @discardableResult
  public func replace<Model: PersistableModel>(
    _ query: ModelQuery<Model>,
    with models: [Model]
  ) async throws(FreshetError) -> [Model] {
    let batch = try await ModelBatch.make(models, checks: core.checks)
    return try await writer.perform { transaction throws(FreshetError) in
      try transaction.replace(query, with: batch)
    }
  }
}

extension ModelTransaction {
  /// Saves models in the place of those that a query finds, see ``ModelStore/replace(_:with:)``.
  ///
  /// - Parameters:
  ///   - query: Which models are replaced.
  ///   - models: The list.
  /// - Returns: The models as they are stored now, in the same order.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if one of them cannot be stored.
  @discardableResult
  public func replace<Model: PersistableModel>(
    _ query: ModelQuery<Model>,
    with models: [Model]
  ) throws(FreshetError) -> [Model] {
    let batch = try noting { () throws(FreshetError) in try ModelBatch(models) }
    return try replace(query, with: batch)
  }

  func replace<Model: PersistableModel>(
    _ query: ModelQuery<Model>,
    with batch: ModelBatch<Model>
  ) throws(FreshetError) -> [Model] {
    var replacement = ModelReplacement(query)
    replacement.add(batch.part)
    return try replace(replacement) { transaction throws(FreshetError) in
      try transaction.write(batch)
    }
  }
}
