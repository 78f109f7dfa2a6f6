import Foundation
import Testing

/// The tables of `HTTPCacheConformance.md` name rules and tests that exist.
@Suite struct RequirementTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let requirement: String
    let file: String
    let suite: String
    let test: String

    var testDescription: String { requirement }
  }

  static let lines: [[String]] = {
    let page = DocumentationTests.root
      .appending(path: "Sources/Freshet/Freshet.docc/HTTPCacheConformance.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| section |") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
  }()

  static let rows: [Row] = lines.compactMap { cells in
    guard cells.count == 5 else { return nil }
    let words = cells[4].split(separator: "`", maxSplits: 1)
    guard words.count == 2 else { return nil }
    return Row(
      requirement: "\(cells[0]): \(cells[1])",
      file: cells[3].replacing("`", with: ""),
      suite: String(words[0]),
      test: words[1].trimmingCharacters(in: .whitespaces)
    )
  }

  /// The names of the sources.
  static let files: Set<String> = {
    let sources = DocumentationTests.root.appending(path: "Sources/Freshet")
    let all = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var names: Set<String> = []
    while let file = all?.nextObject() as? URL {
      if file.pathExtension == "swift" {
        names.insert(file.deletingPathExtension().lastPathComponent)
      }
    }
    return names
  }()

  @Test func `each line of the page names a rule and a test`() {
    #expect(Self.rows.count == Self.lines.count)
    #expect(Self.rows.count > 100)
  }

  @Test(arguments: rows)
  func `names a rule and a test that exist`(row: Row) throws {
    let suite = try #require(ConformanceTests.suites[row.suite])

    #expect(suite.contains("`\(row.test)`") || suite.contains("\"\(row.test)\""))
    let isFile = Self.files.contains(row.file)
    #expect(isFile)
  }
}
