/// The changes of a transaction, for observers.
struct ModelChanges: Sendable {
  private static let limit = 4_096

  enum Change: Sendable {
    case some(Set<EntityID>)
    case all
  }

  private(set) var models: [String: Change] = [:]
  /// A Boolean value that indicates whether another process has changed something, or everything
  /// was removed.
  var isUnknown: Bool

  init(isUnknown: Bool = false) {
    self.isUnknown = isUnknown
  }

  var isEmpty: Bool { models.isEmpty && !isUnknown }

  mutating func add(_ key: EntityKey) {
    guard case .some(var ids) = models[key.model] ?? .some([]) else { return }
    // Taken out of the dictionary, so that the set is not copied.
    models[key.model] = .all
    ids.insert(key.id)
    if ids.count <= Self.limit { models[key.model] = .some(ids) }
  }

  mutating func addAll(_ model: String) {
    models[model] = .all
  }

  mutating func add(_ other: ModelChanges) {
    isUnknown = isUnknown || other.isUnknown
    for (model, change) in other.models {
      switch (models[model], change) {
      case (nil, _): models[model] = change
      case (.some(.some(let ids)), .some(let more)) where ids.count + more.count <= Self.limit:
        models[model] = .some(ids.union(more))
      default: models[model] = .all
      }
    }
  }
}

/// The models on which a read depends.
struct ModelInterest: Sendable {
  /// The models for which every change counts.
  var models: Set<String> = []
  var keys: Set<EntityKey> = []

  func isTouched(by changes: ModelChanges) -> Bool {
    if changes.isUnknown { return true }
    for (model, change) in changes.models {
      if models.contains(model) { return true }
      switch change {
      case .all:
        if keys.contains(where: { $0.model == model }) { return true }
      case .some(let ids):
        if ids.count <= keys.count {
          if ids.contains(where: { keys.contains(EntityKey(model: model, id: $0)) }) { return true }
        } else if keys.contains(where: { $0.model == model && ids.contains($0.id) }) {
          return true
        }
      }
    }
    return false
  }
}
