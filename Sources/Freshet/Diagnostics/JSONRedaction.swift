import Foundation

/// Finds what a JSON text must not show, and leaves every other byte as it is.
///
/// It parses the text: members with secret names, elements behind secret names (`["token","x"]`), the siblings of a secret
/// name (`{"name":"token","value":"x"}`), and strings that hold secrets themselves. What stands behind a fault is not
/// understood.
struct JSONRedaction {
  /// A range of the text, and what is shown in its place.
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
  /// The length of what was understood: all, or what stands before a fault.
  private(set) var length: Int
  /// A Boolean value that indicates whether all of the text is JSON.
  private(set) var isWhole = true
  /// The position of the secret value that is being read.
  private var secret: Int?

  /// Less for what is inside of a string: all levels together stay below twice the first one's.
  private var depthLimit: Int { 64 >> rules.depth }

  /// Reads a text to its end, or to the first fault.
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

  /// The text with what must not be seen replaced.
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
      if let shown = rules.redacted(try string()) { replace(start..<index, shown) }
    case UInt8(ascii: "t"): try take("true")
    case UInt8(ascii: "f"): try take("false")
    case UInt8(ascii: "n"): try take("null")
    default: try number()
    }
  }

  /// Reads a value that is not shown.
  private mutating func secretValue() throws(Fault) {
    skipSpace()
    let (start, outer) = (index, secret)
    secret = outer ?? start
    try value()
    secret = outer
    replace(start..<index, Redaction.placeholder)
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
    try members(until: UInt8(ascii: "}")) { (self) throws(Fault) in
      let start = self.index
      let name = try self.string()
      if let shown = self.rules.redacted(name) { self.replace(start..<self.index, shown) }
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
    try members(until: UInt8(ascii: "]")) { (self) throws(Fault) in
      let start = self.index
      let text = try self.stringAhead()
      try self.value()
      elements.append((start..<self.index, self.isSecretName(text)))
    }
    // Names and values by turns.
    guard elements.count.isMultiple(of: 2) else { return }
    let secrets = elements.indices.filter { !$0.isMultiple(of: 2) && elements[$0 - 1].isSecretName }
    hide(secrets.map { elements[$0].range }, since: mark)
  }

  private func isSecretName(_ text: String?) -> Bool {
    guard let text, text.utf8.count <= 64, !text.utf8.contains(0x20) else { return false }
    return rules.names.contain(text)
  }

  private mutating func members(
    until end: UInt8,
    _ body: (inout JSONRedaction) throws(Fault) -> Void
  ) throws(Fault) {
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
  }

  /// Replaces what was read last, and forgets what was found in it.
  private mutating func replace(_ range: Range<Int>, _ text: String) {
    while let last = replacements.last, last.range.lowerBound >= range.lowerBound {
      replacements.removeLast()
    }
    replacements.append(Replacement(range: range, text: Self.literal(text)))
  }

  /// Replaces values, given in order, and forgets what was found in them since there were so many replacements.
  private mutating func hide(_ values: [Range<Int>], since mark: Int) {
    guard !values.isEmpty else { return }
    let found = replacements[mark...]
    replacements.removeSubrange(mark...)
    let text = Self.literal(Redaction.placeholder)
    var rest = found[...]
    for value in values {
      while let next = rest.first, next.range.lowerBound < value.lowerBound {
        replacements.append(next)
        rest.removeFirst()
      }
      rest = rest.drop { $0.range.lowerBound < value.upperBound }
      replacements.append(Replacement(range: value, text: text))
    }
    replacements += rest
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

  /// The string at this place, without going on; `nil` if there is something else.
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
    // A string always encodes.
    return [UInt8]((try? encoder.encode(text)) ?? Data("\"\"".utf8))
  }
}
