import Foundation

/// URLs that are relative to a client's base until they are sent.
enum RelativeURL {
  /// Makes a URL of a path or a full URL; what a URL may not hold is encoded.
  static func make(_ path: String, query: [URLQueryItem]) -> URL {
    var text = path
    if !query.isEmpty {
      let fragment = text.firstIndex(of: "#").map { text[$0...] } ?? ""
      text.removeLast(fragment.count)
      let items = query.map { item in
        item.value.map { "\(encoded(item.name))=\(encoded($0))" } ?? encoded(item.name)
      }
      text += (text.contains("?") ? "&" : "?") + items.joined(separator: "&") + fragment
    }
    // A colon in the first segment would make a scheme of what is before it (RFC 3986 section 4.2).
    let first = text.prefix { !"/?#".contains($0) }
    let isURL = first.hasSuffix(":") && text.dropFirst(first.count).hasPrefix("//")
    if text.isEmpty || first.contains(":") && !isURL { text = "./" + text }
    return URL(string: encodingInvalid(text)) ?? unusable
  }

  /// Encodes what no URL may hold and leaves all else, above all what is encoded already.
  private static func encodingInvalid(_ text: String) -> String {
    let marks = "-._~!$&'()*+,;=:@/?#[]%"
    return text.utf8.reduce(into: "") { $0 += marks.utf8.contains($1) ? scalar($1) : encoded($1) }
  }

  private static func scalar(_ byte: UInt8) -> String {
    String(Unicode.Scalar(byte))
  }

  /// What stands for text that is no URL; it is refused when it is sent.
  private static let unusable = URL(filePath: "/")

  /// The URL to send: relative ones are appended to the base.
  static func resolve(_ url: URL, against base: URL?) -> URL {
    guard let base, url.scheme == nil else { return url }
    let text = url.relativeString
    if text.hasPrefix("/") {
      // Not resolved as a reference: one with two slashes would go to another host.
      let origin = base.absoluteString.dropLast(URLParts(base.absoluteString)?.rest.count ?? 0)
      return URL(string: origin + text) ?? url
    }
    let prefix = base.absoluteString.prefix { $0 != "?" && $0 != "#" }
    let rest = text.hasPrefix("./") ? text.dropFirst(2) : text[...]
    let isPath = !rest.isEmpty && !rest.hasPrefix("?") && !rest.hasPrefix("#")
    let separator = isPath && !prefix.hasSuffix("/") ? "/" : ""
    return URL(string: prefix + separator + rest) ?? url
  }

  /// Encodes all but the unreserved characters (RFC 3986 section 2.3).
  static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { $0 += encoded($1) }
  }

  private static func encoded(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      scalar(byte)
    case _ where "-._~".utf8.contains(byte):
      scalar(byte)
    default:
      (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }

  /// The URL with one query item set, in the place of all that had its name.
  static func setting(_ name: String, to value: String, in url: URL) -> URL {
    let text = url.absoluteString
    let fragment = text.firstIndex(of: "#").map { text[$0...] } ?? ""
    let whole = text.dropLast(fragment.count)
    let path = whole.prefix { $0 != "?" }
    var items = whole.dropFirst(path.count + 1).split(separator: "&")
      .filter { item in
        let key = item.prefix { $0 != "=" }
        return (key.removingPercentEncoding ?? String(key)) != name
      }
    let item = "\(encoded(name))=\(encoded(value))"
    items.append(item[...])
    return URL(string: "\(path)?\(items.joined(separator: "&"))\(fragment)") ?? url
  }
}
