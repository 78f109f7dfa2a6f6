import Foundation

/// What descriptions, errors and logs never show.
enum Redaction {
  static let placeholder = "<redacted>"

  /// Whether a field's value is a secret, see ``SecretWords``.
  static func isSecret(_ name: HTTPHeaders.Name) -> Bool {
    // What a server permits is no credential.
    !name.rawValue.lowercased().hasPrefix("access-control-")
      && SecretWords.containsField(name.rawValue)
  }

  /// The URL without user, password, query and fragment.
  static func shown(_ url: URL) -> String {
    shown(parsed: url.absoluteString)
  }

  /// The same for text that may not be a URL; control characters are escaped.
  ///
  /// What is no URL and holds an `@` may hold a password before it anywhere: then only what stands
  /// before `//` is shown.
  static func shown(_ text: String) -> String {
    guard URL(string: text) == nil, hasUser(text) else {
      return Printable.line(shown(parsed: text))
    }
    guard let scheme = text.range(of: "//") else { return "…" }
    return hasUser(text[..<scheme.upperBound])
      ? "…" : Printable.line(text[..<scheme.upperBound]) + "…"
  }

  private static func shown(parsed url: String) -> String {
    guard let parts = URLParts(url) else {
      let path = path(url[...])
      return hasUser(path) ? "…" : String(path)
    }
    // What stands before the first colon need not be a scheme.
    if hasUser(parts.scheme) { return "…" }
    let port = parts.port.map { ":\($0)" } ?? ""
    return "\(parts.scheme)://\(parts.host)\(port)\(path(parts.rest))"
  }

  // Bytes, not characters: a combining mark behind one of these must not hide it.

  private static func path(_ text: Substring) -> Substring {
    let path = Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    // Segments may have parameters, and encoded URLs.
    guard path.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }) else {
      return path
    }
    return SecretRules.standard.values.redacted(url: String(path))[...]
  }

  private static func hasUser(_ text: some StringProtocol) -> Bool {
    text.utf8.contains(UInt8(ascii: "@"))
  }
}
