import Foundation

/// What stands at a path of keys and positions in a body.
struct RoutePayload<Value: Decodable>: DecodableWithConfiguration {
  let value: Value

  init(from decoder: any Decoder, configuration path: [String]) throws {
    value = try Self.find(path[...], in: decoder)
  }

  private static func find(_ path: ArraySlice<String>, in decoder: any Decoder) throws -> Value {
    guard let step = path.first else {
      return try decoder.singleValueContainer().decode(Value.self)
    }
    guard let next = try decoderOfChild(step, in: decoder) else {
      return try absent(step, in: decoder)
    }
    return try find(path.dropFirst(), in: next)
  }

  /// `nil` if there is no such child; a `null` is a child.
  private static func decoderOfChild(
    _ step: String,
    in decoder: any Decoder
  ) throws -> (any Decoder)? {
    let key = ParameterKey(step)
    if let container = try? decoder.container(keyedBy: ParameterKey.self) {
      return container.contains(key) ? try container.superDecoder(forKey: key) : nil
    }
    guard let position = ASCII.integer(step), var container = try? decoder.unkeyedContainer() else {
      return nil
    }
    for _ in 0..<position where !container.isAtEnd {
      _ = try container.superDecoder()
    }
    return container.isAtEnd ? nil : try container.superDecoder()
  }

  private static func absent(_ step: String, in decoder: any Decoder) throws -> Value {
    if let value = RoutePayload<Value>.null { return value }
    let context = DecodingError.Context(
      codingPath: decoder.codingPath,
      debugDescription: "there is no payload"
    )
    throw DecodingError.keyNotFound(ParameterKey(step), context)
  }

  /// The value of an optional type that is not there.
  static var null: Value? {
    guard Value.self is any ExpressibleByNilLiteral.Type else { return nil }
    return try? JSONDecoder().decode(Value.self, from: Data("null".utf8))
  }
}

/// A decodable type behind one type.
struct RouteModel: Sendable {
  let type: any Sendable.Type
  let decode: @Sendable (Data, JSONDecoder, [String]) throws -> any Sendable

  init<Value: Decodable & Sendable>(_ type: Value.Type) {
    self.type = type
    decode = { data, decoder, path in
      // Bytes are what was received; as JSON they would be Base64.
      if path.isEmpty, let bytes = data as? Value { return bytes }
      if data.isEmpty, let value = RoutePayload<Value>.null { return value }
      return try decoder.decode(RoutePayload<Value>.self, from: data, configuration: path).value
    }
  }

  func isSame(as other: RouteModel) -> Bool {
    ObjectIdentifier(type) == ObjectIdentifier(other.type)
  }
}
