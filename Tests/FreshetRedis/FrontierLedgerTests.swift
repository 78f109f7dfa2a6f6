#if Redis && !canImport(Darwin)
import Foundation
import Freshet
import Testing

@testable import FreshetRedis

/// The turns of one run of a frontier.
@Suite struct FrontierLedgerTests {
  private let start = ContinuousClock.now
  private let lease = Duration.seconds(60)

  private func answer(
    _ ids: [String] = [],
    attempts: Int = 0,
    hasEnded: Bool = false
  ) throws -> FrontierLedger.Answer {
    FrontierLedger.Answer(
      id: "frontier",
      hasEnded: hasEnded,
      place: "0-0",
      entries: try ids.map {
        let request = try Request("http://a.example/\($0)")
        return FrontierLedger.Entry(id: $0, attempts: attempts, request: request)
      }
    )
  }

  /// A ledger that has taken these, and handed out the first of them.
  private func ledger(_ ids: [String]) throws -> FrontierLedger {
    var ledger = FrontierLedger(lease: lease)
    _ = ledger.next()
    let turn = try ledger.due(at: start)
    ledger.answered(turn, try answer(ids), at: start)
    if !ids.isEmpty { ledger.answered(try ledger.due(at: start), try answer(), at: start) }
    _ = ledger.next()
    return ledger
  }

  @Test func `hands out an entry after the server has recorded its attempt`() throws {
    var ledger = FrontierLedger(lease: lease)
    _ = ledger.next()
    ledger.answered(try ledger.due(at: start), try answer(["1"], attempts: 2), at: start)
    #expect(ledger.nextRequest() == nil)

    let lost = try ledger.due(at: start)
    #expect(lost.begun.map(\.id) == ["1"] && lost.wanted == 0)
    ledger.failed(at: start)
    #expect(ledger.nextRequest() == nil)
    let turn = try ledger.due(at: start + .seconds(1))
    #expect(turn.begun.map(\.attempts) == [2])
    ledger.answered(turn, try answer(), at: start + .seconds(1))

    #expect(ledger.nextRequest()?.url.path == "/1")
    #expect(!ledger.isDue(at: start + .seconds(1)))
  }

  @Test func `gives back with the attempts that an entry had`() throws {
    var ledger = FrontierLedger(lease: lease)
    _ = ledger.next()
    ledger.answered(try ledger.due(at: start), try answer(["1"], attempts: 2), at: start)
    var begun = ledger
    begun.answered(try begun.due(at: start), try answer(), at: start)
    _ = begun.next()

    ledger.finish()
    begun.finish()

    #expect(try ledger.due(at: start).reports == [.back("1", attempts: 2)])
    #expect(try ledger.due(at: start).begun.isEmpty)
    #expect(try begun.due(at: start).reports == [.back("1", attempts: 2)])
  }

  @Test func `reports a damaged entry as failed after its attempt has begun`() throws {
    var ledger = FrontierLedger(lease: lease)
    _ = ledger.next()
    let damaged = FrontierLedger.Entry(id: "1", attempts: 0, request: nil)
    let answer = FrontierLedger.Answer(
      id: "frontier",
      hasEnded: false,
      place: "0-0",
      entries: [damaged]
    )
    ledger.answered(try ledger.due(at: start), answer, at: start)
    let turn = try ledger.due(at: start)
    #expect(turn.begun.map(\.id) == ["1"] && turn.reports.isEmpty)
    ledger.answered(turn, try self.answer(), at: start)

    #expect(try ledger.due(at: start).reports.count == 1)
    #expect(ledger.nextRequest() == nil)
  }

  @Test func `takes nothing over before it has been in touch with the server for a lease`() throws {
    var ledger = FrontierLedger(lease: lease)
    _ = ledger.next()
    for seconds in stride(from: 0, to: 60, by: 10) {
      let turn = try ledger.due(at: start + .seconds(seconds))
      #expect(!turn.takesOver)
      ledger.answered(turn, try answer(), at: start + .seconds(seconds))
    }
    #expect(try ledger.due(at: start + .seconds(60)).takesOver == true)
    #expect(try ledger.due(at: start + .seconds(120)).takesOver == false)

    ledger.failed(at: start + .seconds(60))

    let turn = try ledger.due(at: start + .seconds(61))
    #expect(!turn.takesOver)
    ledger.answered(turn, try answer(), at: start + .seconds(61))
    #expect(try ledger.due(at: start + .seconds(62)).takesOver == false)
  }

