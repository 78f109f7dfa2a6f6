#if os(Linux)
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
  private static func zstandard(_ data: Data) -> Data {
    let header = UInt32(data.count) << 3 | 1
    let size = [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16)]
    return Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38] + size) + data
  }
}
#endif
