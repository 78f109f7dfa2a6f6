import Testing

@testable import Freshet

@Suite struct CredentialRefreshTests {
  @Test func `a refresh that is abandoned before it runs does not run`() async {
    let refresh = CredentialRefresh(id: 1, credential: nil)
    let hasRun = Watched(false)
    refresh.abandon(.cancelled)
    await withCheckedContinuation { continuation in
      refresh.run { hasRun.update { $0 = true } }
      // Tasks of the pool begin in order.
      Task { continuation.resume() }
    }

    #expect(!hasRun.read { $0 })
    await #expect(throws: FreshetError.cancelled) { try await refresh.outcome.value() }
  }
}
