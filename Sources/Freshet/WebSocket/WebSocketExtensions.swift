/// The negotiation of permessage-deflate (RFC 7692 section 7.1), without context takeover in either direction.
package enum WebSocketExtensions {
  private static let name = "permessage-deflate"
  private static let server = "server_no_context_takeover"
  private static let client = "client_no_context_takeover"
  private static let serverBits = "server_max_window_bits"
  private static let clientBits = "client_max_window_bits"

  /// The client's offer, and the answer of a server that accepts one.
  package static let deflate = "\(name); \(server); \(client)"

  /// Returns whether a server agrees to the client's offer; `nil` if it agrees to something else.
  static func agreement(_ answer: [String], isOffered: Bool) -> Bool? {
    guard let first = answer.first else { return false }
    guard isOffered, answer.count == 1, let parameters = parameters(of: first) else { return nil }
    for (name, value) in parameters {
      switch name {
      case server, client: guard value == nil else { return nil }
      case serverBits: guard let value, isBits(value) else { return nil }
      default: return nil
      }
    }
    // The offer asks for it, so a server that does not promise it has not understood.
    return parameters[server] != nil ? true : nil
  }

  /// Returns whether a server can agree to one of the client's offers.
  package static func accepts(_ offers: [String]) -> Bool {
    offers.contains { offer in
      guard let parameters = parameters(of: offer) else { return false }
      return parameters.allSatisfy { name, value in
        switch name {
        case server, client: value == nil
        case clientBits: value.map(isBits) ?? true
        // Also a window for the server, which the answer would repeat (RFC 7692 section 7.1.2.1).
        default: false
        }
      }
    }
  }

  private static func isBits(_ text: String) -> Bool {
    (8...15).contains { "\($0)" == text }
  }

  /// Returns the parameters of permessage-deflate; `nil` for other extensions, and if one is repeated.
  private static func parameters(of member: String) -> [String: String?]? {
    let parts = FieldList.parts(of: member)
    guard ASCII.equalIgnoringCase(parts[0], name) else { return nil }
    var parameters: [String: String?] = [:]
    for (name, value) in parts.dropFirst().map(FieldList.parameter) {
      guard parameters[name] == nil else { return nil }
      parameters[name] = .some(value.map { FieldList.unquoted($0) ?? String($0) })
    }
    return parameters
  }
}
