import Foundation
import Freshet
import FreshetTesting
import TestSupport

/// A tinyproxy on loopback that wants a user and a password; it is stopped with its last reference.
final class Tinyproxy: Sendable {
  static let executable = Program.path("tinyproxy")

  let url: URL
  private let process: ChildProcess
  private let folder: TemporaryDirectory

  init() async throws {
    folder = try TemporaryDirectory()
    let port = try FreePorts.take(1)[0]
    let file = folder.url.appending(path: "tinyproxy.conf")
    let text = """
      Port \(port)
      Listen 127.0.0.1
      Timeout 60
      MaxClients 20
      LogFile "\(folder.url.path)/log"
      BasicAuth ann sesame

      """
    try text.write(to: file, atomically: true, encoding: .utf8)
    process = try ChildProcess(Self.executable ?? "tinyproxy", ["-d", "-c", file.path])
    guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw PortError(port: port) }
    self.url = url
    try await waitUntilItListens()
  }

  deinit {
    process.signal(SIGKILL)
    _ = process.waitForEnd()
  }

  private func waitUntilItListens() async throws {
    let transport = CurlTransport { $0.proxy = .none }
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline, !process.hasEnded {
      do {
        for try await _ in transport.send(Request(url)) {}
        return
      } catch FreshetError.connection(.refused, _) {
        // Another process has nothing that could be awaited.
        try await Task.sleep(for: .milliseconds(10))
      } catch {
        return
      }
    }
    throw PortError(port: 0)
  }
}
