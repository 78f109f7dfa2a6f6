import Foundation

/// What is hidden in recordings and commands: values of header fields, query parameters, form
/// fields and JSON members, by their names.
///
/// Names that say token, password, secret, credential, signature, session and the like are hidden
/// wherever they stand, see <doc:Services>; these rules add names and make exceptions. Names are
/// compared without regard to case, `-` and `_`. A number under a plural, such as 17 for
/// `prompt_tokens`, is a count and stays.
public struct SecretRules: Sendable, Hashable {
  /// Header fields to hide beside those of credentials and cookies.
  public var headers: Set<HTTPHeaders.Name> = []
  /// Query parameters to hide, beside ``fields``; `key` and `code` by default.
  public var parameters: Set<String> = ["key", "code"]
  /// Query parameters, form fields and JSON members to hide.
  public var fields: Set<String> = []
  /// Names that are shown although they sound like secrets.
  public var exceptions: Set<String> = []
  private var hidesUsualNames = true

  /// Makes rules that hide the usual names.
  public init() {}

  /// Hides credentials, cookies and the usual names of tokens, keys, passwords and signatures.
  public static let standard = SecretRules()
  /// Hides nothing.
  public static let none: SecretRules = {
    var rules = SecretRules()
    rules.parameters = []
    rules.hidesUsualNames = false
    return rules
  }()
}

extension SecretRules {
  /// The rules with their names made comparable, for one text.
  struct Names {
    fileprivate let hidden: Set<String>
    fileprivate let shown: Set<String>
    fileprivate let hidesUsualNames: Bool

    /// Whether there is anything to hide.
    var isEmpty: Bool { hidden.isEmpty && !hidesUsualNames }

    func contain(_ name: some StringProtocol) -> Bool {
      let normal = SecretRules.normalized(name)
      guard !shown.contains(normal) else { return false }
      return hidden.contains(normal) || hidesUsualNames && SecretWords.contains(name)
    }

    func hide(_ value: some StringProtocol, of name: some StringProtocol) -> Bool {
      contain(name) && !SecretWords.isCount(value, of: name)
    }
  }

  fileprivate static func normalized(_ name: some StringProtocol) -> String {
    ASCII.lowercased(String(name.filter { $0 != "-" && $0 != "_" }))
  }

  private func names(_ more: Set<String> = []) -> Names {
    Names(
      hidden: Set(fields.union(more).map(Self.normalized)),
      shown: Set(exceptions.map(Self.normalized)),
      hidesUsualNames: hidesUsualNames
    )
  }

  func hides(_ name: HTTPHeaders.Name) -> Bool {
    guard !exceptions.contains(where: { HTTPHeaders.Name($0) == name }) else { return false }
    return headers.contains(name) || hidesUsualNames && Redaction.isSecret(name)
  }

  /// The fields with what must not be seen replaced.
  func redacted(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      headers.map { field in
        let value =
          switch field.name {
          case let name where hides(name): Redaction.placeholder
          case .location, "Content-Location", "Referer": redacted(url: field.value)
          case "Link": redacted(links: field.value)
          default: field.value
          }
        return HTTPHeaders.Field(name: field.name, value: value)
      }
    )
  }

  /// The links with what stands between `<` and `>` as URLs.
  private func redacted(links: String) -> String {
    links.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
      .map { part -> String in
        let part = Substring(part)
        guard let end = part.utf8.firstIndex(of: UInt8(ascii: ">")) else { return String(part) }
        return redacted(url: String(part[..<end])) + part[end...]
      }
      .joined(separator: "<")
  }

  /// The URL with user and password, and the values of secret parameters of query and fragment,
  /// replaced; all else stays as it is written.
  func redacted(url: String) -> String {
    let url = hidesUsualNames ? Self.redacted(userInfoOf: url) : url
    // Bytes, not characters: a combining mark behind a “?” must not hide it.
    let bytes = url.utf8
    guard let mark = bytes.firstIndex(where: { "?#".utf8.contains($0) }) else { return url }
    let names = names(parameters)
    let start = bytes.index(after: mark)
    guard let hash = bytes[start...].firstIndex(of: UInt8(ascii: "#")) else {
      return url[..<start] + Self.redacted(pairs: url[start...], names: names)
    }
    let fragment = bytes.index(after: hash)
    return url[..<start] + Self.redacted(pairs: url[start..<hash], names: names) + "#"
      + Self.redacted(pairs: url[fragment...], names: names)
  }

  private static func redacted(userInfoOf url: String) -> String {
    // A reference may name another host without a scheme.
    let scheme = url.utf8.starts(with: "//".utf8) ? "x:" : ""
    let whole = scheme + url
    guard let user = URLParts(whole)?.userInfo else { return url }
    let shown = whole[..<user.startIndex] + "redacted" + whole[user.endIndex...]
    return String(shown.dropFirst(scheme.count))
  }

  /// The text of a body with the values of secret fields replaced.
  ///
  /// Forms and JSON stay what they are; in other text, what follows a name is hidden.
  func redacted(body: String, contentType: String?) -> String {
    let names = names()
    guard !names.isEmpty else { return body }
    let type = contentType.map { ASCII.lowercased($0) } ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return Self.redacted(pairs: body[...], names: names)
    }
    let start = body.utf8.first { !ASCII.isSpace($0) && $0 != 0x0A && $0 != 0x0D }
    let looksLikeJSON = start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
    return type.contains("json") || looksLikeJSON
      ? JSONRedaction(names: names).redacted(body)
      : SecretMask.masked(body) { names.contain($0) }
  }

  private static func redacted(pairs: Substring, names: Names) -> String {
    pairs.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
      .map { pair -> String in
        let pair = Substring(pair)
        guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return String(pair) }
        let name = String(pair[..<equals])
        let value = pair[pair.utf8.index(after: equals)...]
        guard names.hide(value, of: name.removingPercentEncoding ?? name) else {
          return String(pair)
        }
        return name + "=redacted"
      }
      .joined(separator: "&")
  }
}
