/// The kind of a frame (RFC 6455 section 5.2).
package enum WebSocketOpcode: UInt8, Sendable {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  /// A Boolean value that indicates whether it is a control frame, which can be sent between fragments.
  var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The side of a connection that sends something; the frames of a client are masked.
package enum WebSocketRole: Sendable {
  case client
  case server
}
