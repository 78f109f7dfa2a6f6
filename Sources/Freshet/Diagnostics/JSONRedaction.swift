import FreshetEssentials

/// Finds the secrets in a JSON text, and leaves every other byte unchanged.
///
/// It parses the text and finds the values of members with secret names, the elements after secret
/// names (`["token","x"]`), the siblings of a secret name (`{"name":"token","value":"x"}`), and strings
/// that contain secrets themselves. Text after a syntax error is not parsed.
///
/// A secret value keeps its type, so that the text can still be decoded: its strings become a placeholder
/// and its numbers 0, while `true`, `false`, `null` and the structure stay.
struct JSONRedaction {
  /// A range of the text, and its replacement.
  struct Replacement {
    let range: Range<Int>
    let text: [UInt8]
  }

  private struct Fault: Error {}

  private let rules: ValueRedaction
  private let bytes: [UInt8]
  private var index = 0
  private var nesting = 0
  /// The replacements, in order.
  private(set) var replacements: [Replacement] = []
  /// The length of the parsed text: all of it, or the part before a syntax error.
  private(set) var length: Int
  /// A Boolean value that indicates whether the whole text is valid JSON.
  private(set) var isWhole = true
  /// The position of the secret value that is being parsed.
  private var secret: Int?

  /// The depth limit, which is halved for each level of JSON in strings: all together are less than
  /// twice the first.
  private var depthLimit: Int { 64 >> rules.depth }

  /// Parses a text to its end, or to the first syntax error.
  init(_ bytes: [UInt8], rules: ValueRedaction) {
    self.bytes = bytes
    self.rules = rules
    length = bytes.count
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    do throws(Fault) {
      try value()
      skipSpace()
      guard index == bytes.count else { throw Fault() }
    } catch {
      isWhole = false
      length = secret ?? index
      replacements.removeAll { $0.range.upperBound > length }
    }
  }

  /// The strings and numbers of which nothing is shown.
  var hiddenValues: [String] {
    let hidden = Self.literal(Redaction.placeholder)
    return replacements.compactMap { replacement in
      let value = bytes[replacement.range]
      if replacement.text == Self.zero { return String(decoding: value, as: UTF8.self) }
      guard replacement.text == hidden else { return nil }
      return try? JSONDecoder().decode(String.self, from: Data(value))
    }
  }

  /// The text with its secrets replaced.
  var text: String {
    var shown: [UInt8] = []
    shown.reserveCapacity(length)
    var position = 0
    for replacement in replacements {
      shown += bytes[position..<replacement.range.lowerBound] + replacement.text
      position = replacement.range.upperBound
    }
    return String(decoding: shown + bytes[position..<length], as: UTF8.self)
  }
}

// MARK: - Values

