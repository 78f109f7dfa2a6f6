/// Numbers of seconds in header fields (RFC 9111 section 1.2.2).
enum DeltaSeconds {
  /// What larger numbers become: 68 years stand for ever.
  static let infinite: Int64 = 2_147_483_648

  /// Reads digits and nothing else; too many of them are ``infinite``, anything else is `nil`.
  static func parse(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in text.utf8 {
      guard ASCII.isDigit(byte) else { return nil }
      value = min(value * 10 + Int64(byte &- 0x30), infinite)
    }
    return value
  }
}
