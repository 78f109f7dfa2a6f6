import FreshetEssentials

/// The pins of a transport, by host.
struct PinnedHosts: Sendable, Hashable {
  private let pins: [String: ServerPins]
  /// The reason why all requests are refused: a pinned host that no URL can have, such as Unicode that cannot
  /// be converted here, or several spellings of a host with different pins.
  private let mistake: String?

  init(_ pins: [String: ServerPins]) {
    var hosts: [String: ServerPins] = [:]
    var mistake: String?
    for (written, own) in pins.sorted(by: { $0.key > $1.key }) {
      guard let host = Self.normalized(written) else {
        mistake = "the pinned host \(written) is not the host of any URL"
        continue
      }
      if let other = hosts.updateValue(own, forKey: host), other != own {
        mistake = "the host \(host) is pinned in several spellings, with different pins"
      }
    }
    self.pins = hosts
    self.mistake = mistake
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
    if let mistake { return mistake }
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
