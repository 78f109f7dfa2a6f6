extension JSONValue: ExpressibleByFloatLiteral {
  /// Makes a number; `1.0` is ``integer(_:)``, as it is when it is decoded.
  public init(floatLiteral value: Double) {
    self = Int64(exactly: value).map(JSONValue.integer) ?? .number(value)
  }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  /// Makes a number without a fraction.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  /// Makes `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension JSONValue: ExpressibleByStringInterpolation {
  /// Makes a text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
  /// Makes an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  /// Makes an object; of members with the same name, it has the last.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(Dictionary(members) { $1 })
  }
}
