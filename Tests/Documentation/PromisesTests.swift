import Foundation
import Testing

/// The tables of `WhatFreshetPromises.md` name tests that exist.
@Suite struct PromisesTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let promise: String
    let suite: String
    let test: String

    var testDescription: String { promise }
  }

  static let rows: [Row] = {
    let page = DocumentationTests.root
      .appending(path: "Sources/Freshet/Freshet.docc/WhatFreshetPromises.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
      .compactMap { line in
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 2, cells[1].hasPrefix("`") else { return nil }
        let words = cells[1].dropFirst().split(separator: "`", maxSplits: 1)
        guard words.count == 2 else { return nil }
        return Row(
          promise: cells[0],
          suite: String(words[0]),
          test: words[1].trimmingCharacters(in: .whitespaces)
        )
      }
  }()

  @Test func `the page has its tables`() {
    #expect(Self.rows.count >= 60)
  }

  @Test(arguments: rows)
  func `names a test that exists`(row: Row) throws {
    let suite = try #require(ConformanceTests.suites[row.suite])

    #expect(suite.contains("func `\(row.test)`"))
  }
}
