/// Any JSON value, for data without a model.
///
/// ```swift
/// let isAda = json["users"]?[0]?["name"] == "Ada"
/// let prompt: JSONValue = ["model": "small", "messages": [["role": "user", "content": "\(text)"]]]
/// ```
///
/// A literal is a value, except for `nil`, which is a missing one: write ``null``.
public enum JSONValue: Sendable, Hashable {
  /// `null`
  case null
  /// `true` or `false`
  case boolean(Bool)
  /// A number without a fraction that fits in 64 bits; also one whose fraction is too small for a `Double`.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A text.
  case string(String)
  /// The elements in order.
  case array([JSONValue])
  /// The members, without their order.
  case object([String: JSONValue])

  /// Returns the member with this name, or `nil`, also if this is no object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// Returns the element at this position, or `nil`, also if this is no array.
  public subscript(position: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
    return elements[position]
  }
}

extension JSONValue: Codable {
  /// Decodes any value.
  ///
  /// Deep objects of objects, and deep arrays of arrays, take no longer than flat ones; where both alternate,
  /// the time for each level grows with the depth.
  ///
  /// - Throws: `DecodingError` for a value in more than 128 arrays and objects: the stacks of threads are small.
  public init(from decoder: any Decoder) throws {
    try self.init(from: decoder, expectsArray: false)
  }

  /// Decodes a value, which is tried as the expected kind first.
  ///
  /// An error of a decoder has its path, so that one for each level of a deep value is slow.
  private init(from decoder: any Decoder, expectsArray: Bool) throws {
    if expectsArray, var elements = try? decoder.unkeyedContainer() {
      self = .array(try Self.values(of: &elements))
    } else if let members = try? decoder.container(keyedBy: AnyCodingKey.self) {
      self = .object(try Self.values(of: members))
    } else if !expectsArray, var elements = try? decoder.unkeyedContainer() {
      self = .array(try Self.values(of: &elements))
    } else {
      try self.init(scalar: decoder.singleValueContainer())
    }
  }

  private static let depthLimit = 128

  private static func checkDepth(_ path: [any CodingKey]) throws {
    guard path.count >= depthLimit else { return }
    let reason = "The value is nested in more than \(depthLimit) arrays and objects."
    throw DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: reason))
  }

  /// An element of an array, which is an array itself in deep ones.
  private struct Element: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
      value = try JSONValue(from: decoder, expectsArray: true)
    }
  }

  private static func values(of elements: inout any UnkeyedDecodingContainer) throws -> [JSONValue]
  {
    try checkDepth(elements.codingPath)
    var values: [JSONValue] = []
    while !elements.isAtEnd { values.append(try elements.decode(Element.self).value) }
    return values
  }

  private static func values(
    of members: KeyedDecodingContainer<AnyCodingKey>
  ) throws -> [String: JSONValue] {
    try checkDepth(members.codingPath)
    var values: [String: JSONValue] = [:]
    for key in members.allKeys {
      values[key.stringValue] = try members.decode(JSONValue.self, forKey: key)
    }
    return values
  }

  private init(scalar container: any SingleValueDecodingContainer) throws {
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
