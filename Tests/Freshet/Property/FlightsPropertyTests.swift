import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// The registry of what is on its way, against a dictionary and a list of landings.
@Suite struct FlightsPropertyTests {
  private enum Operation: Sendable {
    case board(key: Int, priority: Int, since: Int?)
    case leave(Int, isDone: Bool)
    case land(Int)

    static func random(_ generator: inout SeededGenerator) -> Operation {
      let place = Int.random(in: 0..<12, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        let back = Int.random(in: 0..<12, using: &generator)
        let priority = Int.random(in: 0..<3, using: &generator)
        return .board(key: place % 4, priority: priority, since: back > 9 ? nil : back)
      case 5..<8: return .leave(place, isDone: Bool.random(using: &generator))
      default: return .land(place)
      }
    }
  }

  private struct Model {
    typealias State = FlightsState<Int, Int>

    var state = State(places: 3)
    var flights: [Int: (flight: Int, seats: [Int: Request.Priority])] = [:]
    var tickets: [(ticket: State.Ticket, isSeated: Bool)] = []
    var landings: [(key: Int, count: Int)] = []
    /// What was cancelled and has not ended, by its part.
    var leaving: [Int: [(id: Int, flight: Int)]] = [:]
    var made = 0

    static let priorities: [Request.Priority] = [.low, .normal, .high]

    mutating func apply(_ operation: Operation) -> String? {
      switch operation {
      case .board(let key, let priority, let back):
        return board(
          key,
          Self.priorities[priority],
          since: back.map { max(0, landings.count - $0) }
        )
      case .leave(let place, let isDone):
        guard !tickets.isEmpty else { return nil }
        return leave(place % tickets.count, isDone: isDone)
      case .land(let place):
        guard !tickets.isEmpty else { return nil }
        return land(tickets[place % tickets.count].ticket)
      }
    }

    mutating func board(_ key: Int, _ priority: Request.Priority, since: Int?) -> String? {
      let known = flights[key]
      let next = made + 1
      switch state.board(key, priority: priority, since: since, make: { next }) {
      case .leads(let flight, let ticket):
        made = next
        if known != nil { return "two flights of one key" }
        if let since, landings.contains(where: { $0.key == key && $0.count > since }) {
          return "a landing was overlooked"
        }
        if since != nil, leaving[key.part]?.isEmpty == false { return "it did not wait" }
        flights[key] = (flight, [ticket.subscriber: priority])
        tickets.append((ticket, true))
      case .joins(let flight, let ticket, let highest):
        guard known?.flight == flight else { return "a seat in another flight" }
        flights[key]?.seats[ticket.subscriber] = priority
        if highest != flights[key]?.seats.values.max() { return "another urgency" }
        tickets.append((ticket, true))
      case .landedMeanwhile:
        if known != nil { return "a flight was overlooked" }
        if since.map({ $0 >= landings.count }) ?? true { return "nothing has landed since" }
      case .leaving(let flight, let ticket):
        if known != nil { return "it waits although it could join" }
        if since == nil { return "it waits although it did not ask" }
        guard let first = leaving[key.part]?.first, first == (ticket.flight, flight) else {
          return "it waits for another flight"
        }
      }
      return nil
    }

    mutating func leave(_ place: Int, isDone: Bool) -> String? {
      let ticket = tickets[place].ticket
      let seat = flights[ticket.key]?.seats[ticket.subscriber]
      switch state.leave(ticket, isDone: isDone) {
      case .none:
        return seat == nil ? nil : "who sat there could not leave"
      case .last(let flight):
        guard seat != nil, flights[ticket.key]?.seats.count == 1 else { return "not the last one" }
        if flights[ticket.key]?.flight != flight { return "another flight was cancelled" }
        flights[ticket.key] = nil
        if !isDone { leaving[ticket.key.part, default: []].append((ticket.flight, flight)) }
      case .others(let flight, let highest):
        flights[ticket.key]?.seats[ticket.subscriber] = nil
        guard seat != nil, let left = flights[ticket.key], !left.seats.isEmpty else {
          return "nobody is left"
        }
        if left.flight != flight || left.seats.values.max() != highest { return "another urgency" }
      }
      return nil
    }

    mutating func land(_ ticket: State.Ticket) -> String? {
      let isThere = flights[ticket.key]?.seats[ticket.subscriber] != nil
      let before = state.landingCount
      state.land(ticket)
      leaving[ticket.key.part]?.removeAll { $0.id == ticket.flight }
      guard state.landingCount > before else {
        return isThere ? "a flight did not land" : nil
      }
      flights[ticket.key] = nil
      landings.append((ticket.key, state.landingCount))
      return landings.count == state.landingCount ? nil : "landings were miscounted"
    }

    var problem: String? {
      if state.count != flights.count { return "\(state.count) flights, not \(flights.count)" }
      let seats = flights.values.reduce(0) { $0 + $1.seats.count }
      return state.subscriberCount == seats ? nil : "\(state.subscriberCount) seats, not \(seats)"
    }
  }

  @Test func `flights are boarded, left and landed as a dictionary says`() async {
    let property = Property(runs: 300, length: 60, operation: Operation.random) { operations in
      var model = Model()
      for operation in operations {
        if let problem = model.apply(operation) ?? model.problem { return problem }
      }
      return nil
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }
}
