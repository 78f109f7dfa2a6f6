import Testing

/// Runs a suite beside one nginx, which its tests find in ``Nginx/current``.
struct NginxScope: SuiteTrait, TestScoping {
  @concurrent func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard Nginx.isInstalled else { return try await function() }
    let nginx = try await Nginx()
    defer { nginx.stop() }
    try await Nginx.$current.withValue(nginx) {
      try await function()
    }
  }
}

extension Trait where Self == NginxScope {
  static var besideNginx: Self { NginxScope() }
}

extension Nginx {
  @TaskLocal static var current: Nginx?
}
