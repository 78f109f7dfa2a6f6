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
  private let process: ChildProcess
  private let input: Pipe

  init() async throws {
    folder = try TemporaryDirectory()
    authority = try await Authority(in: folder.url)
    try await authority.issue("server", for: "localhost")
    input = Pipe()
    let output = Pipe()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py")
    let files = ["server.pem", "server.key"].map { [folder] in folder.file($0).path }
    process = try ChildProcess(
      Self.python ?? "python3",
      [script.path] + files,
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
    let handle = output.fileHandleForReading
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Self.line(of: handle)) }
    }
    let ports = line.split(separator: " ")
    guard ports.count == 2, let plain = URL(string: "ws://127.0.0.1:\(ports[0])/"),
      let secure = URL(string: "wss://localhost:\(ports[1])/")
    else { throw PortError(port: 0) }
    (self.plain, self.secure) = (plain, secure)
  }

  /// Reads the first line, which may come in pieces.
  private static func line(of handle: FileHandle) -> String {
    var bytes = Data()
    while !bytes.contains(UInt8(ascii: "\n")) {
      let piece = handle.availableData
      guard !piece.isEmpty else { break }
      bytes += piece
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.signal(SIGKILL)
    _ = process.waitForEnd()
  }

  /// Runs a closure beside a server.
  static func run(_ body: (WebSocketServer) async throws -> Void) async throws {
    let server = try await WebSocketServer()
    defer { server.stop() }
    try await body(server)
  }
}
