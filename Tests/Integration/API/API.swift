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
  private let server: ServerProcess

  init() async throws {
    server = try await ServerProcess(
      Self.python ?? "python3",
      ["-I", ServerProcess.script("server.py")]
    )
    guard let base = URL(string: "http://127.0.0.1:\(server.ports[0])/v1") else {
      throw PortError(port: 0)
    }
    self.base = base
  }

  func stop() {
    server.stop()
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
