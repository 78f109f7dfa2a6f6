#if !canImport(Darwin)
import CZlib
import Foundation
import FreshetTesting

/// The bytes that go over the wire.
enum Wire {
  /// What is asked for, when all is well.
  static let body = GeneratedBytes(length: 40_000, seed: 9).bytes(in: 0..<40_000)

  /// What the encoded ones hold.
  static let text = Data(
    String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40).utf8
  )

  static let soundBody = Data("all is well".utf8)
  static let sound = response(soundBody)
  static let soundHead = head(["Content-Length: \(soundBody.count)"])

  /// A copy that is stored, and is stale at once.
  static let oldBody = Data("an old copy".utf8)
  static let old = response(oldBody, fields: ["Cache-Control: max-age=0", "ETag: \"old\""])

  static func response(
    _ body: Data,
    status: String = "200 OK",
    fields: [String] = []
  ) -> Data {
    head(["Content-Length: \(body.count)"] + fields, status: status) + body
  }

  static func head(_ fields: [String], status: String = "200 OK") -> Data {
    let lines = ["HTTP/1.1 \(status)"] + fields
    return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// The brotli form of ``text``, and that of 256 MiB of zeros; made by Google's encoder.
  static let brotli = base64(
    "GwcHiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kv0GnFc4cHieqKTjCqXSfBgM="
  )

  static let brotliBomb = base64(
    "y///PwAkAOKxQHLv//j//weABEAcFoDu/R////8AkACIwwLQvf/j//8fABIAcVgAuvd//P//A0ACIA4L"
      + "QPf+j///fwBIAMRhAeje//H//w8ACYA4LADd+z/+//8BIAEQhwWge//H//8/ACQA4rAAdO//+P//B4AE"
      + "QBwWgO79H////wCQAIjDAtC9/+P//x8AEgBxWAC693/8//8DQAIgDgtA9/6P//9/AEgAxGEB6N7/8f//"
      + "DwAJgDgsAN37P/7//wEgARCHBaB7/8f//z8AJADisAB07//4//8HgARAHBaA7v0f////AJAAiMMC0L3/"
      + "4///HwASAHFYALr3f/z//wNAAiAOC0D3/o///38ASADEYQHo3v/x//8PAAmAOCwA3fs//v//ASABEIcF"
      + "oHv/x///PwAkAOKwAHTv//j//weABEAcFoDu/R////8AkACIwwLQvf/j//8fABIAcVgAuvd//P//A0AC"
      + "IA4LQPf+j///fwBIAMRhAeje//H//w8ACYA4LADd+z/+//8BIAEQhwWge/83"
  )

  private static func base64(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

  /// 256 MiB of zeros.
  static let gzipBomb = gzip(Data(count: 1 << 20), times: 256)

  /// A gzip of that.
  static let nestedBomb = gzip(gzipBomb, times: 1)

  /// A gzip of two million members of a gzip that hold nothing.
  static let emptyMembers = gzip(
    Data((0..<1_000).map { _ in gzip(Data(), times: 1) }.joined()),
    times: 2_000
  )

  /// A gzip of something repeated.
  private static func gzip(_ data: Data, times: Int) -> Data {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var (input, output) = (Array(data), [UInt8](repeating: 0, count: 1 << 20))
    var result = Data()
    for round in 1...times {
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        var status = Z_OK
        repeat {
          output.withUnsafeMutableBufferPointer { output in
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            status = deflate(&stream, round == times ? Z_FINISH : Z_NO_FLUSH)
            result.append(contentsOf: output[..<(output.count - Int(stream.avail_out))])
          }
        } while stream.avail_out == 0 || round == times && status == Z_OK
      }
    }
    return result
  }
}

/// Frames of Zstandard (RFC 8878), made by hand: raw and run-length blocks need no compressor.
enum Zstandard {
  enum Block: UInt32 {
    case raw, runs, compressed, reserved
  }

  static let text = frame([(.raw, Wire.text, Wire.text.count)])

  /// 256 MiB of zeros.
  static let bomb = frame(Array(repeating: (.runs, Data([0]), 128 << 10), count: 2_048))

  /// A block of a type that there is not.
  static let corrupt = frame([(.reserved, Wire.text, Wire.text.count)])

  static func frame(_ blocks: [(Block, Data, Int)]) -> Data {
    // The magic number, no options, and a window of 128 KiB.
    var frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38])
    for (index, (kind, data, size)) in blocks.enumerated() {
      let isLast: UInt32 = index == blocks.count - 1 ? 1 : 0
      let header = isLast | kind.rawValue << 1 | UInt32(size) << 3
      withUnsafeBytes(of: header.littleEndian) { frame.append(contentsOf: $0.prefix(3)) }
      frame.append(data)
    }
    return frame
  }
}
#endif
