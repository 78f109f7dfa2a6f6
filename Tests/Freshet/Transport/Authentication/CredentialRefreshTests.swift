import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct CredentialRefreshTests {
  @Test func `abandoning a refresh cancels its task, and fails the requests that wait`() async {
    let task = Task { _ = await Watched(false).wait { $0 } }
    let refresh = CredentialRefresh(outcome: Promise(), task: task)
    let error = FreshetError.unauthenticated("the session has ended", url: "")
    refresh.abandon(error)

    // It ends by its cancellation only.
    await task.value
    await #expect(throws: error) { try await refresh.outcome.value() }
  }
}
