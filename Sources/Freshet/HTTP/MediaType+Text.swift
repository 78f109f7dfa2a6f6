extension MediaType {
  /// Parses a media type from a field's value, such as `text/html; charset=utf-8`.
  ///
  /// Values of parameters may be quoted. Empty parameters and white space around semicolons are
  /// allowed. White space around `=` or `/`, and anything else that violates the grammar, gives `nil`.
  public init?(_ text: String) {
    let parts = FieldList.parts(of: text)
    let essence = parts[0].split(separator: "/", omittingEmptySubsequences: false)
    guard essence.count == 2, essence.allSatisfy({ ASCII.isToken($0) }) else { return nil }
    var parameters: [Parameter] = []
    for part in parts.dropFirst() where !part.isEmpty {
      guard let parameter = Parameter(part) else { return nil }
      parameters.append(parameter)
    }
    self.init(String(essence[0]), String(essence[1]), parameters: parameters)
  }

  /// A Boolean value that indicates whether it can be written to a header field.
  var isValid: Bool {
    ASCII.isToken(type) && ASCII.isToken(subtype)
      && parameters.allSatisfy { parameter in
        ASCII.isToken(parameter.name)
          && parameter.value.utf8.allSatisfy { !ASCII.isControl($0) || $0 == 0x09 }
      }
  }
}

extension MediaType.Parameter {
  /// Parses `name=value` or `name="value"`.
  fileprivate init?(_ text: Substring) {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let name = text[..<equals]
    let rest = text[text.utf8.index(after: equals)...]
    guard ASCII.isToken(name),
      let value = ASCII.isToken(rest) ? String(rest) : FieldList.unquoted(rest)
    else { return nil }
    self.init(name: String(name), value: value)
  }
}

extension MediaType: CustomStringConvertible {
  /// The media type as a field's value; parameter values that are not tokens are quoted.
  public var description: String {
    parameters.reduce("\(type)/\(subtype)") { text, parameter in
      "\(text); \(parameter.name)=\(FieldList.quotedIfNeeded(parameter.value))"
    }
  }
}
