/// Checks that bytes which arrive in pieces are UTF-8 (RFC 3629 section 4).
///
/// It refuses the first byte that no continuation can make valid.
struct UTF8Validator: Sendable {
  /// The number of bytes that are missing of the current character.
  private var missing = 0
  /// The values that the next byte may have, within a character.
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  /// A Boolean value that indicates whether no character is incomplete.
  var isComplete: Bool { missing == 0 }

  /// Checks the next bytes.
  ///
  /// - Returns: A Boolean value that indicates whether all bytes so far may be a beginning of UTF-8.
  mutating func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if missing > 0 {
        guard allowed.contains(byte) else { return false }
        missing -= 1
        allowed = 0x80...0xBF
      } else if byte >= 0x80 {
        guard begin(byte) else { return false }
      }
    }
    return true
  }

  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xC2...0xDF: missing = 1
    case 0xE0...0xEF:
      missing = 2
      // Neither overlong forms nor surrogates.
      if byte == 0xE0 { allowed = 0xA0...0xBF }
      if byte == 0xED { allowed = 0x80...0x9F }
    case 0xF0...0xF4:
      missing = 3
      if byte == 0xF0 { allowed = 0x90...0xBF }
      if byte == 0xF4 { allowed = 0x80...0x8F }
    default: return false
    }
    return true
  }
}
