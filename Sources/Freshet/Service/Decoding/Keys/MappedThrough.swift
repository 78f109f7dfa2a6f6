/// A type through which keys reach the models in it.
protocol MappedThrough {
  static var inner: Any.Type { get }
  static func mapped(by maps: KeyMaps, from decoder: any Decoder) throws -> Self
}

extension Array: MappedThrough where Element: Decodable {
  static var inner: Any.Type { Element.self }

  static func mapped(by maps: KeyMaps, from decoder: any Decoder) throws -> [Element] {
    var container = try decoder.unkeyedContainer()
    let map = Element.self is any MappedThrough.Type ? nil : maps.map(of: Element.self)
    var elements: [Element] = []
    while !container.isAtEnd {
      if elements.count % 64 == 63, Task.isCancelled { throw CancellationError() }
      let element = try container.superDecoder()
      if let map {
        let decoder = MappingDecoder(base: element, map: map, maps: maps)
        elements.append(try Element(from: decoder))
      } else {
        elements.append(try maps.value(Element.self, from: element))
      }
    }
    return elements
  }
}

extension Optional: MappedThrough where Wrapped: Decodable {
  static var inner: Any.Type { Wrapped.self }

  static func mapped(by maps: KeyMaps, from decoder: any Decoder) throws -> Wrapped? {
    try decoder.singleValueContainer().decodeNil()
      ? nil : maps.value(Wrapped.self, from: decoder)
  }
}

extension Dictionary: MappedThrough where Key == String, Value: Decodable {
  static var inner: Any.Type { Value.self }

  static func mapped(by maps: KeyMaps, from decoder: any Decoder) throws -> [String: Value] {
    // A decoder that converts keys converts those of a container, but not those of a dictionary.
    let values = try KeyMaps.$current.withValue(KeyMaps.Reference(maps: maps)) {
      try decoder.singleValueContainer().decode([String: MappedValue<Value>].self)
    }
    return values.mapValues(\.value)
  }
}

/// A value of a dictionary that is read by ``KeyMaps/current``.
private struct MappedValue<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    value =
      try KeyMaps.current?.maps.value(Value.self, from: decoder)
      ?? decoder.singleValueContainer().decode(Value.self)
  }
}
