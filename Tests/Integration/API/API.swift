import Foundation
import Freshet
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A stateful API in Python on loopback; it ends with its input, by its process id, or after two
/// minutes.
final class API: Sendable {
  /// Where the interpreter is, or `nil` where Python is not installed.
  static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  static var isInstalled: Bool { python != nil }

  @TaskLocal static var current: API?

  let base: URL
  private let process: Process
  private let input: Pipe

  init() async throws {
    process = Process()
    input = Pipe()
    let output = Pipe()
    process.executableURL = URL(filePath: Self.python ?? "python3")
    process.arguments = [
      "-I", URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py").path,
    ]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let handle = output.fileHandleForReading
    let line = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: handle.availableData) }
    }
    let port = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !port.isEmpty, let base = URL(string: "http://127.0.0.1:\(port)/v1") else {
      process.terminate()
      throw PortError(port: 0)
    }
    self.base = base
  }

  func stop() {
    // The end of its input is the end of it; a server that does not notice is killed.
    try? input.fileHandleForWriting.close()
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
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
