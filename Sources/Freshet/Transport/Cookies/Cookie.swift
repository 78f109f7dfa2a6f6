public import FreshetEssentials

/// A cookie as a user agent keeps it (RFC 6265 section 5.3).
///
/// Its descriptions never show its value.
public struct Cookie: Sendable, Hashable, Codable {
  /// The name of the cookie.
  public let name: String
  /// The value of the cookie.
  public let value: String
  /// The host that the cookie belongs to, in lower case.
  public let domain: String
  /// A Boolean value that indicates whether the cookie is only sent to that host, and not to its subdomains.
  public let isHostOnly: Bool
  /// The path prefix of the URLs that the cookie is sent to.
  public let path: String
  /// The time at which the cookie expires; `nil` for a session cookie.
  public let expires: Date?
  /// A Boolean value that indicates whether the cookie is only sent over `https`, or to this computer, as in
  /// browsers.
  public let isSecure: Bool
  /// A Boolean value that indicates whether the cookie has the `HttpOnly` attribute.
  ///
  /// It has no effect here, and is preserved.
  public let isHTTPOnly: Bool
  /// The time at which the cookie was first set.
  public internal(set) var created: Date

  /// The key by which a cookie replaces another one.
  struct Identity: Hashable {
    let name: String
    let domain: String
    let path: String
    let isHostOnly: Bool
  }

  var identity: Identity {
    Identity(name: name, domain: domain, path: path, isHostOnly: isHostOnly)
  }

  func isExpired(at now: Date) -> Bool {
    expires.map { $0 <= now } ?? false
  }
}

extension Cookie: RedactedDescribable {
  /// The name, the domain and the path.
  public var description: String {
    Printable.line("\(name)=\(Redaction.placeholder); \(domain)\(path)")
  }
}

extension Cookie {
  /// The URL components that decide which cookies can be set and are sent.
  struct Place {
    let host: String
    let path: String
    let isSecure: Bool

    init?(_ url: URL) {
      guard let origin = URLOrigin(url) else { return nil }
      host = origin.host
      isSecure = origin.scheme == "https" || origin.isLoopback
      let path = url.path(percentEncoded: true)
      self.path = path.hasPrefix("/") ? path : "/"
    }

    /// The path without its last segment (RFC 6265 section 5.1.4).
    var defaultPath: String {
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
      return String(path[..<slash])
    }

    /// A Boolean value that indicates whether the host is an IP address, which has no subdomains.
    var isAddress: Bool { HostName.isAddress(host) }
  }

  /// The hosts that share a limit: those of one registrable domain.
  struct Site {
    /// The registrable domain; for an address and a public suffix the host itself.
    let name: String
    /// A Boolean value that indicates whether no other host belongs to it.
    let isAlone: Bool

    init(of host: String, _ isPublicSuffix: (String) -> Bool) {
      var name = host[...]
      isAlone = HostName.isAddress(host) || Self.isSuffix(name, isPublicSuffix)
      while !isAlone, let dot = name.firstIndex(of: ".") {
        let parent = name[name.index(after: dot)...]
        if parent.isEmpty || Self.isSuffix(parent, isPublicSuffix) { break }
        name = parent
      }
      self.name = String(name)
    }

    func contains(_ domain: String) -> Bool {
      domain == name || !isAlone && Cookie.domain(domain, isWithin: name)
    }

    /// Returns whether a domain is a public suffix; a trailing dot does not make another one.
    static func isSuffix(
      _ domain: some StringProtocol,
      _ isPublicSuffix: (String) -> Bool
    ) -> Bool {
      isPublicSuffix(String(domain.hasSuffix(".") ? domain.dropLast() : domain[...]))
    }
  }

  /// Returns whether the cookie is sent to a URL (RFC 6265 section 5.4).
  func matches(_ place: Place) -> Bool {
    (place.isSecure || !isSecure)
      && (isHostOnly ? place.host == domain : Self.domain(place.host, isWithin: domain))
      && Self.path(place.path, isUnder: path)
  }

  /// Returns whether the host belongs to a domain (RFC 6265 section 5.1.3).
  static func domain(_ domain: String, isWithin other: String) -> Bool {
    domain == other || domain.hasSuffix("." + other) && !HostName.isAddress(domain)
  }

  /// Returns whether an insecure origin must not set the other cookie beside this one, which is
  /// secure (RFC 6265bis section 5.7).
  func blocks(_ other: Cookie) -> Bool {
    isSecure && name == other.name && Self.path(other.path, isUnder: path)
      && (Self.domain(domain, isWithin: other.domain)
        || Self.domain(other.domain, isWithin: domain))
  }

  /// Returns whether a path belongs to a cookie's path (RFC 6265 section 5.1.4).
  static func path(_ path: String, isUnder cookiePath: String) -> Bool {
    guard path.hasPrefix(cookiePath) else { return false }
    return path.count == cookiePath.count || cookiePath.hasSuffix("/")
      || path.dropFirst(cookiePath.count).first == "/"
  }
}
