import Foundation
import FreshetTesting

/// The built `freshet`, run as a user runs it.
enum Tool {
  struct Result {
    let status: Int32
    let output: Data
    let error: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  static func run(_ arguments: String...) async throws -> Result {
    try await run(arguments)
  }

  static func run(_ arguments: [String]) async throws -> Result {
    try await TemporaryDirectory.scope { folder in
      let output = folder.file("output")
      let error = folder.file("error")
      try Data().write(to: output)
      try Data().write(to: error)

      let process = Process()
      process.executableURL = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent()
        .appending(path: "freshet")
      process.arguments = arguments
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: error)
      let status = try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch { continuation.resume(throwing: error) }
      }
      return Result(
        status: status,
        output: try Data(contentsOf: output),
        error: String(decoding: try Data(contentsOf: error), as: UTF8.self)
      )
    }
  }
}
