import FreshetEssentials

/// The scheme, host and port of a URL, which are the key for limits per host.
///
/// Any URL has one, unlike a ``URLOrigin``: a client's own transport may know other schemes. It is an object
/// so that the copies of a request share the one that is computed first.
final class HostKey: Sendable {
  /// The scheme, and host and port in lower case, without a default port (RFC 6454 section 6.2).
  let text: String

  init(_ url: URL) {
    let text = url.absoluteString
    self.text = PlainURL.origin(of: text) ?? Self.text(URLParts(text))
  }

  /// A Boolean value that indicates whether it is that of a relative URL.
  var isEmpty: Bool { text.isEmpty }

  private static func text(_ parts: URLParts?) -> String {
    // All relative URLs refer to the client's own base URL.
    guard let parts else { return "" }
    let host = "\(ASCII.lowercased(parts.scheme))://\(HostName.canonical(parts.host))"
    let ownPort = URLOrigin.port(of: parts.scheme).map(Int64.init)
    guard let port = parts.port.flatMap({ ASCII.integer($0) }), port != ownPort else { return host }
    return "\(host):\(port)"
  }
}

extension HostKey: Hashable {
  static func == (left: HostKey, right: HostKey) -> Bool {
    left === right || left.text == right.text
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}
