import Foundation
import Testing

/// The tables of `HTTPCaching.md` name tests that exist.
@Suite struct ConformanceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let rule: String
    let suite: String
    let test: String

    var testDescription: String { rule }
  }

  static let rows: [Row] = {
    let page = DocumentationTests.root
      .appending(path: "Sources/Freshet/Freshet.docc/HTTPCaching.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
      .compactMap { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 3, cells[2].hasPrefix("`") else { return nil }
        let words = cells[2].dropFirst().split(separator: "`", maxSplits: 1)
        guard words.count == 2 else { return nil }
        let test = words[1].trimmingCharacters(in: .whitespaces)
        return Row(rule: "\(cells[0]): \(cells[1])", suite: String(words[0]), test: test)
      }
  }()

  /// The sources of the suites, by name.
  static let suites: [String: String] = {
    let tests = DocumentationTests.root.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    var suites: [String: String] = [:]
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      suites[file.deletingPathExtension().lastPathComponent] =
        try? String(contentsOf: file, encoding: .utf8)
    }
    return suites
  }()

  @Test func `the page has its tables`() {
    #expect(Self.rows.count > 80)
  }

  @Test(arguments: rows)
  func `names a test that exists`(row: Row) throws {
    let suite = try #require(Self.suites[row.suite])

    #expect(suite.contains("`\(row.test)`") || suite.contains("\"\(row.test)\""))
  }
}
