import Foundation
import FreshetTesting
import TestSupport

/// A server on loopback that speaks HTTP/2 and answers while it reads; it ends with its input, by its
/// process id, or after twenty minutes.
final class DuplexServer: Sendable {
  /// The distribution's own interpreter, which has the distribution's packages.
  private static let python = "/usr/bin/python3"

  static var isInstalled: Bool {
    FileManager.default.isExecutableFile(atPath: python) && Authority.isAvailable
      && FileManager.default.fileExists(
        atPath: "/usr/lib/python3/dist-packages/h2/connection.py"
      )
  }

  private let folder: TemporaryDirectory
  private let process: ChildProcess
  private let input: Pipe
  /// The certificate that a client has to trust.
  let authority: URL
  private let port: String

  /// Starts a server that offers one protocol, such as `h2`.
  init(offering networkProtocol: String = "h2") async throws {
    folder = try TemporaryDirectory()
    let issuer = try await Authority(in: folder.url)
    try await issuer.issue("server", for: "localhost")
    authority = issuer.certificate
    input = Pipe()
    let output = Pipe()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py")
    let files = ["server.pem", "server.key"].map { [folder] in folder.url.appending(path: $0).path }
    process = try ChildProcess(
      Self.python,
      ["-I", script.path] + files + [networkProtocol],
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
    let handle = output.fileHandleForReading
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: handle.availableData) }
    }
    port = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !port.isEmpty else { throw PortError(port: 0) }
  }

  deinit {
    // The end of its input is the end of it; a server that does not notice is killed.
    try? input.fileHandleForWriting.close()
    process.signal(SIGKILL)
    _ = process.waitForEnd()
  }

  /// The address at which it has its paths.
  var base: URL {
    get throws {
      guard let url = URL(string: "https://localhost:\(port)") else { throw PortError(port: 0) }
      return url
    }
  }
}
