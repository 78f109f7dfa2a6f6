import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// The registry of shared fetches, against a dictionary and a list of completions.
@Suite struct CoalescerPropertyTests {
  private enum Operation: Sendable {
    case subscribe(key: Int, priority: Int, since: Int?)
    case leave(Int)
    case complete(Int)

    static func random(_ generator: inout SeededGenerator) -> Operation {
      let place = Int.random(in: 0..<12, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        let back = Int.random(in: 0..<12, using: &generator)
        let priority = Int.random(in: 0..<3, using: &generator)
        return .subscribe(key: place % 4, priority: priority, since: back > 9 ? nil : back)
      case 5..<8: return .leave(place)
      default: return .complete(place)
      }
    }
  }

  private struct Model {
    typealias State = CoalescerState<Int, Int>

    var state = State(places: 3)
    var fetches: [Int: (fetch: Int, subscribers: [Int: Request.Priority])] = [:]
    var tickets: [(ticket: State.Ticket, isSubscribed: Bool)] = []
    var completions: [(key: Int, count: Int)] = []
    /// What was cancelled and has not ended, by its part.
    var leaving: [Int: [(id: Int, fetch: Int)]] = [:]
    var made = 0

    static let priorities: [Request.Priority] = [.low, .normal, .high]

    mutating func apply(_ operation: Operation) -> String? {
      switch operation {
      case .subscribe(let key, let priority, let back):
        return subscribe(
          key,
          Self.priorities[priority],
          since: back.map { max(0, completions.count - $0) }
        )
      case .leave(let place):
        guard !tickets.isEmpty else { return nil }
        return leave(place % tickets.count)
      case .complete(let place):
        guard !tickets.isEmpty else { return nil }
        return complete(tickets[place % tickets.count].ticket)
      }
    }

    mutating func subscribe(_ key: Int, _ priority: Request.Priority, since: Int?) -> String? {
      let known = fetches[key]
      let next = made + 1
      switch state.subscribe(to: key, priority: priority, epoch: since, make: { next }) {
      case .leads(let fetch, let ticket):
        made = next
        if known != nil { return "two fetches of one key" }
        if let since, completions.contains(where: { $0.key == key && $0.count > since }) {
          return "a completion was overlooked"
        }
        if since != nil, leaving[key.part]?.isEmpty == false { return "it did not wait" }
        fetches[key] = (fetch, [ticket.subscriber: priority])
        tickets.append((ticket, true))
      case .joins(let fetch, let ticket, let highest):
        guard known?.fetch == fetch else { return "a subscription to another fetch" }
        fetches[key]?.subscribers[ticket.subscriber] = priority
        if highest != fetches[key]?.subscribers.values.max() { return "another urgency" }
        tickets.append((ticket, true))
      case .completedMeanwhile:
        if known != nil { return "a fetch was overlooked" }
        if since.map({ $0 >= completions.count }) ?? true { return "nothing has completed since" }
      case .leaving(let fetch, let ticket):
        if known != nil { return "it waits although it could join" }
        if since == nil { return "it waits although it did not ask" }
        guard let first = leaving[key.part]?.first, first == (ticket.fetch, fetch) else {
          return "it waits for another fetch"
        }
      }
      return nil
    }

    mutating func leave(_ place: Int) -> String? {
      let ticket = tickets[place].ticket
      let priority = fetches[ticket.key]?.subscribers[ticket.subscriber]
      switch state.leave(ticket) {
      case .none:
        return priority == nil ? nil : "a subscriber could not leave"
      case .last(let fetch):
        guard priority != nil, fetches[ticket.key]?.subscribers.count == 1 else {
          return "not the last one"
        }
        if fetches[ticket.key]?.fetch != fetch { return "another fetch was cancelled" }
        fetches[ticket.key] = nil
        leaving[ticket.key.part, default: []].append((ticket.fetch, fetch))
      case .others(let fetch, let highest):
        fetches[ticket.key]?.subscribers[ticket.subscriber] = nil
        guard priority != nil, let left = fetches[ticket.key], !left.subscribers.isEmpty else {
          return "nobody is left"
        }
        if left.fetch != fetch || left.subscribers.values.max() != highest {
          return "another urgency"
        }
      }
      return nil
    }

    mutating func complete(_ ticket: State.Ticket) -> String? {
      let isThere = fetches[ticket.key]?.subscribers[ticket.subscriber] != nil
      let before = state.epoch
      state.complete(ticket)
      leaving[ticket.key.part]?.removeAll { $0.id == ticket.fetch }
      guard state.epoch > before else {
        return isThere ? "a fetch did not land" : nil
      }
      fetches[ticket.key] = nil
      completions.append((ticket.key, state.epoch))
      return completions.count == state.epoch ? nil : "completions were miscounted"
    }

    var problem: String? {
      if state.count != fetches.count { return "\(state.count) fetches, not \(fetches.count)" }
      let subscribers = fetches.values.reduce(0) { $0 + $1.subscribers.count }
      return state.subscriberCount == subscribers
        ? nil : "\(state.subscriberCount) subscribers, not \(subscribers)"
    }
  }

  @Test func `subscriptions begin and end as in a dictionary`() async {
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
