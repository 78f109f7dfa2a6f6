/// Bytes as hexadecimal digits, and unpredictable names.
package enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns 32 digits from the system's random source.
  package static func unpredictableName() -> String {
    text((0..<16).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// Returns whether a text could be an unpredictable name.
  static func isUnpredictableName(_ text: Substring) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { digits.contains($0) }
  }
}
