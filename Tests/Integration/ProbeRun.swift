import Foundation
import FreshetTesting

/// A `FreshetProbe`, or another tool of the package, that runs to its end, whatever that is.
enum ProbeRun {
  struct End: Sendable {
    /// The exit status, or the number of the signal.
    let status: Int32
    let wasKilled: Bool
    let output: String
    let error: String
  }

  static func run(
    tool: String = "FreshetProbe",
    _ arguments: String...,
    in folder: TemporaryDirectory
  ) async throws -> End {
    let name = UUID().uuidString
    let files = [folder.file("\(name).out"), folder.file("\(name).err")]
    for file in files { try Data().write(to: file) }
    let program = URL(filePath: CommandLine.arguments[0])
      .deletingLastPathComponent()
      .appending(path: tool)
    let end = try await Spawned.run(program, arguments, output: files[0], error: files[1])
    let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
    for file in files { try FileManager.default.removeItem(at: file) }
    return End(
      status: end.status,
      wasKilled: end.wasKilled,
      output: texts[0],
      error: texts[1]
    )
  }
}
