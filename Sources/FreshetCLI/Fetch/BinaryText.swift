import Foundation

/// The detection of bodies that a terminal should not show.
enum BinaryText {
  /// Returns a Boolean value that indicates whether the beginning of a body is no text.
  ///
  /// Text has no control characters but those for lines, tabs, pages and colours.
  static func isBinary(_ beginning: Data) -> Bool {
    beginning.prefix(4_096)
      .contains { byte in
        byte < 0x20 && !(0x07...0x0D).contains(byte) && byte != 0x1B || byte == 0x7F
      }
  }
}
