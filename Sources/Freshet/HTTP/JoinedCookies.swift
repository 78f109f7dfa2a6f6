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
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
    let name = text[..<equals].utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return !name.isEmpty
      && name.allSatisfy {
        $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") && $0 != ASCII.comma
          && $0 != UInt8(ascii: "\"")
      }
  }
}
