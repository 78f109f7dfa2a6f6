import Freshet

/// URLs as people write them.
enum URLText {
  /// Returns a URL for standard error: on one line, and without its secrets.
  static func shown(_ text: String) -> String {
    Printable.line(redacted(text, .standard))
  }

  /// Returns a URL without a user and password, for scripts that find it by its parameters.
  static func withoutUser(_ text: String) -> String {
    redacted(text, onlyUsers)
  }

  /// Hides the secrets of a URL, also if its scheme is missing.
  private static func redacted(_ text: String, _ rules: SecretRules) -> String {
    let scheme = text.prefix { $0 != "?" && $0 != "#" }.contains("://") ? "" : "https://"
    return String(rules.redacted(url: scheme + text).dropFirst(scheme.count))
  }

  /// The rules that hide users and passwords, and no parameters.
  private static let onlyUsers: SecretRules = {
    var rules = SecretRules.none
    rules.headers = [.authorization]
    return rules
  }()

  /// Returns the request for a URL; if only its scheme is missing, the failure suggests one.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - text: The URL.
  ///   - credentials: What to do with a user and password instead of writing them there.
  /// - Returns: The request.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)``.
  static func request(
    _ method: HTTPMethod,
    _ text: String,
    credentials: String = "pass them with --user, as in -u USER:PASSWORD"
  ) throws(FreshetError) -> Request {
    // A list's bytes that are not UTF-8 have become this character, which names another resource.
    guard !text.unicodeScalars.contains("\u{FFFD}") else {
      throw .invalidRequest("it is not UTF-8; write other bytes as %XX", url: shown(text))
    }
    do throws(FreshetError) {
      return try Request(method, text)
    } catch .invalidRequest(let reason, let url) {
      throw .invalidRequest(problem(text, reason, credentials), url: url)
    }
  }

  /// Returns what is wrong with a text that is not a URL, for the person who typed it.
  private static func problem(
    _ text: String,
    _ reason: String,
    _ credentials: String
  ) -> String {
    if isWithoutScheme(text) {
      return "its URL has no scheme; write \(shown("https://\(text)"))"
    }
    if !text.contains("://") {
      return "it is not a URL that begins with https:// or http://"
    }
    if reason.contains("Authorization") {
      return "its URL contains a user or password; \(credentials)"
    }
    return reason
  }

  /// Returns a Boolean value that indicates whether it begins with a possible host, and optionally a port.
  private static func isWithoutScheme(_ text: String) -> Bool {
    let host = text.prefix { !":/?#".contains($0) }
    guard host == "localhost" || host.contains("."), !host.hasPrefix("."),
      host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" })
    else { return false }
    let rest = text.dropFirst(host.count)
    return !rest.hasPrefix(":") || rest.dropFirst().first?.isNumber == true
  }
}
