#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport

/// A server in a process of its own, which ends when it is stopped or when this process ends.
final class ServerProcess: Sendable {
  let ports: [Int]
  private let process: ChildProcess
  private let input = Pipe()

  /// Starts this program as a server, or another program, and reads the ports that it prints.
  init(_ program: String, _ arguments: [String]) throws {
    let output = Pipe()
    process = try ChildProcess(
      program,
      arguments,
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([10]) {
      line.append(byte)
    }
    let text = String(decoding: line, as: UTF8.self)
    ports = text.split(separator: " ").compactMap { Int($0) }
    guard !ports.isEmpty else { throw LabError("\(program) names no port: \(text)") }
  }

  static func wire() throws -> ServerProcess {
    try ServerProcess("/proc/self/exe", ["--serve", "wire"])
  }

  /// Runs a script of this folder.
  static func python(_ script: String, _ arguments: [String]) throws -> ServerProcess {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: script)
    return try ServerProcess("/usr/bin/env", ["python3", file.path] + arguments)
  }

  func url(
    _ path: String,
    scheme: String = "http",
    host: String = "127.0.0.1",
    port: Int = 0
  ) -> URL {
    URL(string: "\(scheme)://\(host):\(ports[port])\(path)") ?? URL(filePath: "/")
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.signal(SIGTERM)
    _ = process.waitForEnd()
  }
}
#endif
