/// A type that has a value for a missing payload or an empty body.
protocol Absent {
  static var absent: Self { get }
  /// Returns a Boolean value that indicates whether the value may replace a value of the model.
  static func mayReplace(_ model: Any.Type) -> Bool
}

extension Optional: Absent {
  static var absent: Self { .none }

  static func mayReplace(_ model: Any.Type) -> Bool {
    if let wrapped = Wrapped.self as? any Absent.Type { return wrapped.mayReplace(model) }
    // An existential is no model itself; any model may be assigned to it.
    return model is Wrapped.Type || !(Wrapped.self is any Decodable.Type)
  }
}

extension EmptyResponse: Absent {
  static var absent: Self { EmptyResponse() }

  static func mayReplace(_ model: Any.Type) -> Bool { true }
}

extension DecodingSource {
  /// A Boolean value that indicates whether there is nothing to parse: no body, as after 204, 205
  /// or HEAD, or only white space.
  var isEmpty: Bool { data.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

  /// Returns the value for an empty source, or for ``EmptyResponse``; `nil` if the source has to be parsed.
  ///
  /// - Throws: A failure if there is nothing to parse and the type has no value for that.
  func unparsed<Value>(_ type: Value.Type) throws -> Value? {
    if let empty = EmptyResponse() as? Value, Value.self == EmptyResponse.self { return empty }
    guard isEmpty else { return nil }
    guard let none = (type as? any Absent.Type)?.absent as? Value else {
      throw DecodingFailure.Reason("the body is empty")
    }
    return none
  }
}
