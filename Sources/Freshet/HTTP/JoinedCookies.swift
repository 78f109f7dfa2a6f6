/// Splits values of `Set-Cookie` that were joined by commas, as `HTTPURLResponse` does.
enum JoinedCookies {
  /// Returns the separate values, in order.
  ///
  /// A cookie begins after a comma that a name and `=` follow (RFC 6265 section 4.1.1). The comma of an
  /// `Expires` date is followed by a day instead.
  static func split(_ joined: String) -> [String] {
    var cookies: [String] = []
    var start = joined.startIndex
    var rest = joined[...]
    while let comma = rest.utf8.firstIndex(of: ASCII.comma) {
      rest = joined[joined.utf8.index(after: comma)...]
      guard beginsCookie(rest) else { continue }
      cookies.append(String(ASCII.trimmed(joined[start..<comma])))
      start = rest.startIndex
    }
    return cookies + [String(ASCII.trimmed(joined[start...]))]
  }

  private static func beginsCookie(_ text: Substring) -> Bool {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
    return ASCII.isToken(text[..<equals].drop { $0 == " " || $0 == "\t" })
  }
}
