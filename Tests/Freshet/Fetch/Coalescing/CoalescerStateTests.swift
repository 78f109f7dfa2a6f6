import FreshetTesting
import Testing

@testable import Freshet

/// Two keys share a part.
extension Int: CoalescerKey {
  var hash: Int { self }
  var part: Int { self / 2 }
}

@Suite struct CoalescerStateTests {
  private typealias State = CoalescerState<Int, String>

  private func ticket(_ outcome: State.Outcome) -> State.Ticket? {
    switch outcome {
    case .leads(_, let ticket), .joins(_, let ticket, _): ticket
    case .completedMeanwhile, .leaving: nil
    }
  }

  @Test func `the first subscriber leads, the others join, with the highest priority`() throws {
    var state = State()

    let first = state.subscribe(to: 1, priority: .low, epoch: nil) { "a" }
    let second = state.subscribe(to: 1, priority: .high, epoch: nil) { "b" }
    let other = state.subscribe(to: 2, priority: .low, epoch: nil) { "c" }

    guard case .leads("a", _) = first, case .joins("a", let ticket, highest: .high) = second,
      case .leads("c", _) = other
    else { throw FreshetError.noValue }
    guard case .others("a", highest: .low) = state.leave(ticket) else {
      throw FreshetError.noValue
    }
    #expect(state.count == 2)
  }

  @Test func `the last subscriber ends the shared fetch, and leaving twice does nothing`() throws {
    var state = State()
    let first = try #require(ticket(state.subscribe(to: 1, priority: .low, epoch: nil) { "a" }))
    let second = try #require(ticket(state.subscribe(to: 1, priority: .low, epoch: nil) { "b" }))

    guard case .others = state.leave(first), case .none = state.leave(first),
      case .last("a") = state.leave(second), case .none = state.leave(second)
    else { throw FreshetError.noValue }
    #expect(state.count == 0)
  }

  @Test func `a subscriber after a cancelled fetch gets a new one, which the old cannot complete`()
    throws
  {
    var state = State()
    let old = try #require(ticket(state.subscribe(to: 1, priority: .low, epoch: nil) { "a" }))
    _ = state.leave(old)
    let outcome = state.subscribe(to: 1, priority: .low, epoch: nil) { "b" }

    state.complete(old)

    guard case .leads("b", _) = outcome else { throw FreshetError.noValue }
    #expect(state.count == 1)
    #expect(state.epoch == 0)
  }

  @Test(arguments: [2, 3])
  func `returns a cancelled fetch until it ends, to all that need its partial body`(
    key: Int
  ) throws {
    var state = State()
    let old = try #require(ticket(state.subscribe(to: 2, priority: .low, epoch: nil) { "a" }))
    _ = state.leave(old)

    guard
      case .leaving("a", let left) = state.subscribe(
        to: key,
        priority: .low,
        epoch: 0,
        make: { "b" }
      ),
      case .leads("c", _) = state.subscribe(to: 4, priority: .low, epoch: 0, make: { "c" })
    else { throw FreshetError.noValue }
    #expect(state.count == 1)

    state.complete(left)
    guard case .leads("d", _) = state.subscribe(to: key, priority: .low, epoch: 0, make: { "d" })
    else {
      throw FreshetError.noValue
    }
    state.complete(old)
    #expect(state.count == 2 && state.epoch == 0)
  }

  @Test func `a subscriber that does not ask does not wait`() throws {
    var state = State()
    let first = try #require(ticket(state.subscribe(to: 1, priority: .low, epoch: nil) { "a" }))
    _ = state.leave(first)

    guard case .leads("b", _) = state.subscribe(to: 1, priority: .low, epoch: nil, make: { "b" })
    else {
      throw FreshetError.noValue
    }
  }

