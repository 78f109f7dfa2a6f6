#if GTK && !canImport(Darwin)
import Foundation

/// A picture of a screen as `xwd` writes it: a header, names, colours, and pixels of four bytes.
struct Screenshot {
  private let bytes: [UInt8]
  private let start: Int
  private let rowLength: Int

  init(_ file: URL) throws {
    let bytes = Array(try Data(contentsOf: file))
    self.bytes = bytes
    let fields = (0..<25)
      .map { field in
        bytes[field * 4..<field * 4 + 4].reduce(0) { $0 << 8 | Int($1) }
      }
    // The header's length, the colours of 12 bytes each, and the bytes of a row.
    start = fields[0] + fields[19] * 12
    rowLength = fields[12]
  }

  /// Red, green and blue, of which the screen stores the blue first.
  func color(x: Int, y: Int) -> [UInt8] {
    let place = start + y * rowLength + x * 4
    return [bytes[place + 2], bytes[place + 1], bytes[place]]
  }
}
#endif
