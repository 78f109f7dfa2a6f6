import Freshet
import FreshetEssentials

/// Encodes a value as a node; its nested models become records of their own.
///
/// It exists for one call of ``EncodingContext``.
final class ModelEncoder: Encoder {
  let context: EncodingContext
  private let path: Path
  private var node: EncodedNode?

  init(_ context: EncodingContext) {
    self.context = context
    path = .root
  }

  private init(_ context: EncodingContext, at path: Path) {
    self.context = context
    self.path = path
  }

  /// The keys that lead to a value.
  ///
  /// A child holds them, and not its encoder, which may hold the child.
  private indirect enum Path {
    case root
    case key(any CodingKey, in: Path)

    var keys: [any CodingKey] {
      switch self {
      case .root: []
      case .key(let key, let parent): parent.keys + [key]
      }
    }
  }

  var codingPath: [any CodingKey] { path.keys }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The encoded value; an empty struct if nothing was encoded.
  var result: EncodedNode { node ?? .map(EncodedMap()) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let map: EncodedMap
    if case .map(let earlier) = node {
      map = earlier
    } else {
      map = EncodedMap()
      node = .map(map)
    }
    map.keyTypes.append(type)
    return KeyedEncodingContainer(MapEncoding(encoder: self, map: map))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list(let list) = node { return ListEncoding(encoder: self, list: list) }
    let list = EncodedList()
    node = .list(list)
    return ListEncoding(encoder: self, list: list)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func child(_ key: any CodingKey) -> ModelEncoder {
    ModelEncoder(context, at: .key(key, in: path))
  }

  func encode<Value: Encodable>(
    _ value: Value,
    at key: @autoclosure () -> any CodingKey
  ) throws -> EncodedNode {
    if let node = EncodedNode(foundation: value) { return node }
    let facts = context.types.facts(Value.self)
    if facts.isModel, !context.isSelfContained, let model = value as? any PersistableModel {
      return .reference(try context.add(model))
    }
    let child = child(key())
    try value.encode(to: child)
    child.closeIfEnumeration(value)
    if let order = facts.order, case .list(let list) = child.node { list.order = order }
    return child.result
  }

  /// Closes the map of an enumeration with a payload, whose only key is its case, so that no other
  /// key is ever kept beside it.
  func closeIfEnumeration<Value>(_ value: Value) {
    guard case .map(let map) = node, map.nodes.count == 1, case .deferred = map.nodes[0] else {
      return
    }
    if Mirror(reflecting: value).displayStyle == .enum { map.isClosed = true }
  }
}

// MARK: - One value

extension ModelEncoder: SingleValueEncodingContainer {
  func encodeNil() { node = .null }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let scalar = EncodedNode(scalar: value) {
      node = scalar
    } else {
      node = try encode(value, at: AnyCodingKey.index(0))
    }
  }
}

// MARK: - Containers

private struct MapEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ModelEncoder
  let map: EncodedMap

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) {
    map.set(.null, for: key.stringValue)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    if let node = EncodedNode(scalar: value) {
      map.set(node, for: key.stringValue)
    } else {
      map.set(try encoder.encode(value, at: key), for: key.stringValue)
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    begun(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    begun(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { deferred(AnyCodingKey.text("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { deferred(key) }

  /// Returns the encoder of the container that was begun for a key before, or of a new one.
  private func begun(_ key: Key) -> ModelEncoder {
    if case .deferred(let child) = map.last(key.stringValue) { child } else { deferred(key) }
  }

  private func deferred(_ key: any CodingKey) -> ModelEncoder {
    let child = encoder.child(key)
    map.set(.deferred(child), for: key.stringValue)
    return child
  }
}

private struct ListEncoding: UnkeyedEncodingContainer {
  let encoder: ModelEncoder
  let list: EncodedList

  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int { list.nodes.count }

  func encodeNil() { list.nodes.append(.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let node = EncodedNode(scalar: value) {
      list.nodes.append(node)
    } else {
      list.nodes.append(try encoder.encode(value, at: AnyCodingKey.index(count)))
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    deferred().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { deferred().unkeyedContainer() }

  func superEncoder() -> any Encoder { deferred() }

  private func deferred() -> ModelEncoder {
    let child = encoder.child(AnyCodingKey.index(count))
    list.nodes.append(.deferred(child))
    return child
  }
}
