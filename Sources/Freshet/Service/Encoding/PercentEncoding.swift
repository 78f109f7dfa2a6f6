/// The percent-encoding of text in a URL or a form.
enum PercentEncoding {
  /// RFC 3986: everything but its unreserved characters is encoded, a space as `%20`.
  case url
  /// WHATWG's form: everything but letters, digits and `*-._` is encoded, a space as `+`.
  case form

  func append(_ text: some StringProtocol, to output: inout [UInt8]) {
    for byte in text.utf8 {
      if isKept(byte) {
        output.append(byte)
      } else if self == .form, byte == 0x20 {
        output.append(UInt8(ascii: "+"))
      } else {
        Self.appendEncoded(byte, to: &output)
      }
    }
  }

  func encode(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy(isKept) { return String(text) }
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count * 2)
    append(text, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the decoded text; invalid sequences are kept, and bytes that are not UTF-8 are replaced.
  func decode(_ text: Substring) -> String {
    let plus = self == .form ? UInt8(ascii: "+") : nil
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == plus }) else {
      return String(text)
    }
    let bytes = text.utf8.map { $0 == plus ? 0x20 : $0 }
    return String(decoding: Self.decoded(bytes), as: UTF8.self)
  }

  private func isKept(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    case UInt8(ascii: "~"): self == .url
    case UInt8(ascii: "*"): self == .form
    default: ASCII.isLetter(byte) || ASCII.isDigit(byte)
    }
  }

  static func appendEncoded(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "%"))
    output.append(digit(byte >> 4))
    output.append(digit(byte & 15))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x37 + value
  }
}

extension PercentEncoding {
  /// Returns the text with all bytes but those that are kept percent-encoded.
  static func encode(_ text: some StringProtocol, keeping isKept: (UInt8) -> Bool) -> String {
    if text.utf8.allSatisfy(isKept) { return String(text) }
    var output: [UInt8] = []
    for byte in text.utf8 {
      if isKept(byte) { output.append(byte) } else { appendEncoded(byte, to: &output) }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the bytes with each `%` and two hexadecimal digits decoded; any other `%` is unchanged.
  static func decoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let pair = bytes[index...].dropFirst().prefix(2)
      if bytes[index] == UInt8(ascii: "%"), pair.count == 2, pair.allSatisfy(ASCII.isHexDigit) {
        output.append(pair.reduce(0) { $0 << 4 | value(ofDigit: $1) })
        index = pair.endIndex
      } else {
        output.append(bytes[index])
        bytes.formIndex(after: &index)
      }
    }
    return output
  }

  /// Returns the decoded text; `nil` if a `%` has no two hexadecimal digits, or if it is not UTF-8.
  static func text(of encoded: Substring) -> String? {
    guard encoded.utf8.contains(UInt8(ascii: "%")) else { return String(encoded) }
    guard isValid(encoded.utf8) else { return nil }
    return String(validating: decoded(encoded.utf8), as: UTF8.self)
  }

  /// Returns the decoded name of a query item; as it is written if it cannot be decoded.
  static func name(of item: Substring) -> String {
    let name = item.prefix { $0 != "=" }
    return text(of: name) ?? String(name)
  }

  /// Returns whether two hexadecimal digits follow each `%`.
  static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = bytes[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[percent...].dropFirst()
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy(ASCII.isHexDigit) else { return false }
    }
    return true
  }

  private static func value(ofDigit digit: UInt8) -> UInt8 {
    ASCII.isDigit(digit) ? digit & 15 : (digit & 15) + 9
  }
}
