import Foundation
import Synchronization

/// Collects what a sample prints, so that it can be compared with what its article says.
final class Printed: Sendable {
  static let root = URL(filePath: #filePath).appending(path: "../../..").standardized
  @TaskLocal static var current: Printed?

  private let text = Mutex("")

  /// The lines so far, with what differs from run to run replaced by `…`.
  var lines: [String] { Self.normalized(text.withLock { $0 }) }

  /// What a sample's own `print` does.
  static func add(_ items: [Any]) {
    let line = items.map { String(describing: $0) }.joined(separator: " ")
    current?.text.withLock { $0 += line + "\n" }
  }

  /// Runs a sample and returns what it printed.
  static func lines(of sample: () async throws -> Void) async throws -> [String] {
    let printed = Printed()
    try await $current.withValue(printed, operation: sample)
    return printed.lines
  }

  /// What an article says that is printed: its blocks of text, in order.
  static func lines(inArticle name: String) throws -> [String] {
    try blocks(inArticle: name).flatMap { normalized($0) }
  }

  /// The blocks of text of an article, in order.
  static func blocks(inArticle name: String) throws -> [String] {
    let page = root.appending(path: "Sources/Freshet/Freshet.docc/\(name).md")
    let text = try String(contentsOf: page, encoding: .utf8)
    return text.components(separatedBy: "```text\n")
      .dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
  }

  private static func normalized(_ text: String) -> [String] {
    text.split(separator: "\n")
      .map { line in
        String(
          line.replacing(#/[0-9]+ (µs|ms|s)\b/#, with: "…")
            .replacing(#/127\.0\.0\.1:[0-9]+/#, with: "127.0.0.1:…")
        )
      }
  }
}
