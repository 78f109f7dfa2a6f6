#if os(Linux)
import CZlib

/// `gzip` (RFC 1952), also of several members, and `deflate`: zlib's format (RFC 1950), or the bare one
/// (RFC 1951) that some servers take for it.
final class ZlibCodec: ContentCodec {
  private enum Format: Int32 {
    case gzip = 31
    case zlib = 15
    case bare = -15
  }

  // zlib keeps a pointer to its stream, which therefore must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let isGzip: Bool
  private var isPrepared = false
  private(set) var isComplete = false

  init(isGzip: Bool) {
    self.isGzip = isGzip
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    if isPrepared { inflateEnd(stream) }
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  func decode(
    _ input: UnsafeRawBufferPointer,
    into room: UnsafeMutableRawBufferPointer
  ) -> ContentStep? {
    if let first = input.first {
      // Only a gzip may be followed by another one.
      guard prepare(first), !isComplete || begin(again: first) else { return nil }
    }
    // zlib only reads what `next_in` points to.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.bindMemory(to: UInt8.self).baseAddress
    )
    stream.pointee.avail_in = UInt32(input.count)
    stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_out = UInt32(room.count)
    switch inflate(stream, Z_NO_FLUSH) {
    case Z_STREAM_END: isComplete = true
    case Z_OK: break
    // There was nothing left to do.
    case Z_BUF_ERROR where stream.pointee.avail_in == 0: break
    default: return nil
    }
    return ContentStep(
      consumed: input.count - Int(stream.pointee.avail_in),
      produced: room.count - Int(stream.pointee.avail_out)
    )
  }

  private func begin(again byte: UInt8) -> Bool {
    guard isGzip, byte == 0x1F, inflateReset(stream) == Z_OK else { return false }
    isComplete = false
    return true
  }

  /// Chooses the format by the first byte: bare data of deflate cannot look like zlib's header, whose
  /// lower half says 8, save by a block that no encoder makes.
  private func prepare(_ first: UInt8) -> Bool {
    guard !isPrepared else { return true }
    let format: Format = isGzip ? .gzip : first & 0x0F == 8 ? .zlib : .bare
    let size = Int32(MemoryLayout<z_stream>.size)
    isPrepared = inflateInit2_(stream, format.rawValue, ZLIB_VERSION, size) == Z_OK
    return isPrepared
  }
}
#endif
