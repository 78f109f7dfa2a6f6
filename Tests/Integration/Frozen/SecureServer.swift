import Foundation
import FreshetTesting
import TestSupport

/// The laboratory's servers with TLS that misbehave, each on a port of its own.
final class SecureServer: Sendable {
  static var isInstalled: Bool { API.isInstalled && Authority.isAvailable }

  private let folder: TemporaryDirectory
  private let process: ChildProcess
  private let input: Pipe
  private let ports: [Int]

  /// The authority that a client has to trust.
  var authority: URL { folder.url.appending(path: "ca.pem") }

  /// Starts the servers with these names.
  init(_ names: String...) async throws {
    folder = try TemporaryDirectory()
    input = Pipe()
    let output = Pipe()
    let script = URL(filePath: #filePath)
      .deletingLastPathComponent().appending(path: "../../Laboratory/Secure/server.py")
      .standardizedFileURL
    process = try ChildProcess(
      API.python ?? "python3",
      ["-I", script.path, folder.url.path] + names,
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
    let handle = output.fileHandleForReading
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: handle.availableData) }
    }
    ports = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .compactMap { Int($0) }
    guard ports.count == names.count + 1 else { throw PortError(port: 0) }
  }

  deinit {
    // The end of its input is the end of it; a server that does not notice is killed.
    try? input.fileHandleForWriting.close()
    process.signal(SIGKILL)
  }

  /// The address of the server whose name was given there.
  func url(_ index: Int = 0) throws -> URL {
    guard let url = URL(string: "https://localhost:\(ports[index])/") else {
      throw PortError(port: UInt16(ports[index]))
    }
    return url
  }
}
