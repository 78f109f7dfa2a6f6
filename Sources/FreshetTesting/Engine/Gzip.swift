package import FreshetEssentials

/// The gzip format with stored blocks: valid, and as long as the data (RFC 1951 and 1952).
package enum Gzip {
  package static func stored(_ data: Data) -> Data {
    var output = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    var rest = data[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      output.append(rest.isEmpty ? 1 : 0)
      append(UInt16(block.count), to: &output)
      append(~UInt16(block.count), to: &output)
      output.append(block)
    } while !rest.isEmpty
    append(crc32(data), to: &output)
    append(UInt32(truncatingIfNeeded: data.count), to: &output)
    return output
  }

  static func crc32(_ data: Data) -> UInt32 {
    ~data.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
  }

  private static let table: [UInt32] = (0..<256)
    .map { index in
      (0..<8)
        .reduce(UInt32(index)) { value, _ in
          value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

  private static func append(_ value: some FixedWidthInteger, to output: inout Data) {
    withUnsafeBytes(of: value.littleEndian) { output.append(contentsOf: $0) }
  }
}
