import Foundation
import TestSupport

/// A running `FreshetProbe`, or another tool of the package.
final class ProbeProcess {
  private let process: ChildProcess
  private let input = Pipe()
  private let output = Pipe()
  private var rest = Data()

  convenience init(_ arguments: String...) throws {
    try self.init(tool: "FreshetProbe", arguments)
  }

  convenience init(tool: String, _ arguments: String...) throws {
    try self.init(tool: tool, arguments)
  }

  private init(tool: String, _ arguments: [String]) throws {
    process = try ChildProcess(
      Program.built(tool),
      arguments,
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
  }

  /// The next line that it prints, or `nil` at the end.
  ///
  /// It waits on a thread of its own, so that the tests' pool stays free.
  func line() async throws -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = Data(rest[(end + 1)...]) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let handle = output.fileHandleForReading
      let bytes = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: handle.availableData) }
      }
      guard !bytes.isEmpty else { return nil }
      rest.append(bytes)
    }
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
