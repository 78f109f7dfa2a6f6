import Foundation
import Testing

@testable import Freshet

@Suite struct SchedulerAdmissionTests {
  private let a = HostKey(URL(string: "http://a.test").unsafelyUnwrapped)
  private let b = HostKey(URL(string: "http://b.test").unsafelyUnwrapped)

  private func queue(_ change: (inout RequestLimits) -> Void = { _ in }) -> Line {
    var limits = RequestLimits()
    limits.perHost = 1
    change(&limits)
    return Line(limits)
  }

  /// Who waits and who runs at the hosts, with ids from 1 on.
  private struct Line {
    var state: NumberedTurns
    private var nextID = 0
    private var hosts: [Int: HostKey] = [:]
    private var running: [Int] = []

    init(_ limits: RequestLimits) {
      state = NumberedTurns(limits)
    }

    var hostCount: Int { state.hostCount }
    var waitingCount: Int { state.waitingCount }
    var runningCount: Int { state.runningCount }

    mutating func enqueue(
      _ host: HostKey,
      _ priority: Request.Priority,
      tags: Set<String> = [],
      now: Duration
    ) -> Int {
      nextID += 1
      hosts[nextID] = host
      state.enqueue(nextID, host: host, priority: priority, tags: tags, now: now)
      return nextID
    }

    mutating func admit(now: Duration) -> [Int] {
      var admitted: [Int] = []
      while let id = state.admit(now: now) { admitted.append(id) }
      running += admitted
      return admitted
    }

    /// Ends the oldest that runs there.
    mutating func release(_ host: HostKey) {
      guard let index = running.firstIndex(where: { hosts[$0] == host }) else { return }
      state.leave(running.remove(at: index))
    }

    func nextMoment(now: Duration) -> Duration? { state.nextMoment(now: now) }
  }

  @Test func `first come, first served within a priority`() {
    var queue = queue()
    let ids = (0..<3).map { _ in queue.enqueue(a, .normal, now: .zero) }
    var order: [Int] = []

    for _ in ids {
      order += queue.admit(now: .zero)
      queue.release(a)
    }

    #expect(order == ids)
    #expect(queue.hostCount == 0)
  }

  @Test func `the higher priority first`() {
    var queue = queue {
      $0.total = 1
      $0.perHost = .max
    }
    let low = queue.enqueue(a, .low, now: .zero)
    let normal = queue.enqueue(b, .normal, now: .zero)
    let high = queue.enqueue(a, .high, now: .zero)

    let first = queue.admit(now: .zero)
    queue.release(a)
    let second = queue.admit(now: .zero)
    queue.release(b)

    #expect([first, second, queue.admit(now: .zero)] == [[high], [normal], [low]])
  }

  @Test func `keeps the limits for each host and in all`() {
    var queue = queue {
      $0.perHost = 2
      $0.total = 3
    }
    for _ in 0..<5 { _ = queue.enqueue(a, .normal, now: .zero) }
    for _ in 0..<5 { _ = queue.enqueue(b, .normal, now: .zero) }

    #expect(queue.admit(now: .zero) == [1, 2, 6])
    #expect(queue.admit(now: .zero) == [])
    queue.release(b)
    #expect(queue.admit(now: .zero) == [6 + 1])
    #expect(queue.runningCount == 3)
  }

  @Test func `a request that waits for long precedes newer ones`() {
    var queue = queue { $0.patience = .seconds(5) }
    let old = queue.enqueue(a, .low, now: .zero)
    let fresh = queue.enqueue(a, .high, now: .seconds(9))
    #expect(queue.admit(now: .seconds(9)) == [fresh])
    queue.release(a)
    _ = queue.enqueue(a, .high, now: .seconds(10))

    #expect(queue.admit(now: .seconds(10)) == [old])
  }

  @Test func `a stream of urgent requests does not starve the rest`() {
    var queue = queue()
    let low = queue.enqueue(a, .low, now: .zero)
    var admittedAt: Int?

    for second in 0..<60 where admittedAt == nil {
      _ = queue.enqueue(a, .high, now: .seconds(second))
      if queue.admit(now: .seconds(second)).contains(low) { admittedAt = second }
      queue.release(a)
    }

    #expect(admittedAt.map { $0 <= 10 } == true)
  }

