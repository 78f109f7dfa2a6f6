/// The grammar of header fields, byte by byte (RFC 9110 section 5.6).
enum FieldText {
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
  }

  /// Returns a Boolean value that indicates whether a field's value may contain the byte:
  /// everything but control characters, and tabs.
  static func isValueByte(_ byte: UInt8) -> Bool {
    byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
  }

  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return bytes
  }

  static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }

  /// Returns a Boolean value that indicates whether `Accept-Encoding` allows gzip.
  static func acceptsGzip(_ text: String?) -> Bool {
    guard let text else { return false }
    var anything = false
    for item in text.lowercased().split(separator: ",") {
      let parts = item.split(separator: ";").map { trimmed($0) }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      let isAllowed = weight.map { (Double($0.dropFirst(2)) ?? 0) > 0 } ?? true
      if parts.first == "gzip" || parts.first == "x-gzip" { return isAllowed }
      if parts.first == "*" { anything = isAllowed }
    }
    return anything
  }
}
