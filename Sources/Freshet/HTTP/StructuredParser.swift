import FreshetEssentials

/// A strict parser for dictionaries of structured fields (RFC 9651 section 4.2), which keeps the values
/// that are byte sequences or integers.
///
/// Each function parses one production at the front of the remaining text, and returns `nil` if that is
/// malformed.
struct StructuredParser {
  private var rest: Substring.UTF8View

  private init(_ text: String) {
    rest = Substring(text).utf8
  }

  /// Parses a dictionary (section 4.2.2).
  ///
  /// - Parameter text: The field's lines, joined by commas.
  /// - Returns: The values by key, of which the last counts; `nil` if the text is malformed.
  static func dictionary(_ text: String) -> [String: Value]? {
    var parser = StructuredParser(text)
    parser.skip { $0 == 0x20 }
    var members: [String: Value] = [:]
    while !parser.rest.isEmpty {
      guard let key = parser.key(), let value = parser.member() else { return nil }
      members[key] = value
      parser.skip(ASCII.isSpace)
      if parser.rest.isEmpty { break }
      guard parser.take(",") else { return nil }
      parser.skip(ASCII.isSpace)
      // A trailing comma is an error.
      if parser.rest.isEmpty { return nil }
    }
    return members
  }

  /// Parses a dictionary of byte sequences (sections 3.2 and 3.3.5), such as `sha-256=:…:`; members with
  /// values of other types are left out.
  ///
  /// Every member is checked, with its parameters, whatever the type of its value is.
  ///
  /// - Parameter text: The field's lines, joined by commas.
  /// - Returns: The byte sequences by key; the last value of a key counts. `nil` if the field is
  ///   malformed, in which case the whole field must be ignored (section 4.2).
  static func byteSequences(_ text: String) -> [String: Data]? {
    dictionary(text)?.compactMapValues(\.bytes)
  }
}

// MARK: - Members

extension StructuredParser {
  /// A parsed value; of other types than these, none of it is kept.
  struct Value {
    var bytes: Data?
    var integer: Int64?
  }

  private mutating func member() -> Value? {
    guard take("=") else { return parameters() ? Value() : nil }
    guard let value = next == UInt8(ascii: "(") ? innerList() : bareItem(), parameters() else {
      return nil
    }
    return value
  }

  /// Parses an inner list (section 4.2.1.2).
  private mutating func innerList() -> Value? {
    guard take("(") else { return nil }
    while true {
      skip { $0 == 0x20 }
      if take(")") { return Value() }
      guard bareItem() != nil, parameters() else { return nil }
      guard next == 0x20 || next == UInt8(ascii: ")") else { return nil }
    }
  }

  /// Parses any number of parameters (section 4.2.3.2).
  private mutating func parameters() -> Bool {
    while take(";") {
      skip { $0 == 0x20 }
      guard key() != nil else { return false }
      if take("="), bareItem() == nil { return false }
    }
    return true
  }

  /// Parses a key (section 4.2.3.3).
  private mutating func key() -> String? {
    guard let next, next == UInt8(ascii: "*") || Self.isLowercase(next) else { return nil }
    return String(
      read { Self.isLowercase($0) || ASCII.isDigit($0) || "_-.*".utf8.contains($0) }
    )
  }

  private static func isLowercase(_ byte: UInt8) -> Bool {
    byte &- 0x61 < 26
  }
}

// MARK: - Bare items

extension StructuredParser {
  /// Parses a bare item (section 4.2.3.1).
  private mutating func bareItem() -> Value? {
    guard let next else { return nil }
    switch next {
    case UInt8(ascii: ":"): return byteSequence().map { Value(bytes: $0) }
    case UInt8(ascii: "\""): return string() ? Value() : nil
    case UInt8(ascii: "?"): return take("?") && (take("0") || take("1")) ? Value() : nil
    case UInt8(ascii: "@"): return take("@") ? number(isDate: true).map { _ in Value() } : nil
    case UInt8(ascii: "%"): return displayString() ? Value() : nil
    case UInt8(ascii: "*"): return token()
    case _ where ASCII.isLetter(next): return token()
    case _ where ASCII.isDigit(next) || next == UInt8(ascii: "-"):
      return number(isDate: false)
    default: return nil
    }
  }

  /// Parses an integer, a decimal or a date (sections 4.2.4 and 4.2.9).
  private mutating func number(isDate: Bool) -> Value? {
    let isNegative = take("-")
    let digits = read(ASCII.isDigit)
    guard 1...15 ~= digits.utf8.count else { return nil }
    guard take(".") else {
      return Value(integer: Int64(digits).map { isNegative ? -$0 : $0 })
    }
    guard !isDate, digits.utf8.count <= 12, 1...3 ~= read(ASCII.isDigit).utf8.count else {
      return nil
    }
    return Value()
  }

  /// Parses a string (section 4.2.5).
  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while let byte = rest.popFirst() {
      switch byte {
      case ASCII.quote: return true
      case ASCII.backslash:
        guard let escaped = rest.popFirst(), escaped == ASCII.quote || escaped == ASCII.backslash
        else { return false }
      case 0x20..<0x7F: continue
      default: return false
      }
    }
    return false
  }

  /// Parses a token (section 4.2.6).
  private mutating func token() -> Value? {
    rest = rest.dropFirst()
    skip { ASCII.isToken($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
    return Value()
  }

  /// Parses a byte sequence; padding may be missing (section 4.2.7).
  private mutating func byteSequence() -> Data? {
    guard take(":") else { return nil }
    let base64 = read { $0 != UInt8(ascii: ":") }
    guard take(":") else { return nil }
    let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    return Data(base64Encoded: base64 + padding)
  }

  /// Parses a display string (section 4.2.10).
  private mutating func displayString() -> Bool {
    guard take("%"), take("\"") else { return false }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case ASCII.quote: return String(validating: bytes, as: UTF8.self) != nil
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2)
        let isLowercase = digits.allSatisfy { ASCII.isDigit($0) || 0x61...0x66 ~= $0 }
        guard digits.count == 2, isLowercase, let value = UInt8(Substring(digits), radix: 16) else {
          return false
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
      case 0x20..<0x7F: bytes.append(byte)
      default: return false
      }
    }
    return false
  }
}

// MARK: - Bytes

extension StructuredParser {
  private var next: UInt8? { rest.first }

  /// Consumes a character if it is next.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    rest = rest.drop(while: isSkipped)
  }

  private mutating func read(_ isRead: (UInt8) -> Bool) -> Substring {
    let read = rest.prefix(while: isRead)
    rest = rest[read.endIndex...]
    return Substring(read)
  }
}
