/// The reason why received bytes end a connection (RFC 6455 section 7.4.1).
package enum WebSocketViolation: Error, Hashable, Sendable {
  /// The bytes break the protocol.
  case frames(String)
  /// A text, or the reason of a close, is not UTF-8.
  case text
  /// A message is longer than the limit, in bytes.
  case size(Int)

  /// The code for the close frame.
  package var code: WebSocket.CloseCode {
    switch self {
    case .frames: .protocolError
    case .text: .invalidPayload
    case .size: .messageTooBig
    }
  }
}

extension WebSocketViolation {
  /// Returns the failure of a socket.
  func error(url: String) -> FreshetError {
    switch self {
    case .frames(let reason): .invalidResponse(reason, url: url)
    case .text: .invalidResponse("a text message or the reason of a close is not UTF-8", url: url)
    case .size(let limit): .limitExceeded(.messageBytes(limit), url: url)
    }
  }
}
