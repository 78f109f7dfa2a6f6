import FreshetEssentials

/// Encodes a record's head: numbers as LEB128, texts after their length.
struct RecordWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(_ count: Int) {
    append(UInt64(bitPattern: Int64(count)))
  }

  mutating func append(_ date: Date) {
    let bits = date.timeIntervalSinceReferenceDate.bitPattern.littleEndian
    withUnsafeBytes(of: bits) { bytes.append(contentsOf: $0) }
  }

  mutating func append(bytes data: Data) {
    append(data.count)
    bytes.append(contentsOf: data)
  }

  mutating func append(_ text: String) {
    append(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }
}
