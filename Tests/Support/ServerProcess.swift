import Foundation

/// A server in a process of its own, which ends when it is stopped, or with its input.
package final class ServerProcess: Sendable {
  /// The ports that it has printed.
  package let ports: [Int]
  private let process: ChildProcess
  private let input = Pipe()

  /// Starts a server, and returns when it has printed a line with its ports.
  ///
  /// - Throws: ``PortError`` if it prints none, and ``SpawnError`` if it does not start.
  package init(_ program: String, _ arguments: [String]) async throws {
    let output = Pipe()
    process = try ChildProcess(
      program,
      arguments,
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
    let line = await PipeLines(output).next() ?? ""
    ports = line.split(separator: " ").compactMap { Int($0) }
    guard !ports.isEmpty else { throw PortError(port: 0) }
  }

  deinit {
    stop()
  }

  /// The path of a script, relative to the folder of a source file.
  package static func script(_ path: String, from file: String = #filePath) -> String {
    URL(filePath: file).deletingLastPathComponent().appending(path: path).standardizedFileURL.path
  }

  /// Ends it, and waits for its end.
  package func stop() {
    // The end of its input is the end of it; a server that does not notice is killed.
    try? input.fileHandleForWriting.close()
    process.signal(SIGKILL)
    _ = process.waitForEnd()
  }
}
