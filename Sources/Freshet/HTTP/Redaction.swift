import Foundation

/// What descriptions, errors and logs never show.
enum Redaction {
  static let placeholder = "<redacted>"

  static func isSecret(_ name: HTTPHeaders.Name) -> Bool {
    let name = name.rawValue.lowercased()
    return ["authorization", "cookie", "token", "api-key", "apikey", "secret", "password"]
      .contains { name.contains($0) }
  }

  /// The URL without user, password, query and fragment.
  static func shown(_ url: URL) -> String {
    shown(url.absoluteString)
  }

  static func shown(_ url: String) -> String {
    var text = Substring(url)
    if let end = text.firstIndex(where: { $0 == "?" || $0 == "#" }) {
      text = text[..<end]
    }
    guard let scheme = text.range(of: "://") else { return String(text) }
    let rest = text[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return String(text) }
    return String(text[..<scheme.upperBound] + rest[rest.index(after: at)...])
  }
}
