import FreshetEssentials

/// The pins of a transport, by host.
struct PinnedHosts: Sendable, Hashable {
  private let pins: [String: ServerPins]
  /// A pinned host that no URL can have: a mistake, or Unicode that cannot be converted here.
  private let unknownHost: String?

  init(_ pins: [String: ServerPins]) {
    let hosts = pins.map { (Self.normalized($0), $1) }
    self.pins = Dictionary(hosts.compactMap { host, own in host.map { ($0, own) } }) { $1 }
    unknownHost = pins.keys.sorted().first { Self.normalized($0) == nil }
  }

  /// Returns the pins of a URL's host: its own, or those of the nearest parent domain that include it.
  func pins(for url: URL) -> ServerPins? {
    guard !pins.isEmpty, let host = URLOrigin(url)?.host else { return nil }
    var name = host.hasSuffix(".") ? host.dropLast() : host[...]
    if let own = pins[String(name)] { return own }
    while let dot = name.firstIndex(of: ".") {
      name = name[name.index(after: dot)...]
      if let above = pins[String(name)], above.includesSubdomains { return above }
    }
    return nil
  }

  /// Returns the reason why requests to a URL are refused, or `nil`.
  func problem(with url: URL) -> String? {
    if let unknownHost { return "the pinned host \(unknownHost) is not the host of any URL" }
    guard !pins.isEmpty else { return nil }
    guard let origin = URLOrigin(url) else { return "it is not clear which host it names" }
    guard let own = pins(for: url) else { return nil }
    if own.keys.isEmpty, own.certificates.isEmpty {
      return "the pins of the host have neither a key nor a certificate"
    }
    return origin.scheme == "https" ? nil : "the host is pinned, and this is not https"
  }

  /// Returns a host in the form in which it is requested, without a trailing dot; `nil` if it cannot be requested.
  static func normalized(_ host: String) -> String? {
    let written = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    guard let host = URL(unicode: "https://\(written)/").flatMap({ URLOrigin($0)?.host }) else {
      return nil
    }
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}
