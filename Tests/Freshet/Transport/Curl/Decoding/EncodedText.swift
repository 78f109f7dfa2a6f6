#if !canImport(Darwin)
import CZlib
import Foundation
import FreshetTesting

/// A text in each content coding.
enum EncodedText {
  static let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40)

  static func encoded(_ coding: String) -> Data {
    switch coding {
    case "gzip": Gzip.stored(Data(text.utf8))
    case "gzip, members":
      Gzip.stored(Data(text.utf8.prefix(700))) + Gzip.stored(Data(text.utf8.dropFirst(700)))
    case "deflate": zlib
    // Without zlib's two bytes of header and four of trailer.
    case "deflate, bare": zlib.dropFirst(2).dropLast(4)
    case "br": brotli
    case "zstd": zstandard(Data(text.utf8))
    case "zstd, frames":
      zstandard(Data(text.utf8.prefix(700))) + zstandard(Data(text.utf8.dropFirst(700)))
    default: Data(text.utf8)
    }
  }

  /// By Google's encoder.
  private static let brotli =
    Data(
      base64Encoded:
        "GwcHiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kv0GnFc4cHieqKTjCqXSfBgM="
    ) ?? Data()

  private static var zlib: Data {
    var length = compressBound(UInt(text.utf8.count))
    var bytes = [UInt8](repeating: 0, count: Int(length))
    _ = compress(&bytes, &length, Array(text.utf8), UInt(text.utf8.count))
    return Data(bytes.prefix(Int(length)))
  }

  /// One frame with one raw block (RFC 8878 section 3).
  fileprivate static func zstandard(_ data: Data) -> Data {
    let header = UInt32(data.count) << 3 | 1
    let size = [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16)]
    return Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38] + size) + data
  }
}

// MARK: - Forms that hold much

extension EncodedText {
  /// One gzip of this.
  static func gzip(_ data: Data) -> Data { gzip(of: data, times: 1) }

  /// That many bytes of zero.
  static func deflated(zeros count: Int) -> Data {
    gzip(of: Data(count: 1 << 16), times: count >> 16)
  }

  /// A gzip of empty members of a gzip.
  static func deflated(emptyMembers count: Int) -> Data {
    gzip(of: Data((0..<100).map { _ in gzip(Data()) }.joined()), times: count / 100)
  }

  /// A gzip of empty frames of zstd.
  static func deflated(emptyFrames count: Int) -> Data {
    gzip(of: Data((0..<100).map { _ in zstandard(Data()) }.joined()), times: count / 100)
  }

  /// A gzip of one gzip that has so many bytes of blocks without content.
  static func deflated(emptyBlocks count: Int) -> Data {
    let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
    let blocks = Data((0..<13_000).map { _ in [0, 0, 0, 0xFF, 0xFF] }.joined())
    // A last block, and the checksum and the length of nothing.
    let end = Data([1, 0, 0, 0xFF, 0xFF]) + Data(count: 8)
    return gzip(of: blocks, times: count / blocks.count + 1, after: header, before: end)
  }

  /// A frame of zstd that holds a gibibyte of brotli without any content, in 32 KiB.
  static let heavy: Data = {
    // 128 KiB of one byte, which is a block of metadata that is empty (RFC 7932 section 9.2).
    let run = zstandardBlock(.runs, Data([0x06]), 128 << 10)
    let blocks = Data((0..<8_192).map { _ in run }.joined())
    // The window and a first block; the last one, which is empty.
    return Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]) + zstandardBlock(.raw, Data([0x0C]), 1)
      + blocks + zstandardBlock(.raw, Data([0x03]), 1, isLast: true)
  }()

  private enum Block: UInt32 {
    case raw, runs
  }

  private static func zstandardBlock(
    _ kind: Block,
    _ data: Data,
    _ size: UInt32,
    isLast: Bool = false
  ) -> Data {
    let header = (isLast ? 1 : 0) | kind.rawValue << 1 | size << 3
    return withUnsafeBytes(of: header.littleEndian) { Data($0.prefix(3)) } + data
  }

  /// A gzip of something repeated.
  private static func gzip(
    of data: Data,
    times: Int,
    after header: Data = Data(),
    before end: Data = Data()
  ) -> Data {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var result = Data()
    add(header, to: &stream, &result)
    for _ in 0..<times { add(data, to: &stream, &result) }
    add(end, to: &stream, &result, Z_FINISH)
    return result
  }

  private static func add(
    _ data: Data,
    to stream: inout z_stream,
    _ result: inout Data,
    _ flush: Int32 = Z_NO_FLUSH
  ) {
    var (input, output) = (Array(data), [UInt8](repeating: 0, count: 1 << 16))
    input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      var status = Z_OK
      repeat {
        output.withUnsafeMutableBufferPointer { output in
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(output.count)
          status = deflate(&stream, flush)
          result.append(contentsOf: output[..<(output.count - Int(stream.avail_out))])
        }
      } while stream.avail_out == 0 || flush == Z_FINISH && status == Z_OK
    }
  }
}
#endif
