import Foundation

extension CacheKey {
  /// What ends a partition within a key's text; it is looked for as a byte, since `"\r\n"` is one
  /// character.
  static let separator = UInt8(ascii: "\n")

  /// What the texts of a partition's keys begin with.
  ///
  /// Line feeds and carriage returns in its name are escaped, and so is the percent sign, so that no two
  /// partitions have the same.
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
    text.utf8.contains(UInt8(ascii: "%"))
      ? text.removingPercentEncoding ?? String(text) : String(text)
  }
}
