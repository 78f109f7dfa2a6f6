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
  private let server: ServerProcess
  /// The certificate that a client has to trust.
  let authority: URL

  /// Starts a server that offers one protocol, such as `h2`.
  init(offering networkProtocol: String = "h2") async throws {
    folder = try TemporaryDirectory()
    let issuer = try await Authority(in: folder.url)
    try await issuer.issue("server", for: "localhost")
    authority = issuer.certificate
    let files = ["server.pem", "server.key"].map { [folder] in folder.url.appending(path: $0).path }
    server = try await ServerProcess(
      Self.python,
      ["-I", ServerProcess.script("server.py")] + files + [networkProtocol]
    )
  }

  /// The address at which it has its paths.
  var base: URL {
    get throws {
      guard let url = URL(string: "https://localhost:\(server.ports[0])") else {
        throw PortError(port: 0)
      }
      return url
    }
  }
}