  @Test func `renews the lease of all it has three times as often`() throws {
    var ledger = try ledger(["1", "2"])

    #expect(!ledger.isDue(at: start + .seconds(19)))
    let turn = try ledger.due(at: start + .seconds(20))
    #expect(Set(turn.held) == ["1", "2"])
    #expect(turn.wanted == 0)
    ledger.answered(turn, try answer(), at: start + .seconds(20))
    #expect(!ledger.isDue(at: start + .seconds(39)))
    #expect(ledger.isDue(at: start + .seconds(40)))
  }

  @Test func `reports an end until the server has confirmed it`() throws {
    var ledger = try ledger(["1"])
    ledger.ended(0, nil)
    let first = try ledger.due(at: start)
    #expect(first.reports == [.done("1")])
    ledger.failed(at: start)

    #expect(!ledger.isDue(at: start))
    let second = try ledger.due(at: start + .seconds(1))
    #expect(second.reports == [.done("1")])
    ledger.answered(second, try answer(), at: start + .seconds(1))

    #expect(!ledger.isDue(at: start + .seconds(1)))
  }

  @Test func `gives back what has not ended, and what arrives afterwards`() throws {
    var ledger = try ledger(["1", "2"])
    _ = ledger.next()
    _ = ledger.next()
    ledger.ended(0, nil)
    let late = try ledger.due(at: start)
    ledger.finish()
    ledger.answered(late, try answer(["3"]), at: start)

    let turn = try ledger.due(at: start)
    #expect(turn.reports == [.back("2", attempts: 0), .back("3", attempts: 0)])
    #expect(turn.wanted == 0)
    ledger.answered(turn, try answer(), at: start)
    #expect(ledger.isOver)
  }

  @Test func `leaves with its last reports, until the server has confirmed it`() throws {
    var ledger = try ledger((0..<600).map { "\($0)" })
    ledger.finish()
    let first = try ledger.due(at: start)
    #expect(first.reports.count == FrontierLedger.most && !first.leaves)
    ledger.answered(first, try answer(), at: start)

    let second = try ledger.due(at: start)
    #expect(second.reports.count == 100 && second.leaves)
    ledger.failed(at: start)
    #expect(!ledger.isOver)
    let third = try ledger.due(at: start + .seconds(1))
    #expect(third.reports == second.reports && third.leaves)
    ledger.answered(third, try answer(), at: start + .seconds(1))
    #expect(ledger.isOver)
  }

  @Test func `leaves with nothing to report, unless it was never in touch with the server`()
    throws
  {
    var waiting = try ledger([])
    #expect(try waiting.due(at: start + .seconds(1)).leaves == false)
    waiting.finish()
    let turn = try waiting.due(at: start + .seconds(1))
    #expect(turn.leaves && turn.reports.isEmpty && turn.wanted == 0)
    waiting.answered(turn, try answer(), at: start + .seconds(1))
    #expect(waiting.isOver)

    var unknown = FrontierLedger(lease: lease)
    _ = unknown.next()
    unknown.finish()
    #expect(unknown.isOver)
  }

  @Test func `gives up giving back when the server does not answer`() throws {
    var ledger = try ledger(["1"])
    ledger.finish()
    for _ in 0..<FrontierLedger.farewells {
      #expect(!ledger.isOver)
      ledger.failed(at: start)
    }
    #expect(ledger.isOver)
  }

  @Test func `looks into an empty queue less and less often`() throws {
    var ledger = FrontierLedger(lease: lease)
    _ = ledger.next()
    var (now, looks) = (start, 0)
    while now < start + .seconds(10) {
      if let turn = ledger.turn(at: now) {
        looks += 1
        ledger.answered(turn, try answer(), at: now)
      }
      now += .milliseconds(10)
    }
    #expect(looks > 15 && looks < 30)
  }
}

extension FrontierLedger {
  fileprivate mutating func nextRequest() -> Request? {
    if case .success(let request) = next() { request } else { nil }
  }

  fileprivate func due(at now: ContinuousClock.Instant) throws -> Turn {
    try #require(turn(at: now))
  }

  fileprivate func isDue(at now: ContinuousClock.Instant) -> Bool {
    turn(at: now) != nil
  }
}
#endif
