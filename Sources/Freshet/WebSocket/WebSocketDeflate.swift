import CZlib
import FreshetEssentials

/// Compresses and expands single messages (permessage-deflate, RFC 7692 section 7.2), each for itself.
///
/// No message refers to an earlier one, so that nothing is kept between them, and the length of one tells nothing
/// about another.
package enum WebSocketDeflate {
  /// The end of each message, which is not sent.
  private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]

  /// The shortest payload that is compressed, in bytes.
  static let threshold = 64

  /// The most bytes that a message of a length may have while it is compressed.
  ///
  /// What cannot be compressed grows by far less than an eighth.
  static func compressedLimit(_ limit: Int) -> Int {
    limit.saturatingSum(limit / 8 + threshold)
  }

  /// Returns the compressed payload; `nil` if it would not be shorter.
  package static func deflate(_ payload: some Collection<UInt8>) -> [UInt8]? {
    guard payload.count >= threshold, payload.count <= Int(Int32.max) else { return nil }
    let output = Deflater(.bare).deflate(Data(payload), Z_SYNC_FLUSH)
    guard output.count < payload.count + tail.count, output.suffix(tail.count) == Data(tail)
    else { return nil }
    return Array(output.dropLast(tail.count))
  }

  /// Returns the expanded payload of a message.
  ///
  /// - Parameters:
  ///   - payload: The compressed payload.
  ///   - limit: The longest message, in bytes; nothing beyond it is expanded.
  /// - Returns: The payload of at most that length.
  /// - Throws: ``WebSocketViolation/size(_:)`` for a longer one, and ``WebSocketViolation/frames(_:)`` for bytes
  ///   that no encoder makes.
  package static func inflate(
    _ payload: [UInt8],
    limit: Int
  ) throws(WebSocketViolation) -> [UInt8] {
    // Encoders write a byte for an empty message; some leave that out too.
    guard !payload.isEmpty else { return [] }
    var input = payload + tail
    // zlib keeps a pointer to its stream, which therefore must not move.
    var stream = z_stream()
    let result = withUnsafeMutablePointer(to: &stream) {
      stream -> Result<[UInt8], WebSocketViolation> in
      let size = Int32(MemoryLayout<z_stream>.size)
      guard inflateInit2_(stream, -15, ZLIB_VERSION, size) == Z_OK else {
        return .failure(.frames("a message cannot be expanded"))
      }
      defer { inflateEnd(stream) }
      return input.withUnsafeMutableBufferPointer { input in
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(clamping: input.count)
        return expand(stream, limit)
      }
    }
    return try result.get()
  }

  private static func expand(
    _ stream: UnsafeMutablePointer<z_stream>,
    _ limit: Int
  ) -> Result<[UInt8], WebSocketViolation> {
    var message: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let (status, count) = piece.withUnsafeMutableBufferPointer { piece in
        stream.pointee.next_out = piece.baseAddress
        stream.pointee.avail_out = UInt32(piece.count)
        let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
        return (status, piece.count - Int(stream.pointee.avail_out))
      }
      guard count <= limit - message.count else { return .failure(.size(limit)) }
      message += piece[..<count]
      switch status {
      case Z_STREAM_END where stream.pointee.avail_in > 0:
        // Blocks may follow one that calls itself the last (RFC 7692 section 7.2.3.4).
        guard inflateReset(stream) == Z_OK else { return .failure(damage) }
      // The tail ends a block, and the next one has not begun: zlib tells so by these two bits.
      case Z_OK where stream.pointee.avail_in == 0 && stream.pointee.data_type & 0xC0 == 0x80:
        return .success(message)
      case Z_OK where stream.pointee.avail_out == 0:
        break
      default:
        return .failure(damage)
      }
    }
  }

  private static let damage = WebSocketViolation.frames("a compressed message is damaged")
}
