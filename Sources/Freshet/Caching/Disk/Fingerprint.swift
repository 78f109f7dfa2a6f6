import FreshetEssentials

/// A checksum that detects whether a record differs from what was written; it does not protect
/// against malice.
struct Fingerprint {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func add(_ number: UInt64) {
    let (high, low) = (state ^ number).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    state = (high ^ low) &+ 0xA076_1D64_78BD_642F
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    var position = 0
    while bytes.count - position >= 8 {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
      position += 8
    }
    var last: UInt64 = 0
    while position < bytes.count {
      last = last << 8 | UInt64(bytes[position])
      position += 1
    }
    add(last)
  }

  mutating func add(_ data: Data) {
    data.withUnsafeBytes { add($0) }
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  var value: Int64 { Int64(bitPattern: state) }
}
