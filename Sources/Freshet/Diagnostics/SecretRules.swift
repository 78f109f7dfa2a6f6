import FreshetEssentials

/// The rules by which recordings and commands hide secrets: values of header fields, query parameters,
/// form fields and JSON members, by their names.
///
/// Names that contain token, password, secret, credential, signature, session and the like are hidden
/// everywhere, see <doc:Services>; these rules add names and exceptions. Names are compared without regard to
/// case, `-` and `_`. A number with a plural name, such as 17 for `prompt_tokens`, is a count and is shown, and
/// so is a page cursor, such as `nextPageToken`. Hidden members of JSON keep their types. The
/// values that are hidden in a request are also hidden where its response repeats them.
public struct SecretRules: Sendable, Hashable {
  /// Header fields to hide, in addition to those of credentials and cookies; none by default.
  public var headers: Set<HTTPHeaders.Name> = []
  /// Query parameters to hide, in addition to ``fields``; `key` and `code` by default.
  public var parameters: Set<String> = ["key", "code"]
  /// Query parameters, form fields and JSON members to hide; none by default.
  public var fields: Set<String> = []
  /// Names whose values are shown although they look like secrets; none by default.
  public var exceptions: Set<String> = []
  /// The part that is shown of a body that cannot be parsed; its length and digest by default.
  ///
  /// JSON, JSON lines, server-sent events of JSON, forms, and multipart bodies of these can be
  /// parsed.
  public var unparsedBodies = UnparsedBodies.withheld
  private var hidesUsualNames = true
  /// The values that are hidden wherever they occur.
  private var secrets = SecretValues()

  /// The choices for bodies that cannot be parsed.
  public enum UnparsedBodies: Sendable, Hashable {
    /// The length and the SHA-256 digest are shown.
    case withheld
    /// The whole body is shown.
    ///
    /// In text, what follows the name of a secret is hidden where it is found, which is not everywhere;
    /// other bytes are shown unchanged.
    case shown
  }

  /// Creates rules that hide the usual names.
  public init() {}

  /// Hides credentials, cookies and the usual names of tokens, keys, passwords and signatures.
  public static let standard = SecretRules()
  /// Hides nothing.
  public static let none: SecretRules = {
    var rules = SecretRules()
    rules.parameters = []
    rules.unparsedBodies = .shown
    rules.hidesUsualNames = false
    return rules
  }()
}

extension SecretRules {
  /// The normalized names of the rules, for one text.
  struct Names: Sendable {
    fileprivate let hidden: Set<String>
    fileprivate let shown: Set<String>
    fileprivate let hidesUsualNames: Bool

    /// A Boolean value that indicates whether there is anything to hide.
    var hidesSomething: Bool { !hidden.isEmpty || hidesUsualNames }

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

  /// The rules for single values, with normalized names.
  var values: ValueRedaction {
    ValueRedaction(names: names(), parameters: names(parameters), secrets: secrets)
  }

  /// Returns the rules for the response to a request, which may repeat the secrets of the request.
  func hidingSecrets(of request: Request?, answeredWith head: ResponseHead?) -> SecretRules {
    guard !hidesNothing else { return self }
    var rules = self
    rules.secrets = SecretValues(of: request, answeredWith: head, by: self)
    return rules
  }

  /// Returns a text without the values that are hidden wherever they occur.
  func withoutSecrets(_ text: String) -> String { secrets.hidden(in: text) ?? text }

  /// A Boolean value that indicates whether nothing is hidden.
  var hidesNothing: Bool {
    !hidesUsualNames && headers.isEmpty && parameters.isEmpty && fields.isEmpty
  }

  func hides(_ name: HTTPHeaders.Name) -> Bool {
    let normal = Self.normalized(name.rawValue)
    guard !exceptions.contains(where: { Self.normalized($0) == normal }) else { return false }
    return headers.contains(name)
      || hidesUsualNames && (Redaction.isSecret(name) || Self.proofs.contains(name))
  }

  /// The fields with which a server authenticates itself to a client.
  private static let proofs: Set<HTTPHeaders.Name> = [
    "Authentication-Info", "Proxy-Authentication-Info",
  ]

  /// Returns the fields with their secrets replaced.
  func redacted(_ headers: HTTPHeaders) -> HTTPHeaders {
    if hidesNothing { return headers }
    let values = values
    return HTTPHeaders(
      headers.map { field in
        let value =
          switch field.name {
          case let name where hides(name): Redaction.placeholder
          case .location, "Content-Location", "Referer": values.redacted(url: field.value)
          case "Link": redacted(links: field.value)
          case "WWW-Authenticate", "Proxy-Authenticate": redacted(challenge: field.value)
          default: values.redacted(field.value) ?? field.value
          }
        return HTTPHeaders.Field(name: field.name, value: withoutSecrets(value))
      }
    )
  }

  /// Returns a list of links in which the URLs between `<` and `>` are redacted, and the text outside them.
  private func redacted(links: String) -> String {
    let values = values
    let text = { (text: String) in values.redacted(text) ?? text }
    return links.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
      .map { part -> String in
        let part = Substring(part)
        guard let end = part.utf8.firstIndex(of: UInt8(ascii: ">")) else {
          return text(String(part))
        }
        let url = redacted(url: String(part[..<end]))
        // What has spaces is no URL but, for example, a part of a title.
        let isURL = !url.utf8.contains { $0 <= 0x20 }
        let behind = String(part[part.utf8.index(after: end)...])
        return (isURL ? url : text(url)) + ">" + text(behind)
      }
      .joined(separator: "<")
  }

  /// Returns a challenge, or a list of them; what follows the first scheme is hidden if it may contain a
  /// token.
  private func redacted(challenge: String) -> String {
    let scheme = challenge.utf8.prefix { !ASCII.isSpace($0) }
    let hasParameters = challenge[scheme.endIndex...].utf8.contains(UInt8(ascii: "="))
    let hasToken = challenge.utf8.split(separator: ASCII.comma).contains(where: Self.hasToken)
    guard hasToken || !hasParameters, scheme.endIndex < challenge.endIndex else {
      return values.redacted(challenge) ?? challenge
    }
    return "\(challenge[..<scheme.endIndex]) \(Redaction.placeholder)"
  }

  /// Returns whether a member of a list of challenges is a scheme and its token.
  private static func hasToken(_ member: Substring.UTF8View) -> Bool {
    let member = ASCII.trimmed(member)
    let scheme = member.prefix { !ASCII.isSpace($0) }
    return scheme.endIndex < member.endIndex
      && ["negotiate", "ntlm", "kerberos"].contains(ASCII.lowercased(Substring(scheme)))
  }

  /// Returns the URL with its secrets replaced.
  ///
  /// These are user and password, and the values of secret parameters of path, query and fragment; all
  /// else is unchanged.
  package func redacted(url: String) -> String {
    hidesNothing ? url : values.redacted(url: url)
  }
}
