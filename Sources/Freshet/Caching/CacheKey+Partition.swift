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
    guard !partition.isEmpty else { return "" }
    let escaped = PercentEncoding.encode(partition) { byte in
      byte != UInt8(ascii: "%") && byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\r")
    }
    return "\(escaped)\n"
  }

  static func unescaped(_ text: Substring) -> String {
    PercentEncoding.text(of: text) ?? String(text)
  }
}
