/// Values of `Set-Cookie` that somebody has joined by commas, as `HTTPURLResponse` does.
enum JoinedCookies {
  /// The single values, in order.
  ///
  /// A cookie begins behind a comma that a name and `=` follow (RFC 6265 section 4.1.1); the comma of
  /// an `Expires` date is followed by a day.
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
