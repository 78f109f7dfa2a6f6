/// Reads numbers out of bytes; whatever lies outside of them is `nil`.
struct ByteCursor {
  let bytes: ArraySlice<UInt8>
  var isLittleEndian = false

  init(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool = false) {
    self.bytes = bytes
    self.isLittleEndian = isLittleEndian
  }

  /// The bytes of a range counted from the first; `nil` unless all of them are there.
  func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      return nil
    }
    return bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + count)]
  }

  /// A number of `count` bytes, at most 4.
  func number(_ offset: Int, _ count: Int) -> Int? {
    guard let slice = slice(offset, count) else { return nil }
    let ordered = isLittleEndian ? Array(slice.reversed()) : Array(slice)
    return ordered.reduce(0) { $0 << 8 | Int($1) }
  }

  func byte(_ offset: Int) -> UInt8? {
    slice(offset, 1)?.first
  }

  /// Where the next byte of a value is.
  func offset(of byte: UInt8, from offset: Int) -> Int? {
    guard 0...bytes.count ~= offset else { return nil }
    return bytes[(bytes.startIndex + offset)...].firstIndex(of: byte).map { $0 - bytes.startIndex }
  }

  func text(_ offset: Int, _ count: Int) -> String? {
    slice(offset, count).map { String(decoding: $0, as: UTF8.self) }
  }
}
