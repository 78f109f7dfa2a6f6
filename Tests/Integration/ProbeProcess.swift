import Foundation
import TestSupport

/// A running `FreshetProbe`, or another tool of the package.
final class ProbeProcess {
  private let process: ChildProcess
  private let input = Pipe()
  private let lines: PipeLines

  convenience init(_ arguments: String...) throws {
    try self.init(tool: "FreshetProbe", arguments)
  }

  convenience init(tool: String, _ arguments: String...) throws {
    try self.init(tool: tool, arguments)
  }

  private init(tool: String, _ arguments: [String]) throws {
    let output = Pipe()
    lines = PipeLines(output)
    process = try ChildProcess(
      Program.built(tool),
      arguments,
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
  }

  /// The next line that it prints, or `nil` at the end.
  func line() async throws -> String? {
    await lines.next()
  }

  /// The number behind the word, in the next line that begins with it.
  func number(_ word: String) async throws -> Int? {
    while let line = try await line() {
      let parts = line.split(separator: " ")
      if parts.first == Substring(word) { return parts.last.flatMap { Int($0) } }
    }
    return nil
  }

  func goOn() throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
  }

  /// Ends it as nothing can be prepared for.
  func kill() {
    process.signal(SIGKILL)
  }

  /// Waits for its end, which follows its last line.
  func end() async throws -> Int32 {
    while try await line() != nil {}
    return await process.end().status
  }
}
