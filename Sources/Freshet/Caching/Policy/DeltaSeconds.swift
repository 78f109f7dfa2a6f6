/// Numbers of seconds in header fields (RFC 9111 section 1.2.2).
enum DeltaSeconds {
  /// The value of all larger numbers, 68 years, which counts as infinite.
  static let infinite: Int64 = 2_147_483_648

  /// Parses digits; returns ``infinite`` for larger numbers, and `nil` for any other bytes.
  static func parse(_ digits: some Collection<UInt8>) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in digits {
      guard ASCII.isDigit(byte) else { return nil }
      value = min(value * 10 + Int64(byte &- 0x30), infinite)
    }
    return value
  }
}