extension JSONRedaction {
  private mutating func value() throws(Fault) {
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"): try nested { (self) throws(Fault) in try self.object() }
    case UInt8(ascii: "["): try nested { (self) throws(Fault) in try self.array() }
    case ASCII.quote:
      let start = index
      let text = try string()
      let shown = secret == nil ? rules.redacted(text) : Redaction.placeholder
      if let shown { replace(start..<index, Self.literal(shown)) }
    case UInt8(ascii: "t"): try take("true")
    case UInt8(ascii: "f"): try take("false")
    case UInt8(ascii: "n"): try take("null")
    default:
      let start = index
      do throws(Fault) {
        try number()
      } catch {
        showNothing(from: start)
        throw error
      }
      if secret != nil || isSecret(number: String(decoding: bytes[start..<index], as: UTF8.self)) {
        replace(start..<index, Self.zero)
      }
    }
  }

  private static let zero = [UInt8(ascii: "0")]

  private func isSecret(number: String) -> Bool { rules.secrets.hidden(in: number) != nil }

  /// Goes back to the start of an invalid number if it contains a secret.
  private mutating func showNothing(from start: Int) {
    let fault = index
    index = start
    if !isSecret(number: String(numberAhead)) { index = fault }
  }

  /// Parses a value whose strings and numbers are hidden.
  private mutating func secretValue() throws(Fault) {
    skipSpace()
    let outer = secret
    secret = outer ?? index
    try value()
    secret = outer
  }

  /// Returns the name of a member without secrets; `nil` if all of it may be shown.
  ///
  /// In a secret value, only a plain word is the name of a member; anything else may be a key of a
  /// dictionary, and secret itself.
  private func redacted(name: String) -> String? {
    guard secret != nil else { return rules.redacted(name) }
    let isWord =
      name.utf8.count <= 24
      && name.utf8.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "_") }
    return isWord ? nil : Redaction.placeholder
  }

  private mutating func nested(
    _ body: (inout JSONRedaction) throws(Fault) -> Void
  ) throws(Fault) {
    nesting += 1
    guard nesting <= depthLimit else { throw Fault() }
    index += 1
    try body(&self)
    nesting -= 1
  }

  private mutating func object() throws(Fault) {
    let mark = replacements.count
    var values: [Range<Int>] = []
    var label: Int?
    try members(until: UInt8(ascii: "}")) {
      label != nil
    } _: { (self) throws(Fault) in
      let start = self.index
      let name = try self.string()
      if let shown = self.redacted(name: name) {
        self.replace(start..<self.index, Self.literal(shown))
      }
      self.skipSpace()
      try self.take(":")
      self.skipSpace()
      let place = self.index
      if self.rules.names.hide(self.numberAhead, of: name) {
        try self.secretValue()
      } else {
        let text = try self.stringAhead()
        try self.value()
        if Self.labels.contains(ASCII.lowercased(name)), self.isSecretName(text) {
          label = values.count
        }
      }
      values.append(place..<self.index)
    }
    guard let label else { return }
    values.remove(at: label)
    hide(values, since: mark)
  }

  private static let labels: Set<String> = [
    "name", "key", "field", "header", "parameter", "param", "property", "attribute", "label", "id",
    "n", "k",
  ]

  private mutating func array() throws(Fault) {
    let mark = replacements.count
    var elements: [(range: Range<Int>, isSecretName: Bool)] = []
    try members(until: UInt8(ascii: "]")) {
      elements.contains(where: \.isSecretName)
    } _: { (self) throws(Fault) in
      let start = self.index
      let text = try self.stringAhead()
      try self.value()
      elements.append((start..<self.index, self.isSecretName(text)))
    }
    // An array of alternating names and values.
    guard elements.count.isMultiple(of: 2) else { return }
    let secrets = elements.indices.filter { !$0.isMultiple(of: 2) && elements[$0 - 1].isSecretName }
    hide(secrets.map { elements[$0].range }, since: mark)
  }

  private func isSecretName(_ text: String?) -> Bool {
    guard let text, text.utf8.count <= 64, !text.utf8.contains(0x20) else { return false }
    return rules.names.contain(text)
  }

  /// Parses the members of an object or array.
  ///
  /// Without its end, one that names a secret is not shown: which of its members the secret is, is not known.
  private mutating func members(
    until end: UInt8,
    namesSecret: () -> Bool,
    _ body: (inout JSONRedaction) throws(Fault) -> Void
  ) throws(Fault) {
    let begin = index - 1
    do throws(Fault) {
      skipSpace()
      if peek == end {
        index += 1
        return
      }
      while true {
        skipSpace()
        try body(&self)
        skipSpace()
        if peek == ASCII.comma {
          index += 1
          continue
        }
        guard peek == end else { throw Fault() }
        index += 1
        return
      }
    } catch {
      if namesSecret() { secret = min(secret ?? begin, begin) }
      throw error
    }
  }

  /// Replaces the range that was parsed last, including the replacements in it.
  private mutating func replace(_ range: Range<Int>, _ text: [UInt8]) {
    while let last = replacements.last, last.range.lowerBound >= range.lowerBound {
      replacements.removeLast()
    }
    replacements.append(Replacement(range: range, text: text))
  }

  /// Hides values, given in order, including the replacements in them since the mark.
  private mutating func hide(_ values: [Range<Int>], since mark: Int) {
    // In a secret value, everything is hidden already.
    guard !values.isEmpty, secret == nil else { return }
    let found = Array(replacements[mark...])
    replacements.removeSubrange(mark...)
    var rest = found[...]
    for value in values {
      while let next = rest.first, next.range.lowerBound < value.lowerBound {
        replacements.append(next)
        rest.removeFirst()
      }
      rest = rest.drop { $0.range.lowerBound < value.upperBound }
      replacements += hidden(value)
    }
    replacements += rest
  }

  /// Returns the replacements that hide a value that was parsed before.
  private func hidden(_ value: Range<Int>) -> [Replacement] {
    var parser = self
    parser.index = value.lowerBound
    parser.replacements = []
    do throws(Fault) {
      try parser.secretValue()
      return parser.replacements
    } catch {
      return [Replacement(range: value, text: Self.literal(Redaction.placeholder))]
    }
  }
}

// MARK: - Tokens

extension JSONRedaction {
  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  private mutating func take(_ word: StaticString) throws(Fault) {
    let isThere = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
    guard isThere else { throw Fault() }
    index += word.utf8CodeUnitCount
  }

  private var numberAhead: Substring {
    let number = bytes[index...].prefix { ASCII.isDigit($0) || "-+.eE".utf8.contains($0) }
    return Substring(decoding: number, as: UTF8.self)
  }

  private mutating func number() throws(Fault) {
    if peek == UInt8(ascii: "-") { index += 1 }
    let isZero = peek == UInt8(ascii: "0")
    let start = index
    try digits()
    guard !isZero || index == start + 1 else { throw Fault() }
    if peek == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      index += 1
      if peek == UInt8(ascii: "-") || peek == UInt8(ascii: "+") { index += 1 }
      try digits()
    }
  }

  private mutating func digits() throws(Fault) {
    let start = index
    while let byte = peek, ASCII.isDigit(byte) { index += 1 }
    guard index > start else { throw Fault() }
  }

  /// Returns the string at the current position without consuming it; `nil` if there is no string.
  private mutating func stringAhead() throws(Fault) -> String? {
    guard peek == ASCII.quote else { return nil }
    let start = index
    defer { index = start }
    return try string()
  }

  private mutating func string() throws(Fault) -> String {
    guard peek == ASCII.quote else { throw Fault() }
    let start = index
    var end = index + 1
    var isEscaped = false
    while end < bytes.count, bytes[end] != ASCII.quote {
      guard bytes[end] >= 0x20 else { throw Fault() }
      if bytes[end] == ASCII.backslash {
        isEscaped = true
        end += 1
      }
      end += 1
    }
    guard end < bytes.count else { throw Fault() }
    let literal = bytes[start...end]
    let text =
      isEscaped
      ? try? JSONDecoder().decode(String.self, from: Data(literal))
      : String(validating: literal.dropFirst().dropLast(), as: UTF8.self)
    guard let text else { throw Fault() }
    index = end + 1
    return text
  }

  private static func literal(_ text: String) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Encoding a string never fails.
    return [UInt8]((try? encoder.encode(text)) ?? Data("\"\"".utf8))
  }
}
