import FreshetEssentials

/// The single check of whether requests may be sent to a URL.
///
/// Every request is checked before it is sent, whatever it was created from: a URL, text, a path
/// relative to a base URL, a redirect, a link to the next page, a stored plan or a recording. The
/// transports check it again when they begin an exchange.
enum URLCheck {
  /// Returns the reason why no request is sent to a URL, or `nil`.
  ///
  /// - Parameter url: The URL.
  /// - Returns: The reason, which does not contain the URL.
  static func problem(with url: URL) -> String? {
    let text = url.absoluteString
    if PlainURL.matches(text, rest: { $0 > 0x20 && $0 < 0x7F }) { return nil }
    guard url.scheme != nil else {
      return "its URL is relative, and the client has no baseURL"
    }
    guard let parts = URLParts(text), URLOrigin.port(of: parts.scheme) != nil else {
      return "its URL is not an absolute http or https URL"
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "its URL contains a character that must be percent-encoded"
    }
    if parts.host.isEmpty { return "its URL has no host" }
    if parts.userInfo != nil {
      return "its URL contains a user or password; put credentials into the Authorization header"
    }
    if let problem = HostName.problem(with: parts.host) { return problem }
    return URLOrigin(parts) == nil ? "its port is not between 1 and 65535" : nil
  }

  /// Returns the reason why it is ambiguous which host a text names, or `nil`.
  ///
  /// It has to be checked on the text: a `URL` only has the host that Foundation has derived from it.
  ///
  /// - Parameter text: An absolute URL, or a reference that is relative to one.
  /// - Returns: The reason, which does not contain the text.
  static func ambiguity(in text: String) -> String? {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    let parts = URLParts(text.utf8.starts(with: "//".utf8) ? "http:" + text : text)
    // The `://` of a relative reference may be that of a URL in its query.
    guard let parts, URLOrigin.port(of: parts.scheme) != nil else { return nil }
    return HostName.ambiguity(in: parts.host)
  }
}
