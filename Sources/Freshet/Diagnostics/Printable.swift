/// Makes untrusted text safe for a line of an error, a log or a terminal.
package enum Printable {
  /// Escapes characters that could end the line, move the cursor, change colours, or hide or reverse
  /// text, as `\r`, `\n`, `\t` and `\u{1B}`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The text on one line; unchanged if there is nothing to escape.
  package static func line(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return String(text) }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isShown(scalar) { shown.append(scalar) } else { shown += escape(scalar).unicodeScalars }
    }
    return String(shown)
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\r": "\\r"
    case "\n": "\\n"
    case "\t": "\\t"
    default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}
