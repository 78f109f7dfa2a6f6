import FreshetEssentials

/// Puts messages together from the frames of one side, by the rules of RFC 6455 sections 5.4, 5.5 and 7.
struct WebSocketAssembler: Sendable {
  private let limit: Int
  /// The kind of the message whose fragments arrive; `nil` between messages.
  private var kind: WebSocketOpcode?
  private var message: [UInt8] = []
  /// A Boolean value that indicates whether the message is compressed.
  private var isCompressed = false
  private var validator = UTF8Validator()
  /// The payload of the control frame that arrives.
  private var control: [UInt8] = []

  /// Creates an assembler for messages of at most this number of bytes.
  init(limit: Int) {
    self.limit = limit
  }

  /// The number of bytes that are held.
  var heldCount: Int { message.count + control.count }

  /// Begins a frame.
  mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketViolation) {
    guard !header.opcode.isControl else { return }
    if header.opcode == .continuation {
      guard kind != nil else { throw .frames("a continuation frame does not belong to a message") }
    } else {
      guard kind == nil else {
        throw .frames("a message begins before the last fragment of another one")
      }
      kind = header.opcode
      isCompressed = header.isCompressed
    }
    let most = isCompressed ? WebSocketDeflate.compressedLimit(limit) : limit
    guard header.length <= most - message.count else { throw .size(limit) }
  }

  /// Adds a piece of the current frame's payload, without its mask.
  mutating func append(
    _ piece: UnsafeBufferPointer<UInt8>,
    of header: WebSocketFrameHeader
  ) throws(WebSocketViolation) {
    guard !header.opcode.isControl else {
      control += piece
      return
    }
    if kind == .text, !isCompressed {
      guard validator.accepts(piece) else { throw .text }
    }
    message += piece
  }

  /// Ends the current frame, and returns the message or control frame that it completes.
  mutating func end(
    _ header: WebSocketFrameHeader
  ) throws(WebSocketViolation) -> WebSocketDecoder.Event? {
    guard !header.opcode.isControl else {
      defer { control = [] }
      switch header.opcode {
      case .ping: return .ping(Data(control))
      case .pong: return .pong(Data(control))
      default: return .close(try Self.close(control))
      }
    }
    guard header.isFinal, let kind else { return nil }
    if isCompressed { try inflate() }
    defer {
      self.kind = nil
      isCompressed = false
      message = []
      validator = UTF8Validator()
    }
    guard kind == .text else { return .message(.binary(Data(message))) }
    guard validator.isComplete else { throw .text }
    return .message(.text(String(decoding: message, as: UTF8.self)))
  }

  private mutating func inflate() throws(WebSocketViolation) {
    message = try WebSocketDeflate.inflate(message, limit: limit)
    guard kind == .text else { return }
    guard message.withUnsafeBufferPointer({ validator.accepts($0) }) else { throw .text }
  }

  private static func close(
    _ payload: [UInt8]
  ) throws(WebSocketViolation) -> WebSocket.Close {
    guard !payload.isEmpty else { return WebSocket.Close(code: .noStatus) }
    guard payload.count >= 2 else { throw .frames("the code of a close frame is incomplete") }
    let code = WebSocket.CloseCode(UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isSendable else {
      throw .frames("a close frame has the invalid code \(code.rawValue)")
    }
    guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else { throw .text }
    return WebSocket.Close(code: code, reason: reason)
  }
}
