import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Synchronization
import Testing

/// Live values that are refreshed again.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LiveRefreshTests {
  typealias State = LiveValue<[Person], FreshetError>.State

  let store = ModelStore.inMemory()
  let people = ModelQuery(Person.self)
  let failure = FreshetError.connection(.refused, url: "http://a.example/")

  /// Plays another script each time.
  private final class Scripts: AsyncSequence, Sendable {
    typealias Element = Event<Response<[Person]>>
    typealias Failure = FreshetError

    private let rest: Mutex<[ResponseScript<[Person]>]>
    let count = Atomic(0)

    init(_ scripts: ResponseScript<[Person]>...) {
      rest = Mutex(scripts)
    }

    func makeAsyncIterator() -> ResponseScript<[Person]>.Iterator {
      count.add(1, ordering: .relaxed)
      return rest.withLock { $0.isEmpty ? .init() : $0.removeFirst() }.makeAsyncIterator()
    }
  }

  private typealias Live = LiveSequence<[Person], FreshetError>

  /// Reads on to the first element whose refresh has ended.
  private func end(
    _ values: inout Live.Iterator
  ) async throws -> LiveValue<[Person], FreshetError> {
    while let value = try await values.next() {
      if value.state != .refreshing { return value }
    }
    throw FreshetError.noValue
  }

  @Test func `refresh asks again, and its iterators see it`() async throws {
    let gate = Gate()
    let scripts = Scripts(.init(.gate(gate), .body([.sample(1)])), .init(.failure(failure)))
    let live = store.live(people, refresh: .never, by: scripts)
    var values = live.makeAsyncIterator()
    #expect(try await values.next() == .init(value: [], state: .stored))

    async let state = live.refresh()
    #expect(try await values.next()?.state == .refreshing)
    gate.open()
    #expect(await state == .fresh)
    #expect(try await end(&values) == .init(value: [.sample(1)], state: .fresh))

    #expect(await live.refresh() == .failed(failure))
    #expect(try await end(&values) == .init(value: [.sample(1)], state: .failed(failure)))
  }

  @Test func `reports a failed refresh once`() async throws {
    let scripts = Scripts(.init(.failure(failure)), .init(.failure(failure)))
    let live = store.live(people, by: scripts)
    var values = live.makeAsyncIterator()

    #expect(try await end(&values).state == .failed(failure))
    try await store.save(Person.sample(1))
    #expect(try await end(&values).state == .stored)
    try await store.save(Person.sample(2))
    #expect(try await end(&values).state == .stored)

    await live.refresh()
    #expect(try await end(&values).state == .failed(failure))
  }

  @Test func `a success is the state of the changes after it`() async throws {
    let live = store.live(people, by: Scripts(.init(.body([.sample(1)]))))
    var values = live.makeAsyncIterator()
    _ = try await end(&values)

    try await store.save(Person.sample(2))

    #expect(try await values.next()?.state == .fresh)
  }

  @Test func `refresh works without iterators, and asks each time`() async throws {
    let scripts = Scripts(.init(.body([.sample(1)])), .init(.body([.sample(2)])))
    let live = store.live(people, refresh: .never, by: scripts)

    #expect(await live.refresh() == .fresh)
    #expect(await live.refresh() == .fresh)

    #expect(try await store.models(people).map(\.id) == [1, 2])
  }

  @Test func `concurrent refreshes are one`() async throws {
    let gate = Gate()
    let scripts = Scripts(.init(.gate(gate), .body([.sample(1)])))
    let live = store.live(people, by: scripts)
    let task = Task { await live.refresh() }
    await gate.waiting()
    var values = live.makeAsyncIterator()
    #expect(try await values.next()?.state == .refreshing)
    gate.open()

    #expect(await task.value == .fresh)
    #expect(try await end(&values).state == .fresh)
    #expect(scripts.count.load(ordering: .relaxed) == 1)
  }

  @Test func `a new iterator joins a running refresh`() async throws {
    let gate = Gate()
    let scripts = Scripts(.init(.gate(gate), .body([.sample(1)])))
    let live = store.live(people, by: scripts)
    var (one, other) = (live.makeAsyncIterator(), live.makeAsyncIterator())
    _ = try await one.next()
    _ = try await other.next()
    await gate.waiting()
    gate.open()

    #expect(try await end(&one).state == .fresh)
    #expect(try await end(&other).state == .fresh)
    #expect(scripts.count.load(ordering: .relaxed) == 1)
  }

  @Test func `a refresh is cancelled when its last caller leaves`() async throws {
    let gate = Gate()
    let scripts = Scripts(.init(.gate(gate), .body([.sample(1)])), .init(.body([.sample(2)])))
    let live = store.live(people, refresh: .never, by: scripts)
    let task = Task { await live.refresh() }
    await gate.waiting()

    task.cancel()
    #expect(await task.value == .failed(.cancelled))

    // The next one is another one.
    #expect(await live.refresh() == .fresh)
    #expect(try await store.models(people).map(\.id) == [2])
  }

  @Test func `an iterator keeps a refresh that another task has left`() async throws {
    let gate = Gate()
    let scripts = Scripts(.init(.gate(gate), .body([.sample(1)])))
    let live = store.live(people, refresh: .never, by: scripts)
    var values = live.makeAsyncIterator()
    _ = try await values.next()
    let task = Task { await live.refresh() }
    await gate.waiting()
    task.cancel()
    _ = await task.value

    gate.open()
    #expect(try await end(&values) == .init(value: [.sample(1)], state: .fresh))
  }
}