  @Test func `returns a detached fetch that was left, too`() throws {
    var state = State()
    let old = try #require(ticket(state.subscribe(to: 1, priority: .low, epoch: nil) { "a" }))
    state.detach { $0 == 1 }
    _ = state.leave(old)

    guard case .leaving("a", _) = state.subscribe(to: 1, priority: .low, epoch: 0, make: { "b" })
    else {
      throw FreshetError.noValue
    }
  }

  @Test func `a detached fetch accepts no subscribers, and keeps its own until it ends`()
    throws
  {
    var state = State()
    let first = try #require(ticket(state.subscribe(to: 1, priority: .low, epoch: nil) { "a" }))
    let second = try #require(ticket(state.subscribe(to: 1, priority: .high, epoch: nil) { "a" }))
    let other = try #require(ticket(state.subscribe(to: 2, priority: .low, epoch: nil) { "b" }))
    state.detach { $0 == 1 || $0 == 2 }
    state.complete(other)

    let third = state.subscribe(to: 1, priority: .low, epoch: 0) { "c" }

    guard case .leads("c", let last) = third,
      case .others("a", highest: .low) = state.leave(second),
      case .none = state.leave(second)
    else { throw FreshetError.noValue }
    #expect(state.count == 2 && state.subscriberCount == 2)
    guard case .last("a") = state.leave(first), case .none = state.leave(first) else {
      throw FreshetError.noValue
    }
    state.complete(first)
    #expect(state.count == 1 && state.epoch == 0)
    state.complete(last)
    #expect(state.count == 0 && state.epoch == 1)
  }

  @Test func `reports a completion since the lookups`() throws {
    var state = State(places: 4)
    func run(_ key: Int) throws {
      state.complete(
        try #require(ticket(state.subscribe(to: key, priority: .low, epoch: nil) { "" }))
      )
    }
    try run(1)
    let since = state.epoch
    guard case .leads = state.subscribe(to: 1, priority: .low, epoch: since, make: { "" }) else {
      throw FreshetError.noValue
    }
    try run(2)
    guard
      case .completedMeanwhile = state.subscribe(to: 2, priority: .low, epoch: since, make: { "" }),
      case .leads = state.subscribe(to: 3, priority: .low, epoch: since, make: { "" })
    else { throw FreshetError.noValue }

    // A key that shares a place with one that has completed may have completed.
    guard
      case .completedMeanwhile = state.subscribe(to: 6, priority: .low, epoch: since, make: { "" })
    else {
      throw FreshetError.noValue
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `it agrees with a dictionary of sets for any operations`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var state = State()
    var model: [Int: [Int: Request.Priority]] = [:]
    var tickets: [(key: Int, ticket: State.Ticket)] = []

    for step in 0..<4_000 {
      let key = Int.random(in: 0..<5, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        let priority: Request.Priority = [.low, .normal, .high][step % 3]
        let outcome = state.subscribe(to: key, priority: priority, epoch: nil) { "\(step)" }
        let ticket = try #require(self.ticket(outcome))
        if case .leads = outcome { #expect(model[key] == nil) } else { #expect(model[key] != nil) }
        model[key, default: [:]][ticket.subscriber] = priority
        if case .joins(_, _, let highest) = outcome {
          #expect(highest == model[key]?.values.max())
        }
        tickets.append((key, ticket))
      case 5..<9 where !tickets.isEmpty:
        let index = Int.random(in: 0..<tickets.count, using: &generator)
        let (key, ticket) = tickets.remove(at: index)
        model[key]?[ticket.subscriber] = nil
        let isLast = model[key]?.isEmpty == true
        switch state.leave(ticket) {
        case .last: #expect(isLast)
        case .others(_, let highest): #expect(highest == model[key]?.values.max())
        case .none: Issue.record("a subscriber was not there")
        }
        if isLast { model[key] = nil }
      default:
        guard let ticket = tickets.last(where: { $0.key == key })?.ticket else { continue }
        state.complete(ticket)
        model[key] = nil
        tickets.removeAll { $0.key == key }
      }
      #expect(state.count == model.count)
      #expect(state.subscriberCount == tickets.count)
    }
  }
}
