import Freshet

/// The framework's error that a call throws, or `nil`.
func thrown<Value>(_ body: () async throws -> Value) async -> FreshetError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? FreshetError
  }
}
