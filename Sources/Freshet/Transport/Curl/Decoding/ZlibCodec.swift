#if !canImport(Darwin)
import CZlib

/// Decodes `gzip` (RFC 1952), also with several members, and `deflate`: the zlib format (RFC 1950), or
/// the raw one (RFC 1951) that some servers send instead.
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
  ) -> Step? {
    if let first = input.first {
      // Only a gzip member may be followed by another one.
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
    // There was nothing to do.
    case Z_BUF_ERROR where stream.pointee.avail_in == 0: break
    default: return nil
    }
    return (
      consumed: input.count - Int(stream.pointee.avail_in),
      produced: room.count - Int(stream.pointee.avail_out)
    )
  }

  private func begin(again byte: UInt8) -> Bool {
    guard isGzip, byte == 0x1F, inflateReset(stream) == Z_OK else { return false }
    isComplete = false
    return true
  }

  /// Detects the format from the first byte.
  ///
  /// The lower half of the first byte of a zlib header is 8. Raw deflate data begins like that only
  /// with a block that no encoder produces.
  private func prepare(_ first: UInt8) -> Bool {
    guard !isPrepared else { return true }
    let format: Format = isGzip ? .gzip : first & 0x0F == 8 ? .zlib : .bare
    let size = Int32(MemoryLayout<z_stream>.size)
    isPrepared = inflateInit2_(stream, format.rawValue, ZLIB_VERSION, size) == Z_OK
    return isPrepared
  }
}
#endif
