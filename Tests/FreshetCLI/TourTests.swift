import Foundation
import TestSupport
import Testing

@testable import FreshetCLI

@Suite struct TourTests {
  @Test func `shows the framework without a network`() async throws {
    let result = try await Tool.run("tour")

    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    let values = result.lines.filter { $0.hasPrefix("  value") || $0.hasPrefix("  error") }
      .map { $0.split(separator: ", ").dropFirst().joined(separator: ", ") }
    #expect(
      values == [
        "196608 bytes, network, fresh",
        "196608 bytes, memory, fresh",
        "196608 bytes, disk, fresh",
        "196608 bytes, memory, stale, not final",
        "196608 bytes, memory, revalidated",
        "196608 bytes, network, fresh",
        "196608 bytes, memory, revalidated",
        "196608 bytes, memory, stale",
        "196608 bytes, memory, revalidated",
        "196608 bytes, network, fresh",
        "",
      ]
    )
  }

  @Test(arguments: TourStep.all.map(\.code))
  func `the code that a step shows is the code that it runs`(code: String) throws {
    let file = URL(filePath: #filePath)
      .deletingLastPathComponent()
      .appending(path: "../../Sources/FreshetCLI/Tour/TourStep+All.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }

    for line in code.split(separator: "\n") {
      let line = line.trimmingCharacters(in: .whitespaces)
      #expect(source.filter { $0 == line }.count >= 2)
    }
  }
}
