#if os(Linux)
import Foundation
import TestSupport

/// An nginx that serves one file, for the requests that nothing happens to.
final class Nginx: Sendable {
  private let process: NginxProcess

  /// `nil` where nginx is not installed.
  init?(in bench: Bench) async throws {
    guard NginxProcess.executable != nil else { return nil }
    let folder = bench.folder("nginx")
    let files = folder.appending(path: "files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Wire.body.write(to: files.appending(path: "body"))
    process = try await NginxProcess(in: folder, ports: 1) { Self.configuration(folder, $0[0]) }
  }

  func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(process.ports[0])\(path)") ?? URL(filePath: "/")
  }

  func stop() {
    process.stop()
  }

  private static func configuration(_ folder: URL, _ port: UInt16) -> String {
    """
      access_log off;
      root \(folder.path)/files;
      keepalive_requests 1000;
      server { listen 127.0.0.1:\(port) backlog=1024; }
    """
  }
}
#endif
