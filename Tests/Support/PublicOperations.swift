package import Foundation

/// The names of the public operations that sources declare: functions and properties that are
/// `async`, and those that return an asynchronous sequence.
///
/// Those that are unavailable have files of their own, which do not count.
package enum PublicOperations {
  /// - Parameter folder: Where the sources of a module are.
  /// - Returns: Names such as `Client.send`, once each; the reads of sequences (`next`) are left out.
  /// - Throws: What reading a file throws.
  package static func names(in folder: URL) throws -> Set<String> {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let sources = try (files?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" && !$0.path.hasSuffix("+Unavailable.swift") }
      .map { withoutComments(try String(contentsOf: $0, encoding: .utf8)) }
    let sequences = Set(
      sources.flatMap { $0.matches(of: /struct (\w+)(<[^{]*>)?: AsyncSequence/).map { "\($0.1)" } }
    )
    return Set(sources.flatMap { names(inSource: $0, sequences) })
  }

  private static func withoutComments(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in line.range(of: "//").map { line[..<$0.lowerBound] } ?? line }
      .joined(separator: "\n")
  }

  private static func names(inSource text: String, _ sequences: Set<String>) -> [String] {
    var owner = "?"
    var names: [String] = []
    let declaration =
      /(?m)(?:^(?:public |package )?(?:final )?(?:extension|struct|class|actor|protocol|enum) (\w+))|(?:public (?:(?:static|mutating|final|nonisolated) )*(func|var) `?(\w+)`?)/
    for match in text.matches(of: declaration) {
      if let type = match.1 { owner = String(type) }
      guard let kind = match.2, let name = match.3, name != "next" else { continue }
      let head = signature(text[match.range.upperBound...])
      let isOperation =
        kind == "func"
        ? isOperation(function: head, sequences) : isOperation(property: head, sequences)
      if isOperation { names.append("\(owner).\(name)") }
    }
    return names
  }

  private struct Signature {
    /// What stands before the body.
    let head: Substring
    /// The name without what is in brackets.
    let outside: String
    /// A little of the body.
    let body: Substring
  }

  private static func signature(_ text: Substring) -> Signature {
    var depth = 0
    var outside = ""
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0:
        return Signature(
          head: text[..<index],
          outside: outside,
          body: text[index...].prefix(40)
        )
      default: break
      }
      if depth == 0 { outside.append(text[index]) }
      // A requirement of a protocol has no body.
      if depth == 0, text[index...].hasPrefix("\n\n") { break }
      index = text.index(after: index)
    }
    return Signature(head: text[..<index], outside: outside, body: "")
  }

  private static func isOperation(
    function: Signature,
    _ sequences: Set<String>
  ) -> Bool {
    if function.outside.contains(/\)\s*async\b/) { return true }
    guard let arrow = function.head.range(of: "->", options: .backwards) else { return false }
    return isSequence(function.head[arrow.upperBound...], sequences)
  }

  private static func isOperation(
    property: Signature,
    _ sequences: Set<String>
  ) -> Bool {
    if property.body.contains(/^\{\s*get async\b/) { return true }
    guard let colon = property.head.firstIndex(of: ":") else { return false }
    return isSequence(property.head[property.head.index(after: colon)...], sequences)
  }

  private static func isSequence(_ type: Substring, _ sequences: Set<String>) -> Bool {
    let type = type.drop(while: \.isWhitespace)
    return type.hasPrefix("some AsyncSequence")
      || sequences.contains(String(type.prefix { $0.isLetter || $0.isNumber }))
  }
}
