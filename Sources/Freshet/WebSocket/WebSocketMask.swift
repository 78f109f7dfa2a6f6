/// The key with which a client masks a payload (RFC 6455 section 5.3).
package struct WebSocketMask: Hashable, Sendable {
  let bytes: [UInt8]

  /// Creates a key from its four bytes.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Creates a key from random bits.
  package init(bits: UInt64) {
    bytes = (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
  }

  /// Masks bytes, or removes their mask.
  ///
  /// - Parameters:
  ///   - buffer: The bytes.
  ///   - offset: The position of the first of them in the payload.
  func apply(to buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int) {
    // Eight bytes at a time, which the key's four divide.
    let turned = (0..<8).map { bytes[(offset + $0) & 3] }
    let word = turned.withUnsafeBytes { $0.load(as: UInt64.self) }
    let raw = UnsafeMutableRawBufferPointer(buffer)
    var index = 0
    while index + 8 <= raw.count {
      let masked = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
      raw.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < raw.count {
      raw[index] ^= turned[index & 7]
      index += 1
    }
  }
}
