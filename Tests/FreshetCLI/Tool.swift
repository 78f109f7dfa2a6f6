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
      let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent()
        .appending(path: "freshet")
      let end = try await Spawned.run(program, arguments, output: output, error: error)
      return Result(
        status: end.status,
        output: try Data(contentsOf: output),
        error: String(decoding: try Data(contentsOf: error), as: UTF8.self)
      )
    }
  }
}
