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
  private let process: ChildProcess
  private let input: Pipe

  init() async throws {
    input = Pipe()
    let output = Pipe()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "bin.py")
    process = try ChildProcess(
      Self.python,
      ["-I", script.path],
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
    let handle = output.fileHandleForReading
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: handle.availableData) }
    }
    let port = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !port.isEmpty, let base = URL(string: "http://127.0.0.1:\(port)") else {
      throw PortError(port: 0)
    }
    self.base = base
  }

  deinit {
    // The end of its input is the end of it; a server that does not notice is killed.
    try? input.fileHandleForWriting.close()
    process.signal(SIGKILL)
    _ = process.waitForEnd()
  }
}
