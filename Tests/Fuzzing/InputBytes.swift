import Foundation

/// Takes an input apart: numbers from its beginning, texts up to a byte that separates them.
struct InputBytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  /// A byte; 0 when there is none left.
  mutating func byte() -> UInt8 {
    rest.popFirst() ?? 0
  }

  /// A number of eight bytes, or of those that are left.
  mutating func number() -> UInt64 {
    var number: UInt64 = 0
    for _ in 0..<8 { number = number << 8 | UInt64(byte()) }
    return number
  }

  /// The bytes up to the next 0xFF, which no UTF-8 holds.
  mutating func piece() -> [UInt8] {
    let piece = rest.prefix { $0 != 0xFF }
    rest = rest[piece.endIndex...].dropFirst()
    return Array(piece)
  }

  /// The text up to the next 0xFF.
  mutating func text() -> String {
    String(decoding: piece(), as: UTF8.self)
  }

  /// All that is left.
  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// All that is left, as text.
  mutating func allText() -> String {
    String(decoding: all(), as: UTF8.self)
  }

  var isEmpty: Bool { rest.isEmpty }
}
