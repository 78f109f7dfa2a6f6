import FreshetEssentials

extension CacheKey {
  /// The byte that ends a partition within a key's text.
  ///
  /// It is searched for as a byte, because `"\r\n"` is one character.
  static let separator = UInt8(ascii: "\n")

  /// Returns the text that the keys of a partition begin with.
  ///
  /// Line feeds, carriage returns and percent signs in its name are escaped, so that no two
  /// partitions share a prefix.
  static func prefix(_ partition: String) -> String {
    partition.isEmpty ? "" : "\(escaped(partition))\n"
  }

  private static func escaped(_ partition: String) -> String {
    guard partition.utf8.contains(where: isEscaped) else { return partition }
    var text = ""
    for scalar in partition.unicodeScalars {
      switch scalar {
      case "%": text += "%25"
      case "\n": text += "%0A"
      case "\r": text += "%0D"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  static func unescaped(_ text: Substring) -> String {
    PercentEncoding.text(of: text) ?? String(text)
  }
}
