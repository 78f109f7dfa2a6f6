/// Percent-encodes and decodes parts of URLs and forms (RFC 3986 section 2.1); decoding never fails.
enum PercentCoding {
  /// Returns the decoded text; invalid sequences are kept.
  static func decoded(_ text: Substring, isForm: Bool = false) -> String {
    guard
      text.utf8.contains(where: { $0 == UInt8(ascii: "%") || isForm && $0 == UInt8(ascii: "+") })
    else { return String(text) }
    let bytes = Array(text.utf8)
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = UInt8(
          String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self),
          radix: 16
        )
      {
        plain.append(byte)
        index += 3
      } else {
        plain.append(isForm && bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
        index += 1
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// Returns the text with all characters encoded except RFC 3986's unreserved ones.
  static func encoded(_ text: String) -> String {
    var shown = ""
    for byte in text.utf8 {
      if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) {
        shown.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        shown += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return shown
  }
}
