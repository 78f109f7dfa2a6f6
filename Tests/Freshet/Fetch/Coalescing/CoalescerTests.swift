import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct CoalescerTests {
  let world = FetchWorld()
  let gate = Gate()
  /// Counts the fetches that are about to subscribe.
  private let arrivals = StartCounter()

  private func subscriber(_ priority: Request.Priority) throws -> Subscription.Subscriber {
    var request = try world.request
    request.priority = priority
    return .init(
      context: FetchContext(request: request, partition: ""),
      explanation: Explanation()
    )
  }

  private func subscribe(
    to coalescer: Coalescer,
    _ priority: Request.Priority,
    epoch: Int? = nil
  ) throws -> Coalescer.Outcome {
    let subscriber = try subscriber(priority)
    let key = CoalescingKey(subscriber.context, .label(""))
    return coalescer.subscribe(subscriber, to: key, epoch: epoch)
  }

  @Test func `subscriptions begin and end only with the current priority`() throws {
    let coalescer = Coalescer()
    guard case .leads(let first) = try subscribe(to: coalescer, .low) else {
      throw FreshetError.noValue
    }
    let (changes, overtaken) = (StartCounter(), StartCounter())
    _ = first.fetch.urgency.observe { priority in
      guard changes.next() > 0 else { return }
      let (begun, looked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        begun.signal()
        _ = coalescer.count
        looked.signal()
      }
      begun.wait()
      if looked.wait(timeout: .now() + 0.2) == .success { _ = overtaken.next() }
    }

    do {
      guard case .joins(let second) = try subscribe(to: coalescer, .high) else {
        throw FreshetError.noValue
      }
      withExtendedLifetime(second) { #expect(first.fetch.urgency.value == .high) }
    }

    #expect(first.fetch.urgency.value == .low)
    #expect(changes.count == 3 && overtaken.count == 0)
  }

  /// A chain whose shared fetch ends late: it ignores its cancellation until the gate opens.
  private func fetch(
    _ coalescer: Coalescer,
    _ starts: StartCounter
  ) throws -> some AsyncSequence<Event<Resource>, FreshetError> & Sendable {
    let transport = ScriptedTransport { _ in .text("one") }
    return Fetch.request(try world.request)
      .appending(Arrival(counter: arrivals))
      .coalesce(in: coalescer)
      .appending(Stubborn(gate: gate, starts: starts))
      .download(over: transport)
      .settle()
  }

  /// Begins a second fetch, and waits until it has subscribed.
  private func startSecond(
    _ coalescer: Coalescer,
    _ starts: StartCounter
  ) async throws -> Running<Resource, FreshetError> {
    let second = try fetch(coalescer, starts).start()
    while arrivals.count < 2 { await Task.yield() }
    for _ in 0..<200 { await Task.yield() }
    return second
  }

  /// Begins a fetch and cancels it; its shared fetch ends when the gate opens.
  private func leave(_ coalescer: Coalescer, _ starts: StartCounter) async throws {
    let first = try fetch(coalescer, starts).start()
    await gate.waiting()
    first.cancel()
    // Whoever comes before it has left joins it.
    while coalescer.count > 0 { await Task.yield() }
  }

  @Test func `a fetch that starts during a cancellation waits for the cancelled one`()
    async throws
  {
    let coalescer = Coalescer(patience: .seconds(600))
    let starts = StartCounter()
    try await leave(coalescer, starts)

    let second = try await startSecond(coalescer, starts)
    #expect(starts.count == 1 && coalescer.count == 0)
    gate.open()

    #expect(try await second.value.text == "one")
    #expect(starts.count == 2)
  }

  @Test func `waits once, and only for a limited time, for a cancelled fetch`() async throws {
    let coalescer = Coalescer(patience: .milliseconds(1))
    let starts = StartCounter()
    try await leave(coalescer, starts)

    #expect(try await fetch(coalescer, starts).value.text == "one")
    guard case .leads = try subscribe(to: coalescer, .low, epoch: coalescer.epoch) else {
      throw FreshetError.noValue
    }
    gate.open()
  }

  @Test func `a cancelled fetch stops waiting for another one immediately`() async throws {
    let coalescer = Coalescer(patience: .seconds(600))
    let starts = StartCounter()
    try await leave(coalescer, starts)
    let second = try await startSecond(coalescer, starts)

    second.cancel()

    await #expect(throws: FreshetError.cancelled) { try await second.value }
    #expect(starts.count == 1)
    gate.open()
  }

  @Test func `many fetches of one resource write it once`() async throws {
    let store = CountingStore(memory: world.memory)
    let transport = ScriptedTransport(sequence: [world.minute("one").waiting(for: gate)])
    let coalescer = Coalescer()
    let (request, now) = (try world.request, world.now)
    let all = (0..<5)
      .map { _ in
        Fetch.request(request)
          .lookup(in: store)
          .checkExpiry(now: now)
          .coalesce(in: coalescer)
          .download(over: transport, now: now)
          .persist(in: store)
          .settle()
          .start()
      }
    while coalescer.subscriberCount != 5 { await Task.yield() }
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

/// A stage that counts the steps that pass it.
private struct Arrival: FetchStage {
  let counter: StartCounter

  var handles: Fetch.Kinds { .wanted }

  func reply(to step: Fetch) async -> Fetch.Reply {
    _ = counter.next()
    return .pass
  }
}

/// A stage whose first step waits for the gate, whether it is cancelled or not.
private struct Stubborn: FetchStage {
  let gate: Gate
  let starts: StartCounter

  var handles: Fetch.Kinds { .wanted }

  func reply(to step: Fetch) async -> Fetch.Reply {
    if starts.next() == 0 {
      // A task of its own is not cancelled with this one.
      await Task { try? await gate.enter() }.value
    }
    return .pass
  }
}

/// A memory store that counts what is written.
private final class CountingStore: ResourceStore {
  let memory: MemoryStore
  private let count = Atomic(0)

  var source: Resource.Source { .memory }
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
