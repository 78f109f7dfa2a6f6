import Freshet

/// The models in a value with changes that the server has not confirmed; see ``ChangeQueue``.
///
/// ```swift
/// ForEach(live.value) { spring in
///   Row(spring).opacity(live.pending.contains(spring) ? 0.5 : 1)
/// }
/// ```
public struct PendingModels: Sendable, Hashable {
  let keys: Set<EntityKey>

  /// No models.
  public static let none = PendingModels(keys: [])

  /// A Boolean value that indicates whether all of the value is confirmed.
  public var isEmpty: Bool { keys.isEmpty }

  /// The number of models.
  public var count: Int { keys.count }

  /// Returns a Boolean value that indicates whether a model has pending changes.
  ///
  /// - Parameter model: A model of the value, or inside of one.
  /// - Returns: `true` if it has pending changes.
  public func contains<Model: PersistableModel>(_ model: Model) -> Bool {
    contains(Model.self, id: model.id)
  }

  /// Returns a Boolean value that indicates whether the model with an identity has pending changes.
  ///
  /// - Parameters:
  ///   - type: The type of the model.
  ///   - id: The identity.
  /// - Returns: `true` if it has pending changes, or if a pending change has deleted it.
  public func contains<Model: PersistableModel>(_ type: Model.Type, id: Model.ID) -> Bool {
    if keys.isEmpty { return false }
    guard let id = try? ModelBatch.identify(type, id) else { return false }
    return keys.contains(EntityKey(model: Model.modelName, id: id))
  }
}

extension PendingModels: CustomStringConvertible {
  /// The number of models, without their identities.
  public var description: String { "\(keys.count) pending" }
}

extension ModelReading {
  func pendingKeys() throws(FreshetError) -> Set<EntityKey> {
    try connection.report(try ChangeLayer(connection: connection).pendingKeys)
  }

  /// The models with pending changes in a value that was read: those in it, and those of the observed
  /// models that pending changes have deleted.
  func pendingModels(
    _ pending: Set<EntityKey>,
    _ context: ReadingContext,
    _ interest: ModelInterest
  ) throws(FreshetError) -> PendingModels {
    if pending.isEmpty { return .none }
    var keys = context.readPending.union(interest.keys.intersection(pending))
    for key in pending where interest.models.contains(key.model) && !keys.contains(key) {
      let isDeleted = try connection.report(try connection.table(key.model)?.row(key.id) == nil)
      if isDeleted { keys.insert(key) }
    }
    return PendingModels(keys: keys)
  }
}
