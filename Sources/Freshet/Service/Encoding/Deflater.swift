import CZlib
import FreshetEssentials

/// zlib's deflate, used by one task at a time.
final class Deflater {
  /// The format of the output: gzip (RFC 1952), or without a header and a trailer (RFC 1951).
  enum Format: Int32 {
    case gzip = 31
    case bare = -15
  }

  // zlib keeps a pointer to its stream, which therefore must not move.
  private let stream: UnsafeMutablePointer<z_stream>

  init(_ format: Format) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = deflateInit2_(
      stream,
      Z_DEFAULT_COMPRESSION,
      Z_DEFLATED,
      format.rawValue,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    // The arguments are constants: it fails only when no memory is left, where Swift's own
    // allocations end the process too.
    precondition(status == Z_OK, "zlib has no memory for a stream.")
  }

  deinit {
    deflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Compresses bytes; zlib holds some output back until a flush.
  func deflate(_ data: Data, _ flush: Int32) -> Data {
    var output = Data()
    // zlib counts in 32 bits.
    var rest = data[...]
    repeat {
      let piece = rest.prefix(1 << 30)
      rest = rest.dropFirst(piece.count)
      deflate(piece, rest.isEmpty ? flush : Z_NO_FLUSH, into: &output)
    } while !rest.isEmpty
    return output
  }

  private func deflate(_ piece: Data, _ flush: Int32, into output: inout Data) {
    piece.withUnsafeBytes { input in
      // zlib only reads what `next_in` points to.
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: input.bindMemory(to: UInt8.self).baseAddress
      )
      stream.pointee.avail_in = UInt32(input.count)
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32 << 10) { buffer in
        repeat {
          stream.pointee.next_out = buffer.baseAddress
          stream.pointee.avail_out = UInt32(buffer.count)
          _ = CZlib.deflate(stream, flush)
          let count = buffer.count - Int(stream.pointee.avail_out)
          output.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
        } while stream.pointee.avail_out == 0
      }
    }
  }
}
