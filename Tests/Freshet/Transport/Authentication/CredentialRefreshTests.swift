import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct CredentialRefreshTests {
  /// An object that notes its release.
  private final class Reference: Sendable {
    private let isReleased: Watched<Bool>

    init(_ isReleased: Watched<Bool>) {
      self.isReleased = isReleased
    }

    deinit { isReleased.update { $0 = true } }
  }

  @Test func `a refresh that is abandoned before it runs does not run`() async {
    let refresh = CredentialRefresh(nil)
    let (hasRun, isReleased) = (Watched(false), Watched(false))
    refresh.abandon(.cancelled)
    do {
      let reference = Reference(isReleased)
      refresh.run { withExtendedLifetime(reference) { hasRun.update { $0 = true } } }
    }
    // A task that runs it would release it afterwards.
    await isReleased.wait { $0 }

    #expect(!hasRun.read { $0 })
    await #expect(throws: FreshetError.cancelled) { try await refresh.outcome.value() }
  }
}
