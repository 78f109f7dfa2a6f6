import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct PromiseTests {
  private let clock = VirtualClock()
  private static let late = FreshetError.timedOut(.total, url: "u")

  @Test func `a deadline in the past ends the wait`() async throws {
    clock.advance(by: .seconds(10))
    let clock = CallClock(clock)

    for _ in 0..<2_000 {
      let settlement = Promise<Int>()
      let error = await #expect(throws: FreshetError.self) {
        try await settlement.value(before: .seconds(-1), by: clock, orThrow: Self.late)
      }
      #expect(error == Self.late)
    }
  }

  @Test func `an available result takes precedence over the deadline`() async throws {
    let settlement = Promise<Int>()
    settlement.settle(.success(7))

    let value = try await settlement.value(
      before: .zero,
      by: CallClock(clock),
      orThrow: Self.late
    )

    #expect(value == 7)
  }

  @Test func `a result is preferred to a deadline whose task runs first`() async throws {
    let (settlement, clock, executor) = (Promise<Int>(), CallClock(clock), QueueExecutor())
    let waiting = Task(executorPreference: executor) {
      try await settlement.value(before: .seconds(1), by: clock, orThrow: Self.late)
    }
    await self.clock.sleepers(count: 1)

    executor.pause {
      self.clock.advance(by: .seconds(1))
      settlement.settle(.success(7))
    }

    #expect(try await waiting.value == 7)
  }

  @Test func `each waiter has its own deadline`() async throws {
    let (settlement, clock) = (Promise<Int>(), CallClock(clock))
    let short = Task {
      await thrown {
        try await settlement.value(before: .seconds(1), by: clock, orThrow: Self.late)
      }
    }
    let long = Task { try await settlement.value(before: .seconds(9), by: clock) }
    await self.clock.sleepers(count: 2)

    self.clock.advance(by: .seconds(1))
    #expect(await short.value == Self.late)
    settlement.settle(.success(7))

    #expect(try await long.value == 7)
    #expect(self.clock.sleeperCount == 0)
  }
}
