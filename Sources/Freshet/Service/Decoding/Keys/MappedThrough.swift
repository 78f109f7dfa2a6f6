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
    elements.reserveCapacity(container.count ?? 0)
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
    let container = try decoder.container(keyedBy: PathKey.self)
    var values: [String: Value] = [:]
    for key in container.allKeys {
      values[key.stringValue] = try maps.value(
        Value.self,
        from: container.superDecoder(forKey: key)
      )
    }
    return values
  }
}
