/// Text from elsewhere, as a terminal may show it.
enum Printable {
  /// A line without what would move the cursor, change colours, or turn the direction of writing.
  static func line(_ line: some StringProtocol) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in line.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control: if scalar == "\t" { shown.append(" ") }
      case .format, .lineSeparator, .paragraphSeparator: break
      default: shown.append(scalar)
      }
    }
    return String(shown)
  }
}
