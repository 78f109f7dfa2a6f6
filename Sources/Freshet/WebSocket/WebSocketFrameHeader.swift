/// The bytes before a frame's payload (RFC 6455 section 5.2).
package struct WebSocketFrameHeader: Hashable, Sendable {
  var isFinal = true
  /// A Boolean value that indicates whether it begins a compressed message (RFC 7692 section 6, RSV1).
  var isCompressed = false
  var opcode: WebSocketOpcode
  /// The length of the payload, in bytes.
  var length = 0
  /// The key with which the payload is masked; `nil` if it is not.
  var mask: WebSocketMask?

  /// Appends the header's bytes, with the shortest form of the length.
  func append(to bytes: inout [UInt8]) {
    bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    let masked: UInt8 = mask == nil ? 0 : 0x80
    switch length {
    case ..<126:
      bytes.append(masked | UInt8(length))
    case ..<65_536:
      bytes += [masked | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
    default:
      bytes.append(masked | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: length >> shift))
      }
    }
    if let mask { bytes += mask.bytes }
  }
}

// MARK: - Parsing

extension WebSocketFrameHeader {
  /// Returns the number of bytes of a header with this second byte.
  static func size(_ second: UInt8) -> Int {
    let length = second & 0x7F
    return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + (second & 0x80 == 0 ? 0 : 4)
  }

  /// Parses a complete header, with the number of bytes that ``size(_:)`` returns.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - allowsCompression: A Boolean value that indicates whether messages may be compressed.
  /// - Throws: ``WebSocketViolation/frames(_:)`` for reserved bits, codes and lengths, and for control
  ///   frames that are long or in fragments.
  init(_ bytes: [UInt8], allowsCompression: Bool = false) throws(WebSocketViolation) {
    let reserved: UInt8 = allowsCompression ? 0x30 : 0x70
    guard bytes[0] & reserved == 0 else { throw .frames("a reserved bit of a frame is set") }
    guard let opcode = WebSocketOpcode(rawValue: bytes[0] & 0x0F) else {
      throw .frames("a frame has the reserved opcode \(bytes[0] & 0x0F)")
    }
    self.opcode = opcode
    isFinal = bytes[0] & 0x80 != 0
    isCompressed = bytes[0] & 0x40 != 0
    guard !isCompressed || opcode == .text || opcode == .binary else {
      throw .frames("a frame that begins no message is marked as compressed")
    }
    let short = Int(bytes[1] & 0x7F)
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    let long = bytes[2..<(2 + extra)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard extra == 0 || long >= (extra == 2 ? 126 : 65_536) else {
      throw .frames("the length of a frame is not in its shortest form")
    }
    guard long <= UInt64(Int.max) else { throw .frames("the length of a frame is too large") }
    length = extra == 0 ? short : Int(long)
    mask = bytes[1] & 0x80 == 0 ? nil : WebSocketMask(Array(bytes.suffix(4)))
    guard opcode.isControl else { return }
    guard isFinal else { throw .frames("a control frame is fragmented") }
    guard length <= 125 else { throw .frames("a control frame is longer than 125 bytes") }
  }
}
