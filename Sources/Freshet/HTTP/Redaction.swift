package import FreshetEssentials

/// Removes what descriptions, errors and logs must never show.
package enum Redaction {
  static let placeholder = "<redacted>"

  /// Returns whether the value of a field is secret, see ``SecretWords``.
  static func isSecret(_ name: HTTPHeaders.Name) -> Bool {
    // These fields state what a server permits, and are not credentials.
    !name.rawValue.lowercased().hasPrefix("access-control-")
      && SecretWords.containsField(name.rawValue)
  }

  /// Returns the URL without user, password, query and fragment; of a `data:` URL only the scheme.
  package static func shown(_ url: URL) -> String {
    shown(parsed: url.absoluteString)
  }

  /// Returns a text that may not be a URL without its secrets, with control characters escaped.
  ///
  /// A text that is not a URL and contains an `@` may contain a password anywhere before it: only the
  /// part before `//` is shown then.
  static func shown(_ text: String) -> String {
    guard URL(string: text) == nil, hasUser(text) else {
      return Printable.line(shown(parsed: text))
    }
    guard let scheme = text.firstRange(of: "//") else { return "…" }
    return hasUser(text[..<scheme.upperBound])
      ? "…" : Printable.line(text[..<scheme.upperBound]) + "…"
  }

  private static func shown(parsed url: String) -> String {
    if String(decoding: url.utf8.prefix(5), as: UTF8.self).lowercased() == "data:" {
      return "data:…"
    }
    guard let parts = URLParts(url), parts.hasScheme else {
      let path = path(url[...])
      return hasUser(path) ? "…" : String(path)
    }
    let port = parts.port.map { ":\($0)" } ?? ""
    return "\(parts.scheme)://\(parts.host)\(port)\(path(parts.rest))"
  }

  // Bytes, not characters: a combining mark after one of these must not hide it.

  private static func path(_ text: Substring) -> Substring {
    let path = Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    // Segments may contain parameters and encoded URLs.
    guard path.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }) else {
      return path
    }
    return SecretRules.standard.values.redacted(url: String(path))[...]
  }

  private static func hasUser(_ text: some StringProtocol) -> Bool {
    text.utf8.contains(UInt8(ascii: "@"))
  }
}
