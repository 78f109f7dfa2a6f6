import Foundation

/// What is hidden in recordings and commands: values of header fields, query parameters, form
/// fields and JSON members, by their names.
///
/// Names are compared without regard to case, `-` and `_`.
public struct SecretRules: Sendable, Hashable {
  /// Header fields to hide beside those of credentials and cookies.
  public var headers: Set<HTTPHeaders.Name> = []
  /// Query parameters to hide, beside ``fields``.
  public var parameters: Set<String> = []
  /// Query parameters, form fields and JSON members to hide.
  public var fields: Set<String> = []
  private var hidesCredentials = true

  /// Makes rules that hide the usual names.
  public init() {
    parameters = ["key", "code", "auth", "jwt"]
    fields = [
      "token", "accessToken", "refreshToken", "idToken", "authToken", "sessionToken", "apiKey",
      "password", "passwd", "secret", "clientSecret", "clientAssertion", "assertion", "signature",
      "sig", "sessionId", "privateKey", "xAmzSignature", "xAmzSecurityToken", "xAmzCredential",
      "xGoogSignature", "codeVerifier",
    ]
  }

  /// Hides credentials, cookies and the usual names of tokens, keys, passwords and signatures.
  public static let standard = SecretRules()
  /// Hides nothing.
  public static let none: SecretRules = {
    var rules = SecretRules()
    rules.parameters = []
    rules.fields = []
    rules.hidesCredentials = false
    return rules
  }()
}

extension SecretRules {
  static func normalized(_ name: some StringProtocol) -> String {
    ASCII.lowercased(String(name.filter { $0 != "-" && $0 != "_" }))
  }

  func hides(_ name: HTTPHeaders.Name) -> Bool {
    headers.contains(name) || hidesCredentials && Redaction.isSecret(name)
  }

  private var hiddenFields: Set<String> { Set(fields.map(Self.normalized)) }

  /// The fields with what must not be seen replaced.
  func redacted(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      headers.map { field in
        let value =
          switch field.name {
          case let name where hides(name): Redaction.placeholder
          case .location, "Content-Location", "Referer": redacted(url: field.value)
          default: field.value
          }
        return HTTPHeaders.Field(name: field.name, value: value)
      }
    )
  }

  /// The URL with the values of secret parameters of query and fragment replaced; all else stays as
  /// it is written.
  func redacted(url: String) -> String {
    guard let mark = url.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return url }
    let names = hiddenFields.union(parameters.map(Self.normalized))
    let start = url.index(after: mark)
    guard let hash = url[start...].firstIndex(of: "#") else {
      return url[..<start] + Self.redacted(pairs: url[start...], names: names)
    }
    let fragment = url.index(after: hash)
    return url[..<start] + Self.redacted(pairs: url[start..<hash], names: names) + "#"
      + Self.redacted(pairs: url[fragment...], names: names)
  }

  /// The text of a body with the values of secret fields replaced.
  func redacted(body: String, contentType: String?) -> String {
    let names = hiddenFields
    guard !names.isEmpty else { return body }
    let type = contentType.map { ASCII.lowercased($0) } ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return Self.redacted(pairs: body[...], names: names)
    }
    let start = body.utf8.first { !ASCII.isSpace($0) && $0 != 0x0A && $0 != 0x0D }
    let looksLikeJSON = start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
    return type.contains("json") || looksLikeJSON
      ? JSONRedaction(names: names).redacted(body) : body
  }

  private static func redacted(pairs: Substring, names: Set<String>) -> String {
    pairs.split(separator: "&", omittingEmptySubsequences: false)
      .map { pair -> String in
        guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
        let name = String(pair[..<equals])
        guard names.contains(normalized(name.removingPercentEncoding ?? name)) else {
          return String(pair)
        }
        return pair[...equals] + "redacted"
      }
      .joined(separator: "&")
  }
}
