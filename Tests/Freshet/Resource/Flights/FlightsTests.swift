import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct FlightsTests {
  let world = FetchWorld()
  let gate = Gate()

  private func departure(_ priority: Request.Priority) throws -> Fetch.Departure {
    var request = try world.request
    request.priority = priority
    let wanted = Fetch.Wanted(FetchContext(request: request, partition: ""))
    return try #require(Fetch.Departure(.wanted(wanted)))
  }

  @Test func `nobody boards or leaves before the priority is that of who did so last`() throws {
    let flights = Flights()
    let low = try departure(.low)
    guard case .leads(let first) = flights.board(low, since: nil) else {
      throw FreshetError.noValue
    }
    let (changes, overtaken) = (StartCounter(), StartCounter())
    first.flight.urgency.observe { priority in
      guard changes.next() > 0 else { return }
      let looked = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = flights.count
        looked.signal()
      }
      if looked.wait(timeout: .now() + 0.2) == .success { _ = overtaken.next() }
    }

    let high = try departure(.high)
    do {
      guard case .joins(let second) = flights.board(high, since: nil) else {
        throw FreshetError.noValue
      }
      withExtendedLifetime(second) { #expect(first.flight.urgency.priority == .high) }
    }

    #expect(first.flight.urgency.priority == .low)
    #expect(changes.count == 3 && overtaken.count == 0)
    first.land(nil)
  }

  @Test func `a host that is given up while it boards gives its place up`() async throws {
    let flights = Flights()
    let host = FlightHost()
    let task: Task<Void, Never> = Task { [gate] in _ = try? await gate.enter() }
    host.run(in: task)
    #expect(host.beginBoarding())

    host.abandon()
    #expect(!task.isCancelled)
    let boarding = flights.board(try departure(.normal), since: nil, host: host)
    guard case .leads(let place) = boarding else { throw FreshetError.noValue }
    host.lead(place)

    #expect(task.isCancelled && flights.subscriberCount == 0)
    #expect(host.leadNone() && !host.beginBoarding())
    place.land(.cancelled)
    gate.open()
    await task.value
  }

  @Test func `who waits for a flight that is given up goes on when its host has the result`()
    async throws
  {
    let flights = Flights(patience: .seconds(600))
    let host = FlightHost()
    let departure = try departure(.normal)
    #expect(host.beginBoarding())
    guard case .leads(let place) = flights.board(departure, since: 0, host: host) else {
      throw FreshetError.noValue
    }
    let tools = ReceptionTools(transport: nil, spool: .temporary, now: { Date() })
    let transport = ScriptedTransport { _ in .text("one") }
    let reception = Reception(departure.wanted, over: transport, tools)
    let stages = LedStages(tools, disk: nil, memory: nil, .http)
    let led = LedFetch(place, by: host, reception, stages)
    host.abandon()
    guard case .waits(let flight, let ticket) = flights.board(departure, since: 0) else {
      throw FreshetError.noValue
    }

    var value: Resource?
    while let event = try await led.next(isolation: nil) { value = event.value }
    await flights.wait(for: flight, ticket, isolation: nil)

    #expect(try value?.data() == Data("one".utf8))
    guard case .leads = flights.board(departure, since: flights.landings) else {
      throw FreshetError.noValue
    }
  }

  /// A chain whose flight ends late: it takes no notice of being cancelled until the gate opens.
  private func fetch(
    _ flights: Flights,
    _ starts: StartCounter
  ) throws -> some AsyncSequence<Event<Resource>, FreshetError> & Sendable {
    let transport = ScriptedTransport { _ in .text("one") }
    return Fetch.request(try world.request)
      .coalesce(in: flights) { [gate] step in
        StubbornSequence(
          base: step.download(over: transport),
          gate: starts.next() == 0 ? gate : nil
        )
      }
      .settle()
  }

  /// Begins a fetch and cancels it; its flight ends when the gate opens.
  private func leave(_ flights: Flights, _ starts: StartCounter) async throws {
    let first = try fetch(flights, starts).start()
    await gate.waiting()
    first.cancel()
    // Whoever comes before it has left joins it.
    while flights.count > 0 { await Task.yield() }
  }

  @Test func `who begins in the moment of a cancellation waits until the flight has ended`()
    async throws
  {
    let flights = Flights(patience: .seconds(600))
    let starts = StartCounter()
    try await leave(flights, starts)

    let second = try fetch(flights, starts).start()
    for _ in 0..<200 { await Task.yield() }
    #expect(starts.count == 1 && flights.count == 0)
    gate.open()

    #expect(try await second.value.text == "one")
    #expect(starts.count == 2)
  }

  @Test func `a flight that does not end is waited for once, and not for ever`() async throws {
    let flights = Flights(patience: .milliseconds(1))
    let starts = StartCounter()
    try await leave(flights, starts)

    #expect(try await fetch(flights, starts).value.text == "one")
    guard
      case .leads = flights.board(
        try departure(.low),
        since: flights.landings
      )
    else { throw FreshetError.noValue }
    gate.open()
  }

  @Test func `who waits for a flight to end ends at once when it is cancelled`() async throws {
    let flights = Flights(patience: .seconds(600))
    let starts = StartCounter()
    try await leave(flights, starts)
    let second = try fetch(flights, starts).start()
    for _ in 0..<200 { await Task.yield() }

    second.cancel()

    await #expect(throws: FreshetError.cancelled) { try await second.value }
    #expect(starts.count == 1)
    gate.open()
  }

  @Test func `many who want the same at once write it once`() async throws {
    let store = CountingStore(memory: world.memory)
    let transport = ScriptedTransport(sequence: [world.minute("one").waiting(for: gate)])
    let flights = Flights()
    let (request, now) = (try world.request, world.now)
    let all = (0..<5)
      .map { _ in
        Fetch.request(request)
          .lookup(in: store)
          .checkExpiry(now: now)
          .coalesce(in: flights) { $0.download(over: transport, now: now).persist(in: store) }
          .settle()
          .start()
      }
    while flights.subscriberCount != 5 { await Task.yield() }
    await gate.waiting()
    gate.open()

    for running in all { #expect(try await running.value.text == "one") }

    #expect(store.writes == 1)
    #expect(transport.counts.started == 1)
  }
}

/// Counts calls.
private final class StartCounter: Sendable {
  private let state = Mutex(0)

  var count: Int { state.withLock(\.self) }

  /// How often it was called before.
  func next() -> Int {
    state.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}

/// A sequence that begins when its gate opens, whether it is cancelled or not.
private struct StubbornSequence<Base: AsyncSequence<Fetch, FreshetError> & Sendable>:
  AsyncSequence, Sendable
{
  let base: Base
  let gate: Gate?

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), gate: gate)
  }

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    var gate: Gate?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      if let gate = gate.take() {
        // A task of its own is not cancelled with this one.
        await Task { try? await gate.enter() }.value
      }
      return try await base.next(isolation: actor)
    }
  }
}

/// A memory store that counts what is written.
private final class CountingStore: ResourceStore {
  let memory: MemoryStore
  private let count = Atomic(0)

  var origin: Resource.Origin { .memory }
  var writes: Int { count.load(ordering: .relaxed) }

  init(memory: MemoryStore) {
    self.memory = memory
  }

  func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    await memory.find(key, for: headers)
  }

  func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    count.add(1, ordering: .relaxed)
    return try await memory.keep(response)
  }

  func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    count.add(1, ordering: .relaxed)
    return try await memory.refresh(response)
  }

  func remove(_ key: CacheKey) async throws(FreshetError) {
    await memory.remove(key)
  }
}
