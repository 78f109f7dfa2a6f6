import FreshetEssentials

/// Reads the bytes of a ``RecordWriter``; it returns `nil` for any other bytes, and never traps.
struct RecordReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }
  /// The number of bytes that were read.
  var offset: Int { position }

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

  /// Reads a count of the elements that follow, each of which has at least one byte.
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

  /// Reads a URL; returns the known one if its text is the same, because parsing a URL takes longer
  /// than reading the rest of a response's record.
  mutating func url(like known: URL?) -> URL? {
    let start = position
    if let known, known.baseURL == nil, skip(known.absoluteString) { return known }
    position = start
    // No other scheme was ever stored; a fragment alone would be empty once it is written without
    // it.
    guard let text = text(), text.hasPrefix("http") else { return nil }
    return URL(string: text)
  }

  /// Skips a text, and returns whether it is equal to this one.
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

  mutating func data() -> Data? {
    guard let count = count() else { return nil }
    defer { position += count }
    return Data(bytes[position..<position + count])
  }

  mutating func text() -> String? {
    guard let count = count() else { return nil }
    defer { position += count }
    let text = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    return String(decoding: text, as: UTF8.self)
  }
}
