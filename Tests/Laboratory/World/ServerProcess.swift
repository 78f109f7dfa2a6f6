#if !canImport(Darwin)
import Foundation
import TestSupport

extension ServerProcess {
  /// Starts this program as the fault server.
  static func wire() async throws -> ServerProcess {
    try await ServerProcess("/proc/self/exe", ["--serve", "wire"])
  }

  func url(
    _ path: String,
    scheme: String = "http",
    host: String = "127.0.0.1",
    port: Int = 0
  ) -> URL {
    URL(string: "\(scheme)://\(host):\(ports[port])\(path)") ?? URL(filePath: "/")
  }

  /// Where nobody listens.
  var closed: URL { URL(string: "http://127.0.0.1:1/") ?? url("/") }
}
#endif
