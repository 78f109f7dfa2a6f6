import FreshetTesting
import Testing

@testable import Freshet

/// Two keys share a part.
extension Int: FlightsKey {
  var hash: Int { self }
  var part: Int { self / 2 }
}

@Suite struct FlightsStateTests {
  private typealias State = FlightsState<Int, String>

  private func ticket(_ boarding: State.Boarding) -> State.Ticket? {
    switch boarding {
    case .leads(_, let ticket), .joins(_, let ticket, _): ticket
    case .landedMeanwhile, .leaving: nil
    }
  }

  @Test func `the first leads, the others join, with the highest priority of all`() throws {
    var state = State()

    let first = state.board(1, priority: .low, since: nil) { "a" }
    let second = state.board(1, priority: .high, since: nil) { "b" }
    let other = state.board(2, priority: .low, since: nil) { "c" }

    guard case .leads("a", _) = first, case .joins("a", let ticket, highest: .high) = second,
      case .leads("c", _) = other
    else { throw FreshetError.noValue }
    guard case .others("a", highest: .low) = state.leave(ticket) else {
      throw FreshetError.noValue
    }
    #expect(state.count == 2)
  }

  @Test func `the last who leaves ends the flight, and leaving twice does nothing`() throws {
    var state = State()
    let first = try #require(ticket(state.board(1, priority: .low, since: nil) { "a" }))
    let second = try #require(ticket(state.board(1, priority: .low, since: nil) { "b" }))

    guard case .others = state.leave(first), case .none = state.leave(first),
      case .last("a") = state.leave(second), case .none = state.leave(second)
    else { throw FreshetError.noValue }
    #expect(state.count == 0)
  }

  @Test func `who comes after a cancelled flight gets a new one, which the old cannot land`() throws
  {
    var state = State()
    let old = try #require(ticket(state.board(1, priority: .low, since: nil) { "a" }))
    _ = state.leave(old)
    let boarding = state.board(1, priority: .low, since: nil) { "b" }

    state.land(old)

    guard case .leads("b", _) = boarding else { throw FreshetError.noValue }
    #expect(state.count == 1)
    #expect(state.landingCount == 0)
  }

  @Test(arguments: [2, 3])
  func `a cancelled flight is told of until it has ended, to all who want its part`(
    key: Int
  ) throws {
    var state = State()
    let old = try #require(ticket(state.board(2, priority: .low, since: nil) { "a" }))
    _ = state.leave(old)

    guard case .leaving("a", let left) = state.board(key, priority: .low, since: 0, make: { "b" }),
      case .leads("c", _) = state.board(4, priority: .low, since: 0, make: { "c" })
    else { throw FreshetError.noValue }
    #expect(state.count == 1)

    state.land(left)
    guard case .leads("d", _) = state.board(key, priority: .low, since: 0, make: { "d" }) else {
      throw FreshetError.noValue
    }
    state.land(old)
    #expect(state.count == 2 && state.landingCount == 0)
  }

  @Test
  func
    `who does not ask does not wait for a cancelled flight, nor does anybody for one that is done`()
    throws
  {
    var state = State()
    let first = try #require(ticket(state.board(1, priority: .low, since: nil) { "a" }))
    _ = state.leave(first)
    let second = try #require(ticket(state.board(1, priority: .low, since: nil) { "b" }))
    state.land(first)
    _ = state.leave(second, isDone: true)

    guard case .leads("c", _) = state.board(1, priority: .low, since: 0, make: { "c" }) else {
      throw FreshetError.noValue
    }
  }

  @Test func `a detached flight that is left is told of, too`() throws {
    var state = State()
    let old = try #require(ticket(state.board(1, priority: .low, since: nil) { "a" }))
    state.detach { $0 == 1 }
    _ = state.leave(old)

    guard case .leaving("a", _) = state.board(1, priority: .low, since: 0, make: { "b" }) else {
      throw FreshetError.noValue
    }
  }

  @Test func `nobody joins a detached flight, and who sits in it stays until it ends`() throws {
    var state = State()
    let first = try #require(ticket(state.board(1, priority: .low, since: nil) { "a" }))
    let second = try #require(ticket(state.board(1, priority: .high, since: nil) { "a" }))
    let other = try #require(ticket(state.board(2, priority: .low, since: nil) { "b" }))
    state.detach { $0 == 1 || $0 == 2 }
    state.land(other)

    let third = state.board(1, priority: .low, since: 0) { "c" }

    guard case .leads("c", let last) = third,
      case .others("a", highest: .low) = state.leave(second),
      case .none = state.leave(second)
    else { throw FreshetError.noValue }
    #expect(state.count == 2 && state.subscriberCount == 2)
    guard case .last("a") = state.leave(first), case .none = state.leave(first) else {
      throw FreshetError.noValue
    }
    state.land(first)
    #expect(state.count == 1 && state.landingCount == 0)
    state.land(last)
    #expect(state.count == 0 && state.landingCount == 1)
  }

  @Test func `a landing since the lookups is told`() throws {
    var state = State(places: 4)
    func fly(_ key: Int) throws {
      state.land(try #require(ticket(state.board(key, priority: .low, since: nil) { "" })))
    }
    try fly(1)
    let since = state.landingCount
    guard case .leads = state.board(1, priority: .low, since: since, make: { "" }) else {
      throw FreshetError.noValue
    }
    try fly(2)
    guard case .landedMeanwhile = state.board(2, priority: .low, since: since, make: { "" }),
      case .leads = state.board(3, priority: .low, since: since, make: { "" })
    else { throw FreshetError.noValue }

    // What shares a place with one that has landed may have.
    guard case .landedMeanwhile = state.board(6, priority: .low, since: since, make: { "" }) else {
      throw FreshetError.noValue
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `it agrees with a dictionary of sets, whatever happens`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var state = State()
    var model: [Int: [Int: Request.Priority]] = [:]
    var tickets: [(key: Int, ticket: State.Ticket)] = []

    for step in 0..<4_000 {
      let key = Int.random(in: 0..<5, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        let priority: Request.Priority = [.low, .normal, .high][step % 3]
        let boarding = state.board(key, priority: priority, since: nil) { "\(step)" }
        let ticket = try #require(self.ticket(boarding))
        if case .leads = boarding { #expect(model[key] == nil) } else { #expect(model[key] != nil) }
        model[key, default: [:]][ticket.subscriber] = priority
        if case .joins(_, _, let highest) = boarding {
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
        state.land(ticket)
        model[key] = nil
        tickets.removeAll { $0.key == key }
      }
      #expect(state.count == model.count)
      #expect(state.subscriberCount == tickets.count)
    }
  }
}
