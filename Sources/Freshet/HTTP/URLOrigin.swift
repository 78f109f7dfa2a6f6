package import FreshetEssentials

/// The scheme, host and port of a URL, which identify its server (RFC 9110 section 4.3.1, RFC 6454
/// section 4).
///
/// The origin of a `ws` URL is that of the same URL with `http`, and `wss` is `https` (RFC 6455 section 3).
struct URLOrigin: Sendable, Hashable {
  /// The scheme in lower case.
  let scheme: String
  /// The host in lower case, as it is requested; IPv6 addresses have brackets and their shortest form.
  let host: String
  /// The effective port: the one in the URL, or the scheme's default.
  let port: Int

  /// Parses the origin; `nil` if the URL is not an absolute `http`, `https`, `ws` or `wss` URL, or if its
  /// host is always refused, see ``HostName``.
  init?(_ url: URL) {
    self.init(URLParts(url.absoluteString))
  }

  init?(_ parts: URLParts?) {
    guard let parts else { return nil }
    let scheme = Self.overHTTP(ASCII.lowercased(parts.scheme))
    guard let ownPort = Self.port(of: scheme),
      HostName.problem(with: parts.host) == nil
    else { return nil }
    let port = parts.port.map { ASCII.integer($0) ?? 0 } ?? Int64(ownPort)
    guard (1...65_535).contains(port) else { return nil }
    self.scheme = scheme
    host = HostName.canonical(parts.host)
    self.port = Int(port)
  }

  /// The host, and the port unless it is the scheme's default, as `Host` has them (RFC 9110 section 7.2).
  var authority: String { port == Self.port(of: scheme) ? host : "\(host):\(port)" }

  /// A Boolean value that indicates whether the host is this one, which needs no network.
  var isLoopback: Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || ASCII.isDigit($0) }
  }

  private static func overHTTP(_ scheme: String) -> String {
    switch scheme {
    case "ws": "http"
    case "wss": "https"
    default: scheme
    }
  }

  /// Returns the default port of `http` or `https`; `nil` for any other scheme.
  static func port(of scheme: some StringProtocol) -> Int? {
    if ASCII.equalIgnoringCase(scheme, "https") { return 443 }
    return ASCII.equalIgnoringCase(scheme, "http") ? 80 : nil
  }
}

extension URL {
  /// The scheme, host and port, such as `https://example.org:443`; `nil` for a URL without an origin.
  package var originText: String? { URLOrigin(self).map { "\($0.scheme)://\($0.host):\($0.port)" } }

  /// Returns whether both URLs have the same scheme, host and port; `false` for URLs without an origin.
  func hasSameOrigin(as other: URL) -> Bool {
    guard let origin = URLOrigin(self) else { return false }
    return origin == URLOrigin(other)
  }
}

/// The parts of an absolute URL as they are written (RFC 3986 appendix B).
///
/// Foundation's accessors decode a host that was given in Unicode; these parts are what is sent.
struct URLParts {
  let scheme: Substring
  /// The part before the host's `@`, or `nil` if there is none.
  let userInfo: Substring?
  let host: Substring
  /// The port's digits, or `nil` if there are none.
  let port: Substring?
  /// The path and everything after it.
  let rest: Substring

  init?(_ text: String) {
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    scheme = text[..<colon]
    let slashes = bytes[bytes.index(after: colon)...].prefix(2)
    guard slashes.elementsEqual("//".utf8) else { return nil }
    let authorityEnd =
      bytes[slashes.endIndex...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
    rest = text[authorityEnd...]
    var authority = text[slashes.endIndex..<authorityEnd]
    if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
      userInfo = authority[..<at]
      authority = authority[bytes.index(after: at)...]
    } else {
      userInfo = nil
    }
    let hostEnd = authority.utf8.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    guard let portColon = authority[hostEnd...].utf8.firstIndex(of: UInt8(ascii: ":")) else {
      host = authority
      port = nil
      return
    }
    host = authority[..<portColon]
    let digits = authority[bytes.index(after: portColon)...]
    port = digits.isEmpty ? nil : digits
  }

  /// Returns the user and the password of a URL; `nil` for a text that is no URL, although it may contain one.
  static func user(of text: String) -> Substring? {
    guard let parts = URLParts(text), let user = parts.userInfo, parts.hasScheme else { return nil }
    return user
  }

  /// A Boolean value that indicates whether the text before the first colon can be a scheme: the `://` of a
  /// relative reference may be that of a URL in its query.
  var hasScheme: Bool { scheme.utf8.allSatisfy(ASCII.isToken) }
}
