import Foundation

/// Scheme, host and port of a URL: who answers for it (RFC 9110 section 4.3.1, RFC 6454 section 4).
struct URLOrigin: Sendable, Hashable {
  /// In lower case.
  let scheme: String
  /// In lower case, as it is asked; IPv6 addresses with their brackets, in their shortest form.
  let host: String
  /// The port that is connected to, be it written or the scheme's own.
  let port: Int

  /// Reads the origin; `nil` if the URL is not an absolute `http` or `https` URL, or if its host is
  /// one that is never asked, see ``HostName``.
  init?(_ url: URL) {
    self.init(URLParts(url.absoluteString))
  }

  init?(_ parts: URLParts?) {
    guard let parts, let ownPort = Self.port(of: parts.scheme),
      HostName.problem(with: parts.host) == nil
    else { return nil }
    let port = parts.port.map { ASCII.integer($0) ?? 0 } ?? Int64(ownPort)
    guard (1...65_535).contains(port) else { return nil }
    scheme = ASCII.lowercased(parts.scheme)
    host = HostName.canonical(parts.host)
    self.port = Int(port)
  }

  /// The port of a URL that names none.
  static func port(of scheme: some StringProtocol) -> Int? {
    if ASCII.equalIgnoringCase(scheme, "https") { return 443 }
    return ASCII.equalIgnoringCase(scheme, "http") ? 80 : nil
  }
}

extension URL {
  /// Whether both have the same scheme, host and port; never for URLs that have no origin.
  func hasSameOrigin(as other: URL) -> Bool {
    guard let origin = URLOrigin(self) else { return false }
    return origin == URLOrigin(other)
  }
}

/// The parts of an absolute URL as they are written (RFC 3986 appendix B).
///
/// Foundation's accessors decode a host that came in Unicode; what is sent is what counts here.
struct URLParts {
  let scheme: Substring
  /// What stands before the host's `@`, or `nil` if there is none.
  let userInfo: Substring?
  let host: Substring
  /// The port's digits, or `nil` if there are none.
  let port: Substring?
  /// The path and everything behind it.
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
}
