/// Classifies and compares ASCII bytes, of which HTTP's tokens consist.
package enum ASCII {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let comma = UInt8(ascii: ",")

  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// Returns the text with ASCII letters in lower case and all else unchanged, whatever the locale.
  static func lowercased(_ text: some StringProtocol) -> String {
    guard text.utf8.contains(where: { $0 &- 0x41 < 26 }) else { return String(text) }
    return String(decoding: text.utf8.map(lowercased), as: UTF8.self)
  }

  static func equalIgnoringCase(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    equalIgnoringCase(left.utf8, right.utf8)
  }

  static func equalIgnoringCase(
    _ left: some Collection<UInt8>,
    _ right: some Collection<UInt8>
  ) -> Bool {
    guard left.count == right.count else { return false }
    var other = right.startIndex
    for byte in left {
      if lowercased(byte) != lowercased(right[other]) { return false }
      right.formIndex(after: &other)
    }
    return true
  }

  /// Returns whether a byte may occur in a token (RFC 9110 section 5.6.2).
  package static func isToken(_ byte: UInt8) -> Bool {
    // Nearly all are letters and hyphens, which do not need the table.
    isLetter(byte) || byte == UInt8(ascii: "-")
      || byte < 0x80 && tokens[Int(byte >> 6)] & 1 << UInt64(byte & 63) != 0
  }

  /// One bit for each ASCII character that may occur in a token.
  private static let tokens: [UInt64] = {
    var bits: [UInt64] = [0, 0]
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for byte in "\(letters)0123456789!#$%&'*+-.^_`|~".utf8 {
      bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }
    return bits
  }()

  package static func isToken(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isToken)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26
  }

  package static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- 0x61 < 6
  }

  /// Returns whether the bytes are the name of a scheme (RFC 3986 section 3.1).
  static func isScheme(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.first.map(isLetter) == true
      && bytes.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
  }

  /// Returns whether a byte is a control character, DEL included.
  static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F
  }

  /// Returns whether a byte is optional white space (RFC 9110 section 5.6.3).
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09
  }

  /// Removes optional white space, spaces and tabs, from both ends (RFC 9110 section 5.6.3).
  package static func trimmed(_ text: Substring) -> Substring {
    Substring(trimmed(text.utf8))
  }

  /// Removes optional white space from both ends.
  static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    guard let first = bytes.firstIndex(where: { !isSpace($0) }) else {
      return bytes[bytes.endIndex...]
    }
    var end = bytes.endIndex
    while isSpace(bytes[bytes.index(before: end)]) {
      bytes.formIndex(before: &end)
    }
    return bytes[first..<end]
  }

  /// Parses a text of digits only; `nil` for anything else, such as a sign, or if it is too large.
  package static func integer(_ text: some StringProtocol) -> Int64? {
    text.utf8.allSatisfy(isDigit) ? Int64(text) : nil
  }
}
