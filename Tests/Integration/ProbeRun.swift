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
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
      .deletingLastPathComponent()
      .appending(path: tool)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<_, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
    for file in files { try FileManager.default.removeItem(at: file) }
    return End(
      status: process.terminationStatus,
      wasKilled: process.terminationReason == .uncaughtSignal,
      output: texts[0],
      error: texts[1]
    )
  }
}
