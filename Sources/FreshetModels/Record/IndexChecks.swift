import Freshet
import Synchronization

/// The types whose indexes were checked against their fields.
///
/// Without the check, a wrong coding path would go unnoticed: nothing would ever be found by it.
final class IndexChecks: Sendable {
  private let done = Mutex<Set<ObjectIdentifier>>([])

  func isDone(_ type: any PersistableModel.Type) -> Bool {
    done.withLock { $0.contains(ObjectIdentifier(type)) }
  }

  /// Compares the values of queries with the stored values of each path.
  ///
  /// - Throws: A failure that names an index for which another kind of value is stored, or no value
  ///   although the type has no such key.
  func check<Model: PersistableModel>(
    _ model: Model,
    _ node: EncodedNode,
    _ record: ModelRecord
  ) throws {
    var isComplete = true
    for index in Model.indexes {
      let value = model[keyPath: index.keyPath] as? any Encodable
      let asked = try value.map { try EncodingContext().index($0) } ?? .null
      let keys = ModelTable.keys(index.path)
      let stored = try record.indexed(keys)
      switch (asked.kind, stored.kind) {
      case (.nothing, _): isComplete = false
      case (_, .nothing) where node.mayHold(keys[...]): isComplete = false
      case (let asked, let stored) where asked == stored: break
      default:
        throw FreshetError.store(
          "a \(Model.modelName) cannot be stored: '\(index.path)' does not hold \(index.keyPath)"
        )
      }
    }
    // A field that had no value is checked again with the next model.
    if isComplete { done.withLock { _ = $0.insert(ObjectIdentifier(Model.self)) } }
  }
}

extension SQLiteValue {
  fileprivate enum Kind {
    case nothing
    case number
    case text
    case bytes
  }

  fileprivate var kind: Kind {
    switch self {
    case .null: .nothing
    case .integer, .real: .number
    case .text: .text
    case .blob, .bytes: .bytes
    }
  }
}

extension EncodedNode {
  /// Returns a Boolean value that indicates whether the encoded type may have a value at a path,
  /// although it has none now.
  fileprivate func mayHold(_ path: ArraySlice<String>) -> Bool {
    guard let key = path.first else { return true }
    switch self {
    case .deferred(let encoder):
      return encoder.result.mayHold(path)
    case .map(let map):
      guard let place = map.keys.lastIndex(of: key) else { return map.keyTypes.know(key) }
      return map.nodes[place].mayHold(path.dropFirst())
    default:
      return false
    }
  }
}
