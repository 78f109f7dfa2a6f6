import Foundation
import Testing

@testable import Freshet

@Suite struct AdmissionQueueTests {
  private let a = URLOrigin(URL(string: "http://a.test").unsafelyUnwrapped).unsafelyUnwrapped
  private let b = URLOrigin(URL(string: "http://b.test").unsafelyUnwrapped).unsafelyUnwrapped

  private func queue(_ change: (inout RequestLimits) -> Void = { _ in }) -> AdmissionQueue {
    var limits = RequestLimits()
    limits.perHost = 1
    change(&limits)
    return AdmissionQueue(limits)
  }

  @Test func `first come, first served within a priority`() {
    var queue = queue()
    let ids = (0..<3).map { _ in queue.enqueue(a, .normal, now: .zero) }
    var order: [Int] = []

    for _ in ids {
      order += queue.admit(now: .zero)
      queue.release(a, now: .zero)
    }

    #expect(order == ids)
    #expect(queue.hostCount == 0)
  }

  @Test func `the higher priority first`() {
    var queue = queue {
      $0.total = 1
      $0.perHost = nil
    }
    let low = queue.enqueue(a, .low, now: .zero)
    let normal = queue.enqueue(b, .normal, now: .zero)
    let high = queue.enqueue(a, .high, now: .zero)

    let first = queue.admit(now: .zero)
    queue.release(a, now: .zero)
    let second = queue.admit(now: .zero)
    queue.release(b, now: .zero)

    #expect([first, second, queue.admit(now: .zero)] == [[high], [normal], [low]])
  }

  @Test func `keeps the bounds per host and in all`() {
    var queue = queue {
      $0.perHost = 2
      $0.total = 3
    }
    for _ in 0..<5 { _ = queue.enqueue(a, .normal, now: .zero) }
    for _ in 0..<5 { _ = queue.enqueue(b, .normal, now: .zero) }

    #expect(queue.admit(now: .zero) == [1, 2, 6])
    #expect(queue.admit(now: .zero) == [])
    queue.release(b, now: .zero)
    #expect(queue.admit(now: .zero) == [6 + 1])
    #expect(queue.runningCount == 3)
  }

  @Test func `who waits long rises above what comes new`() {
    var queue = queue { $0.ageing = .seconds(5) }
    let old = queue.enqueue(a, .low, now: .zero)
    let fresh = queue.enqueue(a, .high, now: .seconds(9))
    #expect(queue.admit(now: .seconds(9)) == [fresh])
    queue.release(a, now: .seconds(10))
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
      queue.release(a, now: .seconds(second))
    }

    #expect(admittedAt.map { $0 <= 10 } == true)
  }

  @Test func `priorities change in the queue and keep their age`() {
    var queue = queue()
    let first = queue.enqueue(a, .low, tags: ["x"], now: .zero)
    let second = queue.enqueue(a, .high, now: .zero)
    let third = queue.enqueue(a, .low, tags: ["y"], now: .zero)

    queue.setPriority(.high, tag: "x")
    queue.setPriority(.high, tag: "y")

    var order: [Int] = []
    for _ in 0..<3 {
      order += queue.admit(now: .zero)
      queue.release(a, now: .zero)
    }
    #expect(order == [first, second, third])
  }

  @Test func `the rate lets a burst begin and then one at a time`() {
    var queue = queue {
      $0.perHost = nil
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

  @Test func `a host that waits for its rate holds no other back`() {
    var queue = queue {
      $0.rate = .init(perSecond: 1)
      $0.perHost = nil
    }
    _ = queue.enqueue(a, .high, now: .zero)
    _ = queue.enqueue(a, .high, now: .zero)
    let other = queue.enqueue(b, .low, now: .zero)

    #expect(queue.admit(now: .zero) == [1, other])
  }

  @Test func `a request that is taken back leaves nothing`() {
    var queue = queue()
    let id = queue.enqueue(a, .normal, now: .zero)

    queue.withdraw(id, now: .zero)
    queue.withdraw(id, now: .zero)

    #expect(queue.admit(now: .zero) == [])
    #expect(queue.hostCount == 0)
    #expect(queue.waitingCount == 0)
  }
}
