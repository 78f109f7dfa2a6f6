import Foundation
import TestSupport

/// Debian's httpbin on loopback; it ends with its input, by its process id, or after twenty minutes.
final class HTTPBin: Sendable {
  /// The distribution's own interpreter, which has the distribution's packages.
  private static let python = "/usr/bin/python3"

  static var isInstalled: Bool {
    FileManager.default.isExecutableFile(atPath: python)
      && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/httpbin/core.py")
  }

  let base: URL
  private let server: ServerProcess

  init() async throws {
    server = try await ServerProcess(Self.python, ["-I", ServerProcess.script("bin.py")])
    guard let base = URL(string: "http://127.0.0.1:\(server.ports[0])") else {
      throw PortError(port: 0)
    }
    self.base = base
  }
}
