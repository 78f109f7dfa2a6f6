/// A decoder whose objects have the properties of a model at other places.
struct MappingDecoder: Decoder {
  let base: any Decoder
  let map: KeyMap
  let maps: KeyMaps

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    map.audit(type)
    let places = MappedPlaces(
      decoder: base,
      base: try base.container(keyedBy: AnyCodingKey.self),
      map: map,
      maps: maps
    )
    return KeyedDecodingContainer(MappedObject<Key>(places: places))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    try base.singleValueContainer()
  }
}
