import Foundation

/// The beginning of an error response's body, as a terminal may show it.
enum BodyExcerpt {
  static let byteLimit = 1_000
  static let lineLimit = 10

  /// The first lines if they are text, or `nil`; control characters are left out.
  static func text(_ body: Data) -> String? {
    let beginning = body.prefix(byteLimit)
    // The limit may have cut a character in two, or four.
    let text = (0..<4).lazy.compactMap { String(validating: beginning.dropLast($0), as: UTF8.self) }
      .first
    guard let text, !text.unicodeScalars.contains("\0") else { return nil }
    let all = text.split(whereSeparator: \.isNewline)
    let lines = all.prefix(lineLimit).map(shown).filter { !$0.isEmpty }
    guard !lines.isEmpty else { return nil }
    let isWhole = body.count <= byteLimit && all.count <= lineLimit
    return (lines + (isWhole ? [] : ["…"])).map { "  \($0)" }.joined(separator: "\n")
  }

  /// A line without what would move the cursor, change colours, or turn the direction of writing.
  private static func shown(_ line: some StringProtocol) -> String {
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
