#if !canImport(Darwin)
import Foundation
import TestSupport

/// An nginx of the laboratory, on loopback.
final class Nginx: Sendable {
  let folder: URL
  private let process: NginxProcess

  /// One that serves one file, for the requests that nothing happens to, or what else is configured;
  /// `nil` where nginx is not installed.
  init?(
    in bench: Bench,
    ports: Int = 1,
    configuration: (URL, [UInt16]) -> String = Nginx.soundConfiguration
  ) async throws {
    guard NginxProcess.executable != nil else { return nil }
    let folder = bench.folder("nginx")
    self.folder = folder
    let files = folder.appending(path: "files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Wire.body.write(to: files.appending(path: "body"))
    try Wire.soundBody.write(to: files.appending(path: "sound"))
    process = try await NginxProcess(in: folder, ports: ports) { configuration(folder, $0) }
  }

  func url(_ path: String, port: Int = 0) -> URL {
    let scheme = port == 0 ? "http://127.0.0.1" : "https://localhost"
    return URL(string: "\(scheme):\(process.ports[port])\(path)") ?? URL(filePath: "/")
  }

  func stop() {
    process.stop()
  }

  /// What its log says, a line for each answer.
  var answers: [Substring] {
    let log = folder.appending(path: "answers.log")
    return ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n")
  }

  /// Ends its one worker as nothing can be prepared for; it gets another one.
  func killWorker() throws {
    let text = try String(contentsOf: folder.appending(path: "nginx.pid"), encoding: .utf8)
    guard let master = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw LabError("no process: \(text)")
    }
    let children = try String(
      contentsOfFile: "/proc/\(master)/task/\(master)/children",
      encoding: .utf8
    )
    for child in children.split(separator: " ").compactMap({ Int32($0) }) { kill(child, SIGKILL) }
  }

  private static func soundConfiguration(_ folder: URL, _ ports: [UInt16]) -> String {
    """
      log_format answers "$status $body_bytes_sent";
      access_log answers.log answers;
      root \(folder.path)/files;
      keepalive_requests 1000;
      server { listen 127.0.0.1:\(ports[0]) backlog=1024; }
    """
  }
}
#endif
