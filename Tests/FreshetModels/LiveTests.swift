import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct LiveTests {
  typealias State = LiveValue<[Person], FreshetError>.State
  typealias Live = LiveSequence<[Person], FreshetError>

  let store = ModelStore.temporary()
  let query = ModelQuery(Person.self).sorted(by: \.followers)

  /// Reads on to the first element whose refresh has ended.
  private func end(
    _ iterator: inout Live.Iterator
  ) async throws -> LiveValue<[Person], FreshetError> {
    while let live = try await iterator.next() {
      if live.state != .refreshing { return live }
    }
    throw FreshetError.noValue
  }

  @Test func `the stored value comes first, then the network's`() async throws {
    try await store.save(Person.sample(1, name: "stored"))
    let gate = Gate()
    let script = ResponseScript(.gate(gate), .body([Person.sample(1, name: "fresh")]))
    var live = store.live(query, by: script).makeAsyncIterator()

    let first = try #require(try await live.next())
    #expect(first.value.map(\.name) == ["stored"])
    #expect(first.state == .refreshing)

    gate.open()
    let last = try await end(&live)
    #expect(last.value.map(\.name) == ["fresh"])
    #expect(last.state == .fresh)
  }

  @Test func `a response that changes nothing is still an element`() async throws {
    try await store.save(Person.sample(1))
    var live = store.live(query, by: ResponseScript(.body([Person.sample(1)]))).makeAsyncIterator()

    let last = try await end(&live)

    #expect(last == .init(value: [.sample(1)], state: .fresh))
  }

  @Test func `a failed refresh carries the value, and is reported once`() async throws {
    try await store.save(Person.sample(1))
    let failure = FreshetError.connection(.refused, url: "http://a.example/")
    var live = store.live(query, by: ResponseScript<[Person]>(.failure(failure)))
      .makeAsyncIterator()

    let last = try await end(&live)
    #expect(last.value == [.sample(1)])
    #expect(last.failure == failure)

    try await store.save(Person.sample(2))
    let next = try #require(try await live.next())
    #expect(next.value.count == 2)
    #expect(next.state == .stored)
  }

  @Test func `a refresh whose models cannot be stored has failed`() async throws {
    let script = ResponseScript(.body([ModelCodingTests.Unwritable(id: 1)]))
    var live = store.live(query, by: script).makeAsyncIterator()

    let last = try await end(&live)

    #expect(last.failure == .store("a Unwritable cannot be stored: no"))
  }

  @Test func `a pipeline without a value has failed`() async throws {
    var live = store.live(query, by: ResponseScript<[Person]>()).makeAsyncIterator()

    #expect(try await end(&live).failure == .noValue)
  }

  @Test func `observes one model by its identity, from its absence on`() async throws {
    var live = store.live(Person.self, id: 1, by: ResponseScript(.body(Person.sample(1))))
      .makeAsyncIterator()
    let first = try #require(try await live.next())
    #expect(first.value == nil)
    #expect(first.state == .refreshing)

    var last = first
    while last.state == .refreshing { last = try #require(try await live.next()) }
    #expect(last.value == .sample(1))
    #expect(last.state == .fresh)
  }

  @Test func `the policy decides whether the network is asked`() async throws {
    let clock = VirtualClock()
    let asked = Count()
    func state(_ policy: RefreshPolicy) async throws -> State {
      let script = CountingScript(asked: asked, users: [.sample(1)])
      var live = store.live(query, refresh: policy, by: script, now: { clock.date })
        .makeAsyncIterator()
      return try await end(&live).state
    }

    #expect(try await state(.never) == .stored)
    #expect(try await state(.ifMissing) == .fresh)
    #expect(try await state(.ifMissing) == .stored)
    #expect(try await state(.after(.seconds(60))) == .stored)
    clock.advance(by: .seconds(60))
    #expect(try await state(.after(.seconds(60))) == .fresh)
    #expect(try await state(.after(.seconds(60))) == .stored)
    clock.date = clock.date.addingTimeInterval(-10_000)
    #expect(try await state(.after(.seconds(60))) == .fresh)
    #expect(try await state(.always) == .fresh)
    #expect(asked.number.load(ordering: .relaxed) == 4)
  }

  @Test(.timeLimit(.minutes(5)))
  func `the times of the last 1,000 refreshes are recorded`() async throws {
    let store = ModelStore.inMemory()
    let clock = VirtualClock()
    let script = ResponseScript(.body([Person.sample(1)]))
    func live(_ number: Int) -> Live {
      let policy = RefreshPolicy.after(.seconds(100_000))
      return store.live(query.limit(number), refresh: policy, by: script, now: { clock.date })
    }
    for number in 1...1_001 {
      #expect(await live(number).refresh() == .fresh)
      clock.advance(by: .seconds(1))
    }

    var (first, second) = (live(1).makeAsyncIterator(), live(2).makeAsyncIterator())

    #expect(try await end(&second).state == .stored)
    #expect(try await end(&first).state == .fresh)
  }

  private final class Count: Sendable {
    let number = Atomic(0)
  }

  private struct CountingScript: AsyncSequence, Sendable {
    let asked: Count
    let users: [Person]

    func makeAsyncIterator() -> ResponseScript<[Person]>.Iterator {
      asked.number.add(1, ordering: .relaxed)
      return ResponseScript(.body(users)).makeAsyncIterator()
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `reports a refresh that ends at any moment`() async throws {
    let store = ModelStore.inMemory()
    try await store.save(Person.sample(1))
    for _ in 0..<2_000 {
      var live = store.live(query, by: ResponseScript(.body([Person.sample(1)])))
        .makeAsyncIterator()
      #expect(try await end(&live).state == .fresh)
    }
  }

  @Test func `leaving cancels the refresh`() async throws {
    let gate = Gate()
    let left = Gate()
    let script = CancelledScript(gate: gate, left: left)
    do {
      var live = store.live(query, by: script).makeAsyncIterator()
      _ = try await live.next()
      await gate.waiting()
    }

    try await left.enter()
  }

  private struct CancelledScript: AsyncSequence, Sendable {
    let gate: Gate
    let left: Gate

    func makeAsyncIterator() -> Iterator { Iterator(gate: gate, left: left) }

    struct Iterator: AsyncIteratorProtocol {
      let gate: Gate
      let left: Gate

      mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(FreshetError) -> Event<Response<[Person]>>? {
        do throws(FreshetError) {
          try await gate.enter()
        } catch {
          left.open()
          throw error
        }
        return nil
      }
    }
  }

  @Test func `it ends when the store is closed`() async throws {
    var live = store.live(query, refresh: .never, by: ResponseScript<[Person]>())
      .makeAsyncIterator()
    _ = try await live.next()

    await store.close()

    #expect(try await live.next() == nil)
  }
}
