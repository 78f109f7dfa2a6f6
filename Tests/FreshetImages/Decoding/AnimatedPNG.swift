import Foundation

/// Writes an animated PNG, chunk by chunk, whose pixels are stored and not compressed.
struct AnimatedPNG {
  /// Where and how a frame is drawn.
  struct Control {
    var width: Int
    var height: Int
    var left = 0
    var top = 0
    var delay = (count: 1, parts: 10)
    var disposal = 0
    var blending = 0
  }

  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private(set) var bytes = signature
  private var sequence = 0

  /// Begins a file with eight bits of red, green, blue and alpha.
  init(_ width: Int, _ height: Int) {
    append("IHDR", Self.number(width) + Self.number(height) + [8, 6, 0, 0, 0])
  }

  var data: Data { Data(bytes) }

  mutating func append(_ name: String, _ content: [UInt8]) {
    bytes += Self.chunk(name, content)
  }

  static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return number(content.count) + body + number(Int(crc(body)))
  }

  mutating func animation(frames: Int, plays: Int = 0) {
    append("acTL", Self.number(frames) + Self.number(plays))
  }

  mutating func control(_ control: Control) {
    let places = [sequence, control.width, control.height, control.left, control.top]
    sequence += 1
    append(
      "fcTL",
      places.flatMap(Self.number)
        + [control.delay.count, control.delay.parts]
        .flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        + [UInt8(control.disposal), UInt8(control.blending)]
    )
  }

  /// Appends the pixels of the default image.
  mutating func image(_ width: Int, _ pixels: [SIMD4<UInt8>]) {
    append("IDAT", Self.compressed(width, pixels))
  }

  /// Appends the pixels of a frame, in pieces of so many bytes.
  mutating func frame(_ width: Int, _ pixels: [SIMD4<UInt8>], pieces: Int = 1 << 20) {
    var rest = Self.compressed(width, pixels)[...]
    while !rest.isEmpty {
      append("fdAT", Self.number(sequence) + rest.prefix(pieces))
      sequence += 1
      rest = rest.dropFirst(pieces)
    }
  }

  mutating func end() { append("IEND", []) }

  /// Leaves out a number of the sequence.
  mutating func skipNumber() { sequence += 1 }

  static func number(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// Returns rows without a filter, in one stored block of zlib.
  private static func compressed(_ width: Int, _ pixels: [SIMD4<UInt8>]) -> [UInt8] {
    var rows: [UInt8] = []
    for (index, pixel) in pixels.enumerated() {
      if index.isMultiple(of: width) { rows.append(0) }
      rows += [pixel.x, pixel.y, pixel.z, pixel.w]
    }
    var (low, high) = (1, 0)
    for byte in rows {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    let length = [UInt8(rows.count & 0xFF), UInt8(rows.count >> 8)]
    return [0x78, 0x01, 1] + length + length.map { ~$0 } + rows + number(high << 16 | low)
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = sum & 1 == 1
        sum >>= 1
        if isOdd { sum ^= 0xEDB8_8320 }
      }
    }
    return ~sum
  }
}
