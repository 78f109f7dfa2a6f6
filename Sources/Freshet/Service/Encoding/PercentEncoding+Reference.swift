extension PercentEncoding {
  /// Returns a URL, or a reference that is relative to one, with the bytes encoded that its path, query and
  /// fragment may not contain (RFC 3986 sections 3.3 to 3.5).
  ///
  /// Encoded bytes stay as they are, and a `%` that does not begin one is encoded. Foundation's parser would
  /// encode each `%` beside a byte that it has to encode.
  static func encode(reference text: String) -> String {
    let isPlain = text.utf8.allSatisfy { isAllowed($0, in: query) || $0 == percent }
    if isPlain, isValid(text.utf8) { return text }
    let bytes = rest(of: text.utf8[...])
    // A colon in the first segment of a relative path would end a scheme (RFC 3986 section 4.2).
    var endsScheme = bytes.startIndex == text.startIndex
    var output = Array(text.utf8[..<bytes.startIndex])
    output.reserveCapacity(text.utf8.count * 2)
    var component = path
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      let startsComponent =
        byte == fragment && component != fragment || byte == query && component == path
      if startsComponent { component = byte }
      if startsComponent || byte == path { endsScheme = false }
      let isEncoded = byte == percent && isValid(bytes[index...].prefix(3))
      let isKept = isAllowed(byte, in: component) && !(endsScheme && byte == colon)
      if startsComponent || isEncoded || isKept {
        output.append(byte)
      } else {
        appendEncoded(byte, to: &output)
      }
      bytes.formIndex(after: &index)
    }
    return String(decoding: output, as: UTF8.self)
  }

  // The bytes that begin a component.
  private static let path = UInt8(ascii: "/")
  private static let query = UInt8(ascii: "?")
  private static let fragment = UInt8(ascii: "#")

  private static let colon = UInt8(ascii: ":")
  private static let percent = UInt8(ascii: "%")

  /// Returns the part after scheme and authority; all of a relative path.
  private static func rest(of text: Substring.UTF8View) -> Substring.UTF8View {
    var rest = text
    if let end = text.firstIndex(of: colon), ASCII.isScheme(text[..<end]) {
      rest = text[text.index(after: end)...]
    }
    guard rest.starts(with: "//".utf8) else { return rest }
    return rest.dropFirst(2).drop { !"/?#".utf8.contains($0) }
  }

  /// Returns whether a byte may occur unencoded in a component.
  private static func isAllowed(_ byte: UInt8, in component: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~!$&'()*+,;=:@/".utf8.contains(byte)
      || byte == query && component != path
  }
}
