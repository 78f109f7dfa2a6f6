/// Waits until a condition holds, for four minutes at most.
///
/// That is within the time limits of the suites, and longer than it takes beside all other tests.
package func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
  let deadline = ContinuousClock.now + .seconds(240)
  while ContinuousClock.now < deadline {
    if try await condition() { return true }
    // Another process has nothing that could be awaited.
    try await Task.sleep(for: .milliseconds(2))
  }
  return try await condition()
}
