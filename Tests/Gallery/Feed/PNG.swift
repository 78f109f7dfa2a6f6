import CZlib
import Foundation

/// The few lines of a PNG file of eight-bit RGB pixels.
enum PNG {
  static func filled(_ color: [UInt8]) -> Data {
    let side = 160
    return rgb(
      Array(repeating: color, count: side * side).flatMap(\.self),
      width: side,
      height: side
    )
  }

  static func rgb(_ pixels: [UInt8], width: Int, height: Int) -> Data {
    var rows: [UInt8] = []
    rows.reserveCapacity((width * 3 + 1) * height)
    for row in 0..<height {
      // The upper row is a good prediction for gradients.
      rows.append(row == 0 ? 0 : 2)
      let start = row * width * 3
      for place in start..<start + width * 3 {
        rows.append(row == 0 ? pixels[place] : pixels[place] &- pixels[place - width * 3])
      }
    }
    var length = compressBound(uLong(rows.count))
    var compressed = [UInt8](repeating: 0, count: Int(length))
    compress(&compressed, &length, rows, uLong(rows.count))
    var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    file += chunk("IHDR", number(width) + number(height) + [8, 2, 0, 0, 0])
    file += chunk("IDAT", Array(compressed.prefix(Int(length))))
    file += chunk("IEND", [])
    return file
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return number(content.count) + body + number(Int(crc32(0, body, uInt(body.count))))
  }

  private static func number(_ value: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) }
  }
}
