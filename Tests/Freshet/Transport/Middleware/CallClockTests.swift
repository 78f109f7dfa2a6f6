import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct CallClockTests {
  @Test func `a wait is no longer than a clock can count`() async throws {
    let clock = VirtualClock()
    let waiting = Task { try await CallClock(clock).sleep(until: .seconds(Int64.max)) }
    #expect(await clock.sleepers(count: 1))

    #expect(clock.advance() == Duration.longestWait)
    try await waiting.value
  }

  @Test func `a system clock waits for the longest wait`() async throws {
    let executor = QueueExecutor()
    let waiting = Task(executorPreference: executor) {
      try await CallClock(ContinuousClock()).sleep(until: .seconds(Int64.max))
    }
    // It runs behind the first one, which waits by then.
    await Task(executorPreference: executor) { waiting.cancel() }.value

    await #expect(throws: FreshetError.cancelled) { try await waiting.value }
  }

  @Test func `a token that returns too slowly is waited for as long as anything`() {
    var bucket = TokenBucket(capacity: 1, perSecond: 1e-300, now: .zero)
    let first = bucket.take(now: .zero)
    let next = bucket.nextToken(now: .zero)

    #expect(first)
    #expect(next == Duration.longestWait)
  }
}
