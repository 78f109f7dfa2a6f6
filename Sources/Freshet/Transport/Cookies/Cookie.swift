public import Foundation

/// A cookie as a user agent keeps it (RFC 6265 section 5.3).
///
/// Its descriptions never show its value.
public struct Cookie: Sendable, Hashable, Codable {
  /// Its name.
  public let name: String
  /// Its value.
  public let value: String
  /// The host that it belongs to, in lower case.
  public let domain: String
  /// Whether it is for that host only, and not for the hosts below it.
  public let isHostOnly: Bool
  /// The path under which it is sent.
  public let path: String
  /// When it ceases to be; `nil` if with the session.
  public let expires: Date?
  /// Whether it is sent over `https` only.
  public let isSecure: Bool
  /// Whether scripts of a page may not see it; without meaning here, and kept.
  public let isHTTPOnly: Bool
  /// When it was first set.
  public internal(set) var created: Date

  /// What makes it the same cookie as another one.
  var identity: [String] { [name, domain, path] }

  func isExpired(at now: Date) -> Bool {
    expires.map { $0 <= now } ?? false
  }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name, the domain and the path.
  public var description: String {
    Printable.line("\(name)=\(Redaction.placeholder); \(domain)\(path)")
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Cookie {
  /// Where a cookie comes from or goes to.
  struct Place {
    let host: String
    let path: String
    let isSecure: Bool

    init?(_ url: URL) {
      guard let origin = URLOrigin(url) else { return nil }
      host = origin.host
      isSecure = origin.scheme == "https"
      let path = url.path(percentEncoded: true)
      self.path = path.hasPrefix("/") ? path : "/"
    }

    /// The path without its last segment (RFC 6265 section 5.1.4).
    var defaultPath: String {
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
      return String(path[..<slash])
    }

    /// Whether the host is an address, which has no hosts below it.
    var isAddress: Bool { HostName.isAddress(host) }
  }

  /// Whether it is sent there (RFC 6265 section 5.4).
  func matches(_ place: Place) -> Bool {
    (place.isSecure || !isSecure)
      && (isHostOnly ? place.host == domain : Self.host(place, isWithin: domain))
      && Self.path(place.path, isUnder: path)
  }

  /// RFC 6265 section 5.1.3.
  static func host(_ place: Place, isWithin domain: String) -> Bool {
    place.host == domain || !place.isAddress && place.host.hasSuffix("." + domain)
  }

  /// RFC 6265 section 5.1.4.
  static func path(_ path: String, isUnder cookiePath: String) -> Bool {
    guard path.hasPrefix(cookiePath) else { return false }
    return path.count == cookiePath.count || cookiePath.hasSuffix("/")
      || path.dropFirst(cookiePath.count).first == "/"
  }
}
