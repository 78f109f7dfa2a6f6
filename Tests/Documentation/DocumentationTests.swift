import Foundation
import Testing

/// The samples of the README and the articles stand in `Tests/Samples`, which the compiler checks.
@Suite struct DocumentationTests {
  struct Sample: CustomTestStringConvertible, Sendable {
    let page: String
    let lines: [String]

    var testDescription: String { "\(page): \(lines.first ?? "")" }
  }

  static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

  static let samples: [Sample] = pages.flatMap { page in
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "```swift\n")
      .dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
      .map { Sample(page: page.lastPathComponent, lines: code($0)) }
      .filter { $0.lines.first?.hasPrefix(".package(") != true }
  }

  private static var pages: [URL] {
    let catalogs = ["Freshet", "FreshetImages", "FreshetInspector", "FreshetModels"]
      .map { module in
        root.appending(path: "Sources/\(module)/\(module).docc")
      }
    let articles = catalogs.flatMap { catalog in
      let files = try? FileManager.default.contentsOfDirectory(
        at: catalog,
        includingPropertiesForKeys: nil
      )
      return files ?? []
    }
    return [root.appending(path: "README.md")]
      + articles.filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
  }

  private static let compiled: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(
      at: root.appending(path: "Tests/Samples"),
      includingPropertiesForKeys: nil
    )
    return (files ?? [])
      .filter { $0.lastPathComponent.hasPrefix("Samples") }
      .flatMap { code((try? String(contentsOf: $0, encoding: .utf8)) ?? "") }
  }()

  private static func code(_ text: String) -> [String] {
    text.split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
      // Samples of several articles have types of the same name.
      .map { $0.hasPrefix("private struct ") ? String($0.dropFirst("private ".count)) : $0 }
      // Attributes are left out where their module is not there.
      .filter { line in
        !line.isEmpty && !["import ", "@", "#if ", "#endif"].contains { line.hasPrefix($0) }
      }
  }

  @Test func `there are samples`() {
    #expect(Self.samples.count >= 5)
  }

  @Test(arguments: samples)
  func `a sample compiles exactly as printed`(sample: Sample) {
    let compiled = Self.compiled
    let isThere = compiled.indices.contains { start in
      compiled[start...].starts(with: sample.lines)
    }
    #expect(isThere, "add it to Tests/Samples, in a function of its own")
  }
}
