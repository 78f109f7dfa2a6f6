/// Reads numbers from bytes; positions outside them give `nil`.
struct ByteCursor {
  let bytes: ArraySlice<UInt8>
  var isLittleEndian = false

  init(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool = false) {
    self.bytes = bytes
    self.isLittleEndian = isLittleEndian
  }

  /// Returns the bytes of a range that is relative to the first one; `nil` unless all of them exist.
  func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      return nil
    }
    return bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + count)]
  }

  /// Returns a number of `count` bytes, at most 4.
  func number(_ offset: Int, _ count: Int) -> Int? {
    guard let slice = slice(offset, count) else { return nil }
    let ordered = isLittleEndian ? Array(slice.reversed()) : Array(slice)
    return ordered.reduce(0) { $0 << 8 | Int($1) }
  }

  func byte(_ offset: Int) -> UInt8? {
    slice(offset, 1)?.first
  }

  func text(_ offset: Int, _ count: Int) -> String? {
    slice(offset, count).map { String(decoding: $0, as: UTF8.self) }
  }
}
