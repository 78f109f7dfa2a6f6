import FreshetEssentials

/// The fields with which a connection becomes a WebSocket (RFC 6455 section 4).
package enum WebSocketHandshake {
  /// The only version of the protocol.
  static let version = "13"

  /// Returns a URL with `https` for `wss` and `http` for `ws`; `nil` for others.
  static func overHTTP(_ url: String) -> String? {
    guard let colon = url.firstIndex(of: ":") else { return nil }
    switch ASCII.lowercased(url[..<colon]) {
    case "wss": return "https" + url[colon...]
    case "ws": return "http" + url[colon...]
    default: return nil
    }
  }

  /// Returns a key from random bits.
  static func key(_ first: UInt64, _ second: UInt64) -> String {
    let bytes = [first, second]
      .flatMap { bits in
        (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
      }
    return Data(bytes).base64EncodedString()
  }

  /// Returns the answer to a key.
  package static func accept(_ key: String) -> String {
    let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    return ChecksumHasher.digest(.sha1, of: Data(text.utf8)).base64EncodedString()
  }

  /// Returns the fields of a request.
  static func fields(key: String, protocols: [String], deflates: Bool = false) -> HTTPHeaders {
    var fields: HTTPHeaders = [
      .upgrade: "websocket",
      .connection: "Upgrade",
      .secWebSocketVersion: version,
      .secWebSocketKey: key,
    ]
    if !protocols.isEmpty {
      fields[.secWebSocketProtocol] = protocols.joined(separator: ", ")
    }
    if deflates { fields[.secWebSocketExtensions] = WebSocketExtensions.deflate }
    return fields
  }

  /// Returns whether the names of protocols contain a token, by the rules with which diagnostics hide them.
  static func containToken(_ protocols: [String]) -> Bool {
    protocols.contains { SecretWords.contains($0) }
      || SecretRules.standard.values.redacted(protocols.joined(separator: ", ")) != nil
  }

  /// Returns the reason why a response of status 101 opens no WebSocket, or `nil` (RFC 6455 section 4.1).
  static func problem(
    with head: ResponseHead,
    key: String,
    protocols: [String],
    deflates: Bool = false
  ) -> String? {
    let headers = head.headers
    guard has("websocket", in: headers, .upgrade), has("upgrade", in: headers, .connection) else {
      return "its Upgrade is not a WebSocket"
    }
    guard headers[values: .secWebSocketAccept] == [accept(key)] else {
      return "its Sec-WebSocket-Accept does not match the key"
    }
    guard !headers.contains(.transferEncoding) else {
      return "it has a transfer coding"
    }
    guard agreement(in: headers, deflates: deflates) != nil else {
      return "it selects an extension that was not offered"
    }
    let chosen = headers[values: .secWebSocketProtocol]
    guard chosen.count <= 1, chosen.allSatisfy(protocols.contains) else {
      return "it selects a subprotocol that was not offered; check options.protocols"
    }
    return nil
  }

  /// Returns whether messages may be compressed; `nil` if a server agrees to what was not offered.
  static func agreement(in headers: HTTPHeaders, deflates: Bool) -> Bool? {
    let answer = headers.members(of: .secWebSocketExtensions)
    return WebSocketExtensions.agreement(answer, isOffered: deflates)
  }

  /// Returns the reason why a request asks for no WebSocket, or `nil` (RFC 6455 section 4.2.1).
  package static func problem(withRequest method: HTTPMethod, _ headers: HTTPHeaders) -> String? {
    guard method == .get, has("websocket", in: headers, .upgrade),
      has("upgrade", in: headers, .connection)
    else { return "it does not ask for a WebSocket" }
    guard headers[values: .secWebSocketVersion] == [version] else {
      return "its Sec-WebSocket-Version is not \(version)"
    }
    let keys = headers[values: .secWebSocketKey]
    guard keys.count == 1, Data(base64Encoded: keys[0])?.count == 16 else {
      return "its Sec-WebSocket-Key does not have 16 bytes"
    }
    return nil
  }

  private static func has(
    _ token: String,
    in headers: HTTPHeaders,
    _ name: HTTPHeaders.Name
  ) -> Bool {
    headers.members(of: name).contains { ASCII.equalIgnoringCase($0, token) }
  }
}
