import Foundation

/// Reads what ``RecordWriter`` wrote; anything else is `nil`, never a trap.
struct RecordReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func number() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  /// A count of things that are still to come, each of one byte at least.
  mutating func count() -> Int? {
    guard let number = number(), number <= UInt64(bytes.count - position) else { return nil }
    return Int(number)
  }

  mutating func date() -> Date? {
    guard bytes.count - position >= 8 else { return nil }
    let bits = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    position += 8
    return Date(timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(littleEndian: bits)))
  }

  /// A URL; the known one if it is written the same, because making one takes longer than reading all
  /// the rest of a response's record.
  mutating func url(like known: URL?) -> URL? {
    let start = position
    if let known, known.baseURL == nil, skip(known.absoluteString) { return known }
    position = start
    // No other was ever stored; a fragment alone would be nothing once it is written without it.
    guard let text = text(), text.hasPrefix("http") else { return nil }
    return URL(string: text)
  }

  /// Passes a text if it is this one.
  private mutating func skip(_ text: String) -> Bool {
    guard let count = count() else { return false }
    defer { position += count }
    var text = text
    return text.withUTF8 { text in
      guard text.count == count, let start = bytes.baseAddress, let other = text.baseAddress else {
        return false
      }
      return memcmp(start + position, other, count) == 0
    }
  }

  mutating func text() -> String? {
    guard let count = count() else { return nil }
    defer { position += count }
    return String(decoding: bytes[position..<position + count], as: UTF8.self)
  }
}
