import Foundation

/// Dictionaries of byte sequences (RFC 9651 sections 3.2 and 3.3.5), such as `sha-256=:…:`.
enum StructuredBytes {
  /// Reads a dictionary; members whose value is something else are left out.
  ///
  /// - Parameter text: The field's lines, joined by commas.
  /// - Returns: The byte sequences by key, of which the last counts; `nil` if the field is malformed,
  ///   which means that all of it is to be ignored (section 4.2).
  static func dictionary(_ text: String) -> [String: Data]? {
    var members: [String: Data] = [:]
    var isValid = true
    FieldList.split(text[...], at: ASCII.comma) { member in
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = parts.first, isKey(key) else {
        // An empty field has no member; an empty member is an error.
        if !text.isEmpty { isValid = false }
        return
      }
      members[String(key)] = nil
      guard parts.count == 2, parts[1].first == ":" else { return }
      guard let bytes = bytes(parts[1]) else {
        isValid = false
        return
      }
      members[String(key)] = bytes
    }
    return isValid ? members : nil
  }

  private static func isKey(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first == UInt8(ascii: "*") || isLowercase(first) else {
      return false
    }
    // Parameters may follow a key whose value is a bare true.
    let key = text.utf8.prefix { $0 != UInt8(ascii: ";") }
    return key.allSatisfy { isLowercase($0) || ASCII.isDigit($0) || "_-.*".utf8.contains($0) }
  }

  private static func isLowercase(_ byte: UInt8) -> Bool {
    byte &- 0x61 < 26
  }

  /// The bytes between two colons, with parameters or nothing behind them.
  private static func bytes(_ value: Substring) -> Data? {
    let content = value.dropFirst()
    guard let end = content.firstIndex(of: ":") else { return nil }
    let rest = content[content.index(after: end)...]
    guard rest.isEmpty || rest.first == ";" else { return nil }
    let base64 = content[..<end]
    // Section 4.2.7: missing padding is no reason to fail.
    let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    return Data(base64Encoded: base64 + padding)
  }
}
