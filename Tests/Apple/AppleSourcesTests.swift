#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

/// The code for Apple platforms cannot run on Linux, where it is checked against the interfaces that it uses.
@Suite struct AppleSourcesTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../..")
    .standardized

  @Test func `all sources agree with the interfaces of the Apple modules`() async throws {
    let script = Self.root.appending(path: ".scripts/apple.sh").path
    let run = try await ProgramRun(Program.path("env") ?? "env", ["timeout", "600", script])

    let errors = run.error.split(separator: "\n").filter { $0.contains(/(error|warning):/) }
    #expect(run.status == 0, "\(errors.prefix(20).joined(separator: "\n"))")
  }

  // What asks for the name of a system cannot be checked on another one.
  @Test func `a condition asks for a module that is there, not for the name of a system`() throws {
    let sources = Self.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var conditions = 0
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      let lines = text.split(separator: "\n")
      for line in lines where line.contains(/^ *#(if|elseif)\b/) {
        conditions += 1
        #expect(!line.contains(/\bos\((?!watchOS)/), "\(file.lastPathComponent): \(line)")
      }
    }
    #expect(conditions > 50)
  }
}
#endif
