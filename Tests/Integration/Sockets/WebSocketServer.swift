import Foundation
import FreshetTesting
import TestSupport

/// Python's `websockets` on loopback, plain and with TLS by a test authority; it ends with its input.
final class WebSocketServer: Sendable {
  static let python = Program.path("python3")

  /// A Boolean value that indicates whether the library is there, and openssl.
  static let isInstalled: Bool = {
    guard let python, Authority.isAvailable,
      let process = try? ChildProcess(python, ["-c", "import websockets"])
    else { return false }
    return process.waitForEnd().status == 0
  }()

  let plain: URL
  let secure: URL
  let authority: Authority
  private let folder: TemporaryDirectory
  private let server: ServerProcess

  init() async throws {
    folder = try TemporaryDirectory()
    authority = try await Authority(in: folder.url)
    try await authority.issue("server", for: "localhost")
    let files = ["server.pem", "server.key"].map { [folder] in folder.file($0).path }
    server = try await ServerProcess(
      Self.python ?? "python3",
      [ServerProcess.script("server.py")] + files
    )
    let ports = server.ports
    guard ports.count == 2, let plain = URL(string: "ws://127.0.0.1:\(ports[0])/"),
      let secure = URL(string: "wss://localhost:\(ports[1])/")
    else { throw PortError(port: 0) }
    (self.plain, self.secure) = (plain, secure)
  }

  func stop() {
    server.stop()
  }

  /// Runs a closure beside a server.
  static func run(_ body: (WebSocketServer) async throws -> Void) async throws {
    let server = try await WebSocketServer()
    defer { server.stop() }
    try await body(server)
  }
}
