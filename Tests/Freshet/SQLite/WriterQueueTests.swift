import Testing

@testable import Freshet

/// The turns that callers take while the writer's thread sleeps.
@Suite struct WriterQueueTests {
  /// A queue whose changes stand in expectations.
  private final class Turns {
    private var queue = WriterQueue<Int>()

    var jobs: [Int] { queue.jobs }

    func take() -> Bool { queue.takeTurn() }

    /// Adds a job, and returns whether the thread has to be woken.
    @discardableResult
    func add(_ job: Int) -> Bool { wakes(queue.add(job) { _ in }) }

    func end(due: ContinuousClock.Instant? = nil, hasChores: Bool = false) -> Bool {
      wakes(queue.endTurn(due: due, hasChores: hasChores))
    }

    /// Lets the thread look for work, and returns whether it sleeps now.
    @discardableResult
    func sleeps(until alarm: ContinuousClock.Instant? = nil) -> Bool {
      queue.next(due: alarm, mayRest: true) == nil
    }

    func stop() { _ = queue.stop() }

    func waitsForRest() -> Bool {
      if case .nothing = queue.addRestWaiter({}) { true } else { false }
    }

    private func wakes(_ step: WriterQueue<Int>.Step) -> Bool {
      if case .wake = step { true } else { false }
    }
  }

  /// A queue whose thread has run one job and sleeps.
  private func sleeping(until alarm: ContinuousClock.Instant? = nil) -> Turns {
    let turns = Turns()
    turns.add(0)
    turns.sleeps()
    #expect(turns.sleeps(until: alarm))
    return turns
  }

  @Test func `a caller has the turn only while the thread sleeps`() {
    let turns = Turns()
    #expect(!turns.take())
    turns.add(0)
    #expect(!turns.take())
    turns.sleeps()
    #expect(!turns.take())

    #expect(turns.sleeps())

    #expect(turns.take())
  }

  @Test func `one caller at a time has the turn`() {
    let turns = sleeping()
    #expect(turns.take())
    #expect(!turns.take())

    #expect(!turns.end())

    #expect(turns.take())
  }

  @Test func `a job that is queued during a turn wakes the thread, which runs it`() {
    let turns = sleeping()
    #expect(turns.take())

    #expect(turns.add(1))
    #expect(!turns.end(hasChores: true))

    #expect(turns.jobs == [1])
    #expect(!turns.take())
  }

  @Test func `jobs that come together are the thread's until one comes alone`() {
    let turns = sleeping()
    for job in 1...2 { turns.add(job) }
    turns.sleeps()
    #expect(turns.sleeps())
    #expect(!turns.take())

    turns.add(3)
    turns.sleeps()
    #expect(turns.sleeps())

    #expect(turns.take())
  }

  @Test func `a turn wakes the thread for background work`() {
    let turns = sleeping()
    #expect(turns.take())
    #expect(turns.end(hasChores: true))
  }

  @Test func `a turn wakes the thread for scheduled work that is due before its alarm`() {
    let now = ContinuousClock.now
    var turns = sleeping()
    #expect(turns.take())
    #expect(turns.end(due: now + .seconds(30)))

    turns = sleeping(until: now + .seconds(2_000))
    #expect(turns.take())
    #expect(!turns.end(due: now + .seconds(3_000)))
    #expect(turns.take())
    #expect(turns.end(due: now + .seconds(1_000)))
  }

  @Test func `a writer that is stopped gives no turn`() {
    let turns = sleeping()
    turns.stop()
    #expect(!turns.take())
  }

  @Test func `a store is at rest after a turn, and not during it`() {
    let turns = sleeping()
    #expect(turns.take())

    #expect(turns.waitsForRest())
    #expect(turns.end())
  }
}
