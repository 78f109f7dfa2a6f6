import Foundation
import Freshet
import TestSupport
import Testing

/// A stateful API in Python on loopback; it ends with its input, by its process id, or after twenty
/// minutes.
final class API: Sendable {
  /// Where the interpreter is, or `nil` where Python is not installed.
  static let python = Program.path("python3")

  static var isInstalled: Bool { python != nil }

  @TaskLocal static var current: API?

  let base: URL
  private let process: ChildProcess
  private let input: Pipe

  init() async throws {
    input = Pipe()
    let output = Pipe()
    process = try ChildProcess(
      Self.python ?? "python3",
      [
        "-I",
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py").path,
      ],
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
    let handle = output.fileHandleForReading
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: handle.availableData) }
    }
    let port = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !port.isEmpty, let base = URL(string: "http://127.0.0.1:\(port)/v1") else {
      throw PortError(port: 0)
    }
    self.base = base
  }

  func stop() {
    // The end of its input is the end of it; a server that does not notice is killed.
    try? input.fileHandleForWriting.close()
    process.signal(SIGKILL)
    _ = process.waitForEnd()
  }
}

/// Runs a suite beside one API, which its tests find in ``API/current``.
struct APIScope: SuiteTrait, TestScoping {
  @concurrent func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard API.isInstalled else { return try await function() }
    let api = try await API()
    defer { api.stop() }
    try await API.$current.withValue(api) {
      try await function()
    }
  }
}

extension Trait where Self == APIScope {
  static var besideAPI: Self { APIScope() }
}
