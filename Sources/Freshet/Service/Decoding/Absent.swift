/// A type that has a value for an answer that has none.
protocol Absent {
  static var absent: Self { get }
  /// Returns a Boolean value that indicates whether the value may take the place of a model.
  static func mayReplace(_ model: Any.Type) -> Bool
}

extension Optional: Absent {
  static var absent: Self { .none }

  static func mayReplace(_ model: Any.Type) -> Bool {
    if let wrapped = Wrapped.self as? any Absent.Type { return wrapped.mayReplace(model) }
    // Of an existential, which is no model itself, any model is one.
    return model is Wrapped.Type || !(Wrapped.self is any Decodable.Type)
  }
}

extension Empty: Absent {
  static var absent: Self { Empty() }

  static func mayReplace(_ model: Any.Type) -> Bool { true }
}

extension DecodingSource {
  /// Whether there is nothing to parse: no body, as after 204, 205 or HEAD, or only white space.
  var isEmpty: Bool {
    data.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  /// The value that needs no parsing, if that is so.
  ///
  /// - Throws: A failure if there is nothing to parse and the type has no value for that.
  func unparsed<Value>(_ type: Value.Type) throws -> Value? {
    if let empty = Empty() as? Value, Value.self == Empty.self { return empty }
    guard isEmpty else { return nil }
    guard let none = (type as? any Absent.Type)?.absent as? Value else {
      throw DecodingFailure.Reason("the body is empty")
    }
    return none
  }
}
