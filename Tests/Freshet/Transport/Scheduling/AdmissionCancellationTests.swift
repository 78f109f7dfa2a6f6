import FreshetTesting
import Testing

@testable import Freshet

/// What happens between the permit of a request and its start.
@Suite(.timeLimit(.minutes(5))) @MainActor struct AdmissionCancellationTests {
  @Test func `a request that is cancelled behind its permit is not sent`() async throws {
    let scheduler = RequestScheduler { $0.total = 1 }
    var first = try Request("http://a.test/1")
    let permit = try await scheduler.wait(&first)
    let task = Task { @MainActor () -> (any Error)? in
      do {
        var request = try Request("http://a.test/2")
        _ = try await scheduler.wait(&request)
        return nil
      } catch {
        return error
      }
    }
    while scheduler.waitingCount == 0 { await Task.yield() }

    // It cannot run before this actor is free.
    permit?.end()
    task.cancel()

    #expect(await task.value as? FreshetError == .cancelled)
    #expect(scheduler.runningCount == 0)
  }
}
