import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct VirtualClockTests {
  @Test func `does not move by itself`() {
    let clock = VirtualClock()

    #expect(clock.now.offset == .zero)
    clock.advance(by: .seconds(3))
    #expect(clock.now.offset == .seconds(3))
    #expect(clock.measure {} == .zero)
  }

  @Test func `wakes sleepers whose deadline is reached, and no others`() async throws {
    let clock = VirtualClock()
    let short = Task { try await clock.sleep(for: .seconds(1)) }
    let long = Task { try await clock.sleep(for: .seconds(2)) }
    await clock.sleepers(count: 2)

    clock.advance(by: .milliseconds(1500))
    try await short.value

    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(500))
    try await long.value
  }

  @Test func `advances to the next sleeper`() async throws {
    let clock = VirtualClock()
    let late = Task { try await clock.sleep(for: .seconds(20)) }
    let soon = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.sleepers(count: 2)

    #expect(clock.advance() == .seconds(5))
    try await soon.value
    #expect(clock.advance() == .seconds(15))
    try await late.value
    #expect(clock.advance() == nil)
  }

  @Test func `wakes in the order of the deadlines, and of falling asleep`() async throws {
    let (clock, executor) = (VirtualClock(), QueueExecutor())
    let order = Watched<[String]>([])
    let tasks = [("d", 3), ("a", 1), ("c", 2), ("b", 1)]
      .map { name, seconds in
        Task(executorPreference: executor) {
          try await clock.sleep(until: VirtualClock.Instant(offset: .seconds(seconds)))
          order.update { $0.append(name) }
        }
      }
    await clock.sleepers(count: 4)

    // The last one may not wait yet: this runs behind it.
    await Task(executorPreference: executor) { clock.advance(by: .seconds(3)) }.value
    for task in tasks { try await task.value }

    #expect(order.read { $0 } == ["a", "b", "c", "d"])
  }

  @Test func `a deadline in the past does not sleep`() async throws {
    let clock = VirtualClock()
    clock.advance(by: .seconds(1))

    try await clock.sleep(until: VirtualClock.Instant(offset: .seconds(1)))

    #expect(clock.sleeperCount == 0)
  }

  @Test func `a cancelled sleeper wakes immediately`() async {
    let clock = VirtualClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.sleepers(count: 1)

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a task that was cancelled before does not sleep`() async {
    let clock = VirtualClock()
    let gate = Gate()
    let task = Task {
      try? await gate.enter()
      try await clock.sleep(for: .seconds(1))
    }

    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `many cancellations leave no sleeper`() async {
    let clock = VirtualClock()
    let tasks = (0..<500).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
    for task in tasks { task.cancel() }

    for task in tasks {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `the wall clock moves along and can be set`() {
    let clock = VirtualClock(date: Date(timeIntervalSince1970: 1000))
    let now: @Sendable () -> Date = { clock.date }

    clock.advance(by: .milliseconds(1500))
    #expect(now() == Date(timeIntervalSince1970: 1001.5))
    clock.date = Date(timeIntervalSince1970: 10)
    clock.advance(by: .seconds(1))

    #expect(now() == Date(timeIntervalSince1970: 11))
    #expect(clock.now.offset == .milliseconds(2500))
  }
}
