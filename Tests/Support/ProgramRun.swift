package import Foundation

/// A program that ran to its end.
package struct ProgramRun: Sendable {
  /// The exit status, or the number of the signal.
  package let status: Int32
  package let wasKilled: Bool
  package let output: Data
  package let error: String

  package var text: String { String(decoding: output, as: UTF8.self) }
  package var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// Runs a program to its end, at most ten minutes.
  ///
  /// - Throws: ``SpawnError`` if it does not start, and the errors of its files.
  package init(
    _ program: String,
    _ arguments: [String],
    in folder: URL? = nil,
    input: Data? = nil
  ) async throws {
    let files = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: files) }
    let (source, output, error) = (
      files.appending(path: "input"), files.appending(path: "output"),
      files.appending(path: "error")
    )
    var standards = Standards(output: .file(output), error: .file(error))
    if let input {
      try input.write(to: source)
      standards.input = .file(source)
    }
    let process = try ChildProcess(program, arguments, in: folder, standards: standards)
    let limit = DispatchWorkItem { process.signal(SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: limit)
    let end = await process.end()
    limit.cancel()
    status = end.status
    wasKilled = end.wasKilled
    self.output = try Data(contentsOf: output)
    self.error = String(decoding: try Data(contentsOf: error), as: UTF8.self)
  }
}

/// The programs of the system and of the package.
package enum Program {
  /// The path of an installed program, or `nil` where there is none.
  package static func path(_ name: String) -> String? {
    [
      "/bin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin",
    ]
    .map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The path of a program that was built with the tests.
  package static func built(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
  }
}
