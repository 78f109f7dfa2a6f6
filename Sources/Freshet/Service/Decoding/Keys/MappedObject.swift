/// An object whose members stand at other places.
struct MappedObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let places: MappedPlaces

  var codingPath: [any CodingKey] { places.base.codingPath }

  var allKeys: [Key] {
    let moved = places.map.entries.map(\.name).filter(places.contains)
    let own = places.base.allKeys.map(\.stringValue)
      .filter { places.map.index(of: $0) == nil }
    return (own + moved).compactMap { Key(stringValue: $0) }
  }
}

// MARK: - Members

extension MappedObject {
  func contains(_ key: Key) -> Bool { places.contains(key.stringValue) }

  func decodeNil(forKey key: Key) throws -> Bool { try places.isNil(key.stringValue) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard places.maps.isMapped(type) else {
      return try places.value(key.stringValue) { try $0.decode(type, forKey: $1) }
    }
    return try places.maps.value(type, from: try inner(key))
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard places.maps.isMapped(type) else {
      return try places.optional(key.stringValue) { try $0.decodeIfPresent(type, forKey: $1) }
    }
    guard let decoder = try places.inner(key.stringValue) else { return nil }
    return try places.maps.value(Value?.self, from: decoder)
  }

  private func inner(_ key: Key) throws -> any Decoder {
    guard let decoder = try places.inner(key.stringValue) else {
      throw places.missing(key.stringValue)
    }
    return decoder
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try inner(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key).unkeyedContainer()
  }

  /// Returns a decoder of this object: a superclass has its properties mapped with those of the class.
  func superDecoder() throws -> any Decoder {
    places.base.contains(AnyCodingKey.text("super"))
      ? try places.base.superDecoder()
      : MappingDecoder(base: places.decoder, map: places.map, maps: places.maps)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try inner(key)
  }
}

// MARK: - Numbers and texts

/// The types of most properties, for which no key has to be looked for, and those for which the standard library's
/// versions fail.
extension MappedObject {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try places.value(key.stringValue) { try $0.decode(type, forKey: $1) }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try places.optional(key.stringValue) { try $0.decodeIfPresent(type, forKey: $1) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try places.value(key.stringValue) { try $0.decode(type, forKey: $1) }
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try places.optional(key.stringValue) { try $0.decodeIfPresent(type, forKey: $1) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try places.value(key.stringValue) { try $0.decode(type, forKey: $1) }
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try places.optional(key.stringValue) { try $0.decodeIfPresent(type, forKey: $1) }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try places.value(key.stringValue) { try $0.decode(type, forKey: $1) }
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try places.optional(key.stringValue) { try $0.decodeIfPresent(type, forKey: $1) }
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try places.value(key.stringValue) { try $0.decode(type, forKey: $1) }
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try places.optional(key.stringValue) { try $0.decodeIfPresent(type, forKey: $1) }
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try places.value(key.stringValue) { try $0.decode(type, forKey: $1) }
  }

  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try places.optional(key.stringValue) { try $0.decodeIfPresent(type, forKey: $1) }
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try places.value(key.stringValue) { try $0.decode(type, forKey: $1) }
  }

  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try places.optional(key.stringValue) { try $0.decodeIfPresent(type, forKey: $1) }
  }
}
