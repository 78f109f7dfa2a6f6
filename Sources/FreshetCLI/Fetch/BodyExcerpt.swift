import Foundation
import Freshet

/// The beginning of an error response's body, made safe for a terminal.
enum BodyExcerpt {
  static let byteLimit = 1_000
  static let lineLimit = 10

  /// A secret that begins within the limit is hidden as a whole if it ends this much later.
  private static let secretLimit = 8_000

  /// Returns the first lines if they are text, or `nil`; control characters are escaped, after `hide`
  /// has taken secrets out of the text.
  static func text(_ body: Data, hide: (String) -> String = { $0 }) -> String? {
    // What comes later may be no text.
    let beginning = valid(body.prefix(byteLimit + secretLimit)) ?? valid(body.prefix(byteLimit))
    guard let beginning else { return nil }
    let text = valid(Data(hide(beginning).utf8).prefix(byteLimit))
    guard let text, !text.unicodeScalars.contains("\0") else { return nil }
    let all = text.split(whereSeparator: \.isNewline)
    let lines = all.prefix(lineLimit)
      .map { Printable.line($0.replacing("\t", with: " ")) }.filter { !$0.isEmpty }
    guard !lines.isEmpty else { return nil }
    let isWhole = body.count <= byteLimit && all.count <= lineLimit
    return (lines + (isWhole ? [] : ["…"])).map { "  \($0)" }.joined(separator: "\n")
  }

  /// Returns data as text; its end may have cut a character of up to four bytes.
  private static func valid(_ data: Data) -> String? {
    (0..<4).lazy.compactMap { String(validating: data.dropLast($0), as: UTF8.self) }.first
  }
}
