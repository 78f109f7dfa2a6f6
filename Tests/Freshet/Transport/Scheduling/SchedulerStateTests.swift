import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite struct SchedulerStateTests {
  private static let hosts = ["http://a.example/", "http://b.example/", "https://a.example/"]
    .compactMap { URL(string: $0) }.map { HostKey($0) }

  private func limits(
    all: Int = .max,
    perHost: Int = .max,
    background: Int = .max
  ) -> RequestLimits {
    var limits = RequestLimits()
    limits.total = all
    limits.perHost = perHost
    limits.background = background
    return limits
  }

  private func state(
    _ limits: RequestLimits,
    _ waiting: [Request.Priority]
  )
    -> NumberedTurns
  {
    var state = NumberedTurns(limits)
    for (id, priority) in waiting.enumerated() {
      state.enqueue(id, host: Self.hosts[0], priority: priority, now: .zero)
    }
    return state
  }

  private func admitted(_ state: inout NumberedTurns, now: Duration = .zero) -> [Int] {
    var ids: [Int] = []
    while let id = state.admit(now: now) { ids.append(id) }
    return ids
  }

  @Test func `the highest priority goes first, and among equals the oldest`() {
    var state = state(limits(), [.low, .normal, .high, .normal, .high])

    let admitted1 = admitted(&state)
    #expect(admitted1 == [2, 4, 1, 3, 0])
  }

  @Test
  func `a request that waited for its patience runs beside as many of low priority as allowed`() {
    var state = state(limits(background: 2), [.low, .low, .low, .low, .normal])

    let first = admitted(&state)
    let early = admitted(&state, now: .milliseconds(1_999))
    let late = admitted(&state, now: .seconds(2))

    #expect(first == [4, 0, 1] && early.isEmpty && late == [2, 3])
  }

  @Test func `a request that waited for its patience ranks one priority higher`() {
    var state = state(limits(), [.low])
    state.enqueue(1, host: Self.hosts[0], priority: .normal, now: .seconds(2))
    state.enqueue(2, host: Self.hosts[0], priority: .high, now: .seconds(2))

    let admitted2 = admitted(&state, now: .seconds(2))
    #expect(admitted2 == [2, 0, 1])
  }

  @Test func `a request is not overtaken by one that came more than twice the patience later`() {
    var state = state(limits(all: 1), [.low])
    var clock = Duration.zero
    var order: [Int] = []
    var id = 1

    // High priority without end, each a tenth of a second of work.
    while !order.contains(0), clock < .seconds(60) {
      state.enqueue(id, host: Self.hosts[0], priority: .high, now: clock)
      id += 1
      if let admitted = state.admit(now: clock) {
        order.append(admitted)
        clock += .milliseconds(100)
        state.leave(admitted)
      }
    }

    #expect(order.contains(0))
    #expect(clock <= .milliseconds(4_100))
  }

  @Test func `a host's limit delays no other host`() {
    var state = NumberedTurns(limits(perHost: 2))
    for id in 0..<6 {
      state.enqueue(id, host: Self.hosts[id < 4 ? 0 : 1], priority: .normal, now: .zero)
    }

    let admitted3 = admitted(&state)
    #expect(admitted3 == [0, 1, 4, 5])
    state.leave(1)
    let admitted4 = admitted(&state)
    #expect(admitted4 == [2])
  }

  @Test func `the total limit applies`() {
    var state = state(limits(all: 3), [.high, .low, .normal, .normal])

    let admitted5 = admitted(&state)
    #expect(admitted5 == [0, 2, 3])
    state.leave(2)
    let admitted6 = admitted(&state)
    #expect(admitted6 == [1])
  }

  @Test func `low priority yields only while other requests wait`() {
    var alone = state(limits(background: 2), [.low, .low, .low])
    let admitted7 = admitted(&alone)
    #expect(admitted7.count == 3)

    var beside = state(limits(background: 2), [.low, .low, .low, .normal])
    let admitted8 = admitted(&beside)
    #expect(admitted8 == [3, 0, 1])
    beside.leave(3)
    let admitted9 = admitted(&beside)
    #expect(admitted9 == [2])
  }

  @Test func `low priority that waited for its patience does not yield`() {
    var state = state(limits(background: 1), [.low, .low, .high])

    let admitted10 = admitted(&state)
    #expect(admitted10 == [2, 0])
    let admitted11 = admitted(&state, now: .seconds(2))
    #expect(admitted11 == [1])
  }

  @Test func `nothing is admitted while it is paused`() {
    var state = state(limits(), [.normal])
    state.isPaused = true
    let admitted12 = admitted(&state)
    #expect(admitted12.isEmpty)
    let enters = state.enter(1, host: Self.hosts[0], priority: .normal, now: .zero)
    #expect(!enters)

    state.isPaused = false
    let admitted13 = admitted(&state)
    #expect(admitted13 == [0])
  }

  @Test func `a changed priority applies, and the age stays`() {
    var state = state(limits(), [.low, .normal, .high])
    state.reprioritize(0, to: .high)

    let admitted14 = admitted(&state)
    #expect(admitted14 == [0, 2, 1])
  }

  @Test func `a withdrawn request is not admitted`() {
    var state = state(limits(), [.normal, .normal])

    let withdrawn = [state.withdraw(0), state.withdraw(0)]
    #expect(withdrawn == [true, false])
    let admitted15 = admitted(&state)
    #expect(admitted15 == [1])
    #expect(state.waitingCount == 0 && state.runningCount == 1)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64], [3, 40])
  func `it admits the request that a search through all would`(seed: UInt64, hosts: Int) {
    var generator = SeededGenerator(seed: seed)
    let limits = limits(all: 5, perHost: 3, background: 1)
    let keys = (0..<hosts).compactMap { URL(string: "http://\($0).example/") }.map { HostKey($0) }
    var state = NumberedTurns(limits)
    var model = Model(limits: limits)
    var clock = Duration.zero

    for id in 0..<3_000 {
      clock += .milliseconds(Int.random(in: 0...400, using: &generator))
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<3:
        let host = Int.random(in: 0..<hosts, using: &generator)
        let priority = Request.Priority(rawValue: Int.random(in: 0..<3, using: &generator))
        state.enqueue(id, host: keys[host], priority: priority ?? .low, now: clock)
        model.waiting.append(.init(id: id, host: host, priority: priority ?? .low, since: clock))
      case 3:
        let id = model.waiting.randomElement(using: &generator)?.id ?? -1
        let isWithdrawn = state.withdraw(id)
        #expect(isWithdrawn == (id >= 0))
        model.waiting.removeAll { $0.id == id }
      case 4:
        guard let index = model.waiting.indices.randomElement(using: &generator) else { continue }
        let raw = Int.random(in: 0..<3, using: &generator)
        let priority = Request.Priority(rawValue: raw) ?? .high
        model.waiting[index].priority = priority
        state.reprioritize(model.waiting[index].id, to: priority)
      case 5, 6:
        guard let id = model.running.randomElement(using: &generator)?.id else { continue }
        state.leave(id)
        model.running.removeAll { $0.id == id }
      default:
        let perHost = Int.random(in: 1...4, using: &generator)
        let admitted = state.admit(now: clock, perHost: perHost)
        let expected = model.admit(now: clock, perHost: perHost)
        #expect(admitted == expected)
        guard admitted == nil else { break }
        let next = state.nextMoment(now: clock)
        #expect(next == model.nextMoment(now: clock))
      }
      #expect(state.waitingCount == model.waiting.count)
      #expect(state.runningCount == model.running.count)
    }
  }

  /// The rules of the scheduler, written as a search.
  private struct Model {
    struct Entrant {
      let id: Int
      let host: Int
      var priority: Request.Priority
      let since: Duration
    }

    let limits: RequestLimits
    var waiting: [Entrant] = []
    var running: [Entrant] = []

    mutating func admit(now: Duration, perHost: Int = .max) -> Int? {
      let allowed = waiting.filter { hasRoom($0.host, perHost) && mayRun($0, now) }
      let next = allowed.min { left, right in
        let (leftRank, rightRank) = (rank(left, now), rank(right, now))
        return leftRank == rightRank ? left.id < right.id : leftRank > rightRank
      }
      guard running.count < limits.total, let next else { return nil }
      waiting.removeAll { $0.id == next.id }
      running.append(next)
      return next.id
    }

    /// The time at which the oldest request of low priority has waited for the patience, if only that hinders it.
    func nextMoment(now: Duration) -> Duration? {
      guard !hasRoomForLow, running.count < limits.total else { return nil }
      return
        Dictionary(grouping: waiting.filter { $0.priority == .low && hasRoom($0.host) }, by: \.host)
        .values.compactMap { $0.first.map { $0.since + limits.patience } }
        .filter { $0 > now }.min()
    }

    private func hasRoom(_ host: Int, _ perHost: Int = .max) -> Bool {
      running.filter { $0.host == host }.count < min(perHost, limits.perHost)
    }

    private var hasRoomForLow: Bool {
      running.filter { $0.priority == .low }.count < limits.background
        || (running + waiting).allSatisfy { $0.priority == .low }
    }

    private func mayRun(_ entrant: Entrant, _ now: Duration) -> Bool {
      rank(entrant, now) > 0 || hasRoomForLow
    }

    private func rank(_ entrant: Entrant, _ now: Duration) -> Int {
      let raised = Int((now - entrant.since) / limits.patience)
      return min(entrant.priority.rawValue + raised, 2)
    }
  }
}
