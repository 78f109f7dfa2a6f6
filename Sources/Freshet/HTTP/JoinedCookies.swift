/// Splits values of `Set-Cookie` that were joined by commas, as `HTTPURLResponse` does.
enum JoinedCookies {
  /// Returns the separate values, in order.
  ///
  /// A cookie begins after a comma that a name and `=` follow. A name is anything without whitespace,
  /// control characters, `;`, `,`, `=` and `"`, because servers set names that are no tokens, such as
  /// `cart[id]`. The comma of an `Expires` date is followed by a day instead.
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
    let text = text.utf8.drop(while: ASCII.isSpace)
    // Only the name is read: a search for the next `=` would go on to the end behind each comma.
    let name = text.prefix(while: isName)
    return !name.isEmpty && text[name.endIndex...].first == UInt8(ascii: "=")
  }

  private static func isName(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != 0x7F && !";,=\"".utf8.contains(byte)
  }
}
