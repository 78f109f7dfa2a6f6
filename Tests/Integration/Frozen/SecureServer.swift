import Foundation
import FreshetTesting
import TestSupport

/// The laboratory's servers with TLS that misbehave, each on a port of its own.
final class SecureServer: Sendable {
  static var isInstalled: Bool { API.isInstalled && Authority.isAvailable }

  private let folder: TemporaryDirectory
  private let server: ServerProcess

  /// The authority that a client has to trust.
  var authority: URL { folder.url.appending(path: "ca.pem") }

  /// Starts the servers with these names.
  init(_ names: String...) async throws {
    folder = try TemporaryDirectory()
    let script = ServerProcess.script("../../Laboratory/Secure/server.py")
    server = try await ServerProcess(
      API.python ?? "python3",
      ["-I", script, folder.url.path] + names
    )
    guard server.ports.count == names.count + 1 else { throw PortError(port: 0) }
  }

  /// The address of the server whose name was given there.
  func url(_ index: Int = 0) throws -> URL {
    guard let url = URL(string: "https://localhost:\(server.ports[index])/") else {
      throw PortError(port: 0)
    }
    return url
  }
}
