import FreshetEssentials

/// The pins of a transport, by host.
struct PinnedHosts: Sendable, Hashable {
  private let pins: [String: ServerPins]

  init(_ pins: [String: ServerPins]) {
    self.pins = Dictionary(pins.map { (Self.normalized($0), $1) }) { $1 }
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
    guard !pins.isEmpty else { return nil }
    guard let origin = URLOrigin(url) else { return "it is not clear which host it names" }
    guard pins(for: url) != nil, origin.scheme != "https" else { return nil }
    return "the host is pinned, and this is not https"
  }

  /// Returns a host in the form in which it is requested, without a trailing dot.
  static func normalized(_ host: String) -> String {
    let written = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    let asked = URL(unicode: "https://\(written)/").flatMap { URLOrigin($0)?.host }
    let host = asked ?? host.lowercased()
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}
