import Foundation
import Freshet

/// The beginning of an error response's body, made safe for a terminal.
enum BodyExcerpt {
  static let byteLimit = 1_000
  static let lineLimit = 10

  /// Returns the first lines if they are text, or `nil`; control characters are escaped.
  static func text(_ body: Data) -> String? {
    let beginning = body.prefix(byteLimit)
    // The limit may have cut a character of up to four bytes.
    let text = (0..<4).lazy.compactMap { String(validating: beginning.dropLast($0), as: UTF8.self) }
      .first
    guard let text, !text.unicodeScalars.contains("\0") else { return nil }
    let all = text.split(whereSeparator: \.isNewline)
    let lines = all.prefix(lineLimit)
      .map { Printable.line($0.replacing("\t", with: " ")) }.filter { !$0.isEmpty }
    guard !lines.isEmpty else { return nil }
    let isWhole = body.count <= byteLimit && all.count <= lineLimit
    return (lines + (isWhole ? [] : ["…"])).map { "  \($0)" }.joined(separator: "\n")
  }
}
