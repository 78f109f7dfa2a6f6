import FreshetEssentials

/// The maps of all types while one body is decoded.
final class KeyMaps {
  /// The maps by which the values of a dictionary are read; `Decodable` has no parameter for them.
  @TaskLocal static var current: Reference?

  /// Maps in a task-local value.
  ///
  /// It is `@unchecked Sendable` because only the values of a dictionary read it, within the synchronous
  /// call that has set it; another task that inherits it sets its own before it reads any.
  struct Reference: @unchecked Sendable {
    let maps: KeyMaps
  }

  /// The last type that was found not to be mapped, since looking that up takes time.
  private var lastPlain: ObjectIdentifier?
  private var maps: [ObjectIdentifier: KeyMap] = [:]

  /// Makes the maps for a type, or `nil` if nothing in it is mapped.
  ///
  /// - Parameters:
  ///   - type: The type that is asked for.
  ///   - keys: The keys of the call.
  init?(for type: Any.Type, keys: [String: PayloadPath]) {
    let leaf = Self.leaf(of: type)
    let typed = (leaf as? any KeyMapped.Type)?.keys
    guard typed != nil || !keys.isEmpty else { return nil }
    maps[ObjectIdentifier(leaf)] = KeyMap((typed ?? [:]).merging(keys) { $1 })
  }

  /// The type inside of arrays, optionals and dictionaries.
  static func leaf(of type: Any.Type) -> Any.Type {
    if let through = type as? any MappedThrough.Type { return leaf(of: through.inner) }
    return type
  }

  /// The map of a type, or `nil` if its properties stand under their own names.
  func map(of type: Any.Type) -> KeyMap? {
    if let map = maps[ObjectIdentifier(type)] { return map }
    guard let mapped = type as? any KeyMapped.Type else { return nil }
    let map = KeyMap(mapped.keys)
    maps[ObjectIdentifier(type)] = map
    return map
  }

  /// A Boolean value that indicates whether a type is read by keys, or holds one that is.
  func isMapped(_ type: Any.Type) -> Bool {
    if lastPlain == ObjectIdentifier(type) { return false }
    if Self.leaf(of: type) is any KeyMapped.Type { return true }
    lastPlain = ObjectIdentifier(type)
    return false
  }

  func value<Value: Decodable>(
    _ type: Value.Type = Value.self,
    from decoder: any Decoder
  ) throws -> Value {
    if let through = type as? any MappedThrough.Type,
      let value = try through.mapped(by: self, from: decoder) as? Value
    {
      return value
    }
    guard let map = map(of: type) else {
      return try decoder.singleValueContainer().decode(type)
    }
    return try Value(from: MappingDecoder(base: decoder, map: map, maps: self))
  }

  /// A name among the keys of a type that the type does not have, as a sentence.
  var misnomer: String? {
    maps.values.compactMap(\.misnomer).min()
      .map { "its keys name “\($0)”, which the type does not have" }
  }
}

extension KeyMaps {
  /// Decodes a body by the keys.
  ///
  /// - Throws: The decoder's error, or a reason if the keys name what the type does not have.
  func decode<Value: Decodable>(
    _ type: Value.Type,
    by decoder: JSONDecoder,
    from data: Data
  ) throws -> Value {
    do {
      let value = try decoder.decode(MappedRoot<Value>.self, from: data, configuration: self).value
      if let misnomer { throw DecodingFailure.Reason(misnomer) }
      return value
    } catch {
      throw misnomer.map { DecodingFailure.Reason($0) } ?? error
    }
  }
}

/// A body that is read by keys.
private struct MappedRoot<Value: Decodable>: DecodableWithConfiguration {
  let value: Value

  init(from decoder: any Decoder, configuration: KeyMaps) throws {
    value = try configuration.value(from: decoder)
  }
}
