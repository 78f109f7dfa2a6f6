import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import FreshetModels

/// Live values that are fetched again by themselves.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RefetchTests {
  private typealias Live = LiveSequence<[Person], FreshetError>

  let store = ModelStore.inMemory()
  let people = ModelQuery(Person.self)
  let clock = VirtualClock()

  /// Brings a person with the number of the fetch, once a gate lets it.
  private final class Fetches: AsyncSequence, Sendable {
    typealias Element = Event<Response<[Person]>>
    typealias Failure = FreshetError

    let gate: Gate
    private let state = Mutex(0)

    init(gate: Gate) {
      self.gate = gate
    }

    var count: Int { state.withLock { $0 } }

    func makeAsyncIterator() -> ResponseScript<[Person]>.Iterator {
      let number = state.withLock { count in
        count += 1
        return count
      }
      let script = ResponseScript(.gate(gate), .body([Person.sample(1, followers: number)]))
      return script.makeAsyncIterator()
    }
  }

  private let open: Gate = {
    let gate = Gate()
    gate.open()
    return gate
  }()

  /// Reads on to a fresh value of a fetch.
  private func fresh(_ values: inout Live.Iterator, _ number: Int) async throws {
    try await values.reach { $0.state == .fresh && $0.value.first?.followers == number }
  }

  @Test func `it is fetched every interval`() async throws {
    let fetches = Fetches(gate: open)
    let live = store.live(people, by: fetches).refetched(on: .every(.seconds(60), clock: clock))
    var values = live.makeAsyncIterator()
    try await fresh(&values, 1)

    for number in 2...4 {
      #expect(await clock.sleepers(count: 1))
      clock.advance(by: .seconds(60))
      try await fresh(&values, number)
    }
  }

  @Test func `it is fetched at a signal, and when the network is back`() async throws {
    let fetches = Fetches(gate: open)
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let (states, state) = AsyncStream.makeStream(of: Bool.self)
    let live = store.live(people, by: fetches)
      .refetched(on: .signal(signals), .online(states))
    var values = live.makeAsyncIterator()
    try await fresh(&values, 1)

    signal.yield()
    try await fresh(&values, 2)
    state.yield(true)
    state.yield(false)
    state.yield(true)
    try await fresh(&values, 3)
    #expect(fetches.count == 3)
  }

  @Test func `the network is back when it was away`() async throws {
    // The same from either end.
    let rest = Mutex([true, true, false, false, true, true])
    let fired = Mutex(0)
    let hasEnded = Gate()
    let states = AsyncStream<Bool>(unfolding: {
      let next = rest.withLock { $0.popLast() }
      if next == nil { hasEnded.open() }
      return next
    })
    let end = RefetchTrigger.online(states).follow(store) { fired.withLock { $0 += 1 } }

    try await hasEnded.enter()

    #expect(fired.withLock(\.self) == 1)
    end()
  }

  @Test func `it is fetched when a tag is invalid`() async throws {
    let fetches = Fetches(gate: open)
    let live = store.live(people, by: fetches).refetched(on: .tag("people"))
    var values = live.makeAsyncIterator()
    try await fresh(&values, 1)

    store.invalidate(tag: "people")

    try await fresh(&values, 2)
    #expect(fetches.count == 2)
  }

  @Test func `triggers of an earlier call stay`() async throws {
    let live = store.live(people, by: Fetches(gate: open))
      .refetched(on: .tag("people"))
      .refetched(on: .tag("springs"))
    var values = live.makeAsyncIterator()
    try await fresh(&values, 1)

    store.invalidate(tag: "people")
    try await fresh(&values, 2)
    store.invalidate(tag: "springs")
    try await fresh(&values, 3)
  }

  @Test func `an interval may be longer than any clock can wait`() async {
    let clock = VirtualClock()
    clock.advance(by: .seconds(1))
    let end = RefetchTrigger.every(.seconds(Int64.max), clock: clock).follow(store) {}

    #expect(await clock.sleepers(count: 1))
    end()
  }

  @Test func `another tag does not count, nor does one in another Unicode spelling`() {
    let fired = Mutex(0)
    let end = RefetchTrigger.tag("\u{E9}").follow(store) { fired.withLock { $0 += 1 } }

    store.invalidate(tag: "springs")
    store.invalidate(tag: "e\u{301}")
    #expect(fired.withLock(\.self) == 0)
    store.invalidate(tag: "\u{E9}")
    #expect(fired.withLock(\.self) == 1)
    end()
  }

  @Test func `a tag that is invalid during a fetch has one more`() async throws {
    let gate = Gate()
    let fetches = Fetches(gate: gate)
    let live = store.live(people, by: fetches).refetched(on: .tag("people"))
    var values = live.makeAsyncIterator()
    #expect(try await values.next()?.state == .refreshing)
    await gate.waiting()

    store.invalidate(tag: "people")
    store.invalidate(tag: "people")
    gate.open()

    try await fresh(&values, 2)
    #expect(fetches.count == 2)
  }

  @Test func `all who watch share a fetch`() async throws {
    let fetches = Fetches(gate: open)
    let live = store.live(people, by: fetches).refetched(on: .every(.seconds(60), clock: clock))
    var (one, other) = (live.makeAsyncIterator(), live.makeAsyncIterator())
    try await fresh(&one, 1)
    // It has a policy of its own, and asks as it begins.
    try await fresh(&other, 2)
    #expect(await clock.sleepers(count: 1))
    #expect(clock.sleeperCount == 1)

    clock.advance(by: .seconds(60))

    try await fresh(&one, 3)
    try await fresh(&other, 3)
    #expect(fetches.count == 3)
  }

  @Test func `nothing is fetched while nobody watches`() async throws {
    let fetches = Fetches(gate: open)
    let live = store.live(people, by: fetches)
      .refetched(on: .every(.seconds(60), clock: clock), .tag("people"))
    do {
      var values = live.makeAsyncIterator()
      try await fresh(&values, 1)
      #expect(await clock.sleepers(count: 1))
    }
    while clock.sleeperCount > 0 { await Task.yield() }
    store.invalidate(tag: "people")
    clock.advance(by: .seconds(600))
    #expect(fetches.count == 1)

    var values = live.makeAsyncIterator()
    try await fresh(&values, 2)
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .seconds(60))
    try await fresh(&values, 3)
  }

  @Test func `an answer that is older than a confirmed change is asked for again`() async throws {
    let world = ChangeWorld(store, SpringService([Spring(id: 1, name: "Loue")]))
    try await store.save(Spring(id: 1, name: "Loue"))
    let changes = world.queue()
    let gate = Gate()
    let fetches = Fetches(gate: gate)
    let live = store.live(people, by: fetches)
    var values = live.makeAsyncIterator()
    #expect(try await values.next()?.state == .refreshing)
    await gate.waiting()

    try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    try await changes.idle()
    gate.open()

    try await fresh(&values, 2)
    #expect(fetches.count == 2)
  }

  @Test func `a confirmed change invalidates its tags`() async throws {
    let world = ChangeWorld(store, SpringService([Spring(id: 1, name: "Loue")]))
    try await store.save(Spring(id: 1, name: "Loue"))
    let changes = world.queue()
    let fetches = Fetches(gate: open)
    let live = store.live(people, by: fetches).refetched(on: .tag("springs"))
    var values = live.makeAsyncIterator()
    try await fresh(&values, 1)

    try await changes.add(Rename(subjectID: 1, name: "Doubs"))

    try await fresh(&values, 2)
  }

  /// Brings the springs of a service as they are.
  private struct SpringFetches: AsyncSequence, Sendable {
    typealias Element = Event<Response<[Spring]>>
    typealias Failure = FreshetError

    let service: SpringService

    func makeAsyncIterator() -> ResponseScript<[Spring]>.Iterator {
      ResponseScript<[Spring]>(.body(service.springs)).makeAsyncIterator()
    }
  }

  @Test func `a change is counted once, though a refresh has brought it before its answer`()
    async throws
  {
    let gate = Gate()
    let world = ChangeWorld(store, SpringService([Spring(id: 1, name: "Loue")], gate: gate))
    let changes = world.queue()
    let live = store.live(ModelQuery(Spring.self), by: SpringFetches(service: world.service))
    var values = live.makeAsyncIterator()
    try await values.reach { $0.state == .fresh }

    let receipt = try await changes.add(Like(subjectID: 1))
    await gate.waiting()
    #expect(await live.refresh() == .fresh)
    #expect(try await world.spring(1)?.likes == 2)
    gate.open()
    _ = try await receipt.output

    try await values.reach {
      $0.state == .fresh && !$0.isPending && $0.value.first?.likes == 1
    }
    #expect(try await world.spring(1)?.likes == 1)
  }
}