  @Test func `priorities change in the queue and keep their age`() {
    var queue = queue()
    let first = queue.enqueue(a, .low, tags: ["x"], now: .zero)
    let second = queue.enqueue(a, .high, now: .zero)
    let third = queue.enqueue(a, .low, tags: ["y"], now: .zero)

    queue.state.reprioritize(tagged: "x", to: .high)
    queue.state.reprioritize(tagged: "y", to: .high)

    var order: [Int] = []
    for _ in 0..<3 {
      order += queue.admit(now: .zero)
      queue.release(a)
    }
    #expect(order == [first, second, third])
  }

  @Test func `a priority does not change for a tag in another Unicode spelling`() {
    var queue = queue()
    let first = queue.enqueue(a, .low, tags: ["e\u{301}"], now: .zero)
    let second = queue.enqueue(a, .low, tags: ["\u{E9}"], now: .zero)

    queue.state.reprioritize(tagged: "\u{E9}", to: .high)

    var order: [Int] = []
    for _ in 0..<2 {
      order += queue.admit(now: .zero)
      queue.release(a)
    }
    #expect(order == [second, first])
  }

  @Test func `the rate lets a burst begin and then one at a time`() {
    var queue = queue {
      $0.perHost = .max
      $0.rate = .init(perSecond: 2, burst: 3)
    }
    for _ in 0..<6 { _ = queue.enqueue(a, .normal, now: .zero) }

    #expect(queue.admit(now: .zero) == [1, 2, 3])
    #expect(queue.nextMoment(now: .zero) == .milliseconds(500))
    #expect(queue.admit(now: .milliseconds(499)) == [])
    #expect(queue.admit(now: .milliseconds(500)) == [4])
    #expect(queue.admit(now: .seconds(10)) == [5, 6])
    #expect(queue.nextMoment(now: .seconds(10)) == nil)
  }

  @Test func `a host that waits for its rate delays no other`() {
    var queue = queue {
      $0.rate = .init(perSecond: 1)
      $0.perHost = .max
    }
    _ = queue.enqueue(a, .high, now: .zero)
    _ = queue.enqueue(a, .high, now: .zero)
    let other = queue.enqueue(b, .low, now: .zero)

    #expect(queue.admit(now: .zero) == [1, other])
  }

  @Test func `a withdrawn request leaves no state`() {
    var queue = queue()
    let id = queue.enqueue(a, .normal, now: .zero)

    queue.state.withdraw(id)
    queue.state.withdraw(id)

    #expect(queue.admit(now: .zero) == [])
    #expect(queue.hostCount == 0)
    #expect(queue.waitingCount == 0)
  }

  @Test func `low priority that yields sets a timer for its patience and none for its rate`() {
    var queue = queue {
      $0.rate = .init(perSecond: 1)
      ($0.perHost, $0.background) = (.max, 1)
    }
    _ = queue.enqueue(a, .normal, now: .zero)
    _ = queue.enqueue(b, .low, now: .zero)
    #expect(queue.admit(now: .zero) == [1, 2])
    _ = queue.enqueue(b, .low, now: .zero)

    #expect(queue.nextMoment(now: .zero) == .seconds(1))
    #expect(queue.admit(now: .seconds(1)) == [])
    #expect(queue.nextMoment(now: .seconds(1)) == .seconds(2))
  }

  @Test func `forgets hosts whose rate has no effect`() throws {
    var queue = queue { $0.rate = .init(perSecond: 1) }
    for second in 0..<1_000 {
      let host = HostKey(try #require(URL(string: "http://h\(second).test")))
      _ = queue.enqueue(host, .normal, now: .seconds(second))
      _ = queue.admit(now: .seconds(second))
      queue.release(host)
    }

    #expect(queue.hostCount <= 64)
  }

  @Test func `a request is admitted immediately only as the rate allows`() {
    var limits = RequestLimits()
    limits.rate = .init(perSecond: 1)
    var state = NumberedTurns(limits)

    let entered = (0..<4)
      .map { id in
        state.enter(id, host: a, priority: .normal, now: .milliseconds(500 * id))
      }

    #expect(entered == [true, false, true, false])
  }

  @Test func `without patience it is first come, first served`() {
    var queue = queue { $0.patience = .zero }
    let ids = [Request.Priority.low, .high, .normal].map { queue.enqueue(a, $0, now: .zero) }
    var order: [Int] = []

    for _ in ids {
      order += queue.admit(now: .zero)
      queue.release(a)
    }

    #expect(order == ids)
  }
}
