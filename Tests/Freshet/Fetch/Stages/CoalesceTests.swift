import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct CoalesceTests {
  let world = FetchWorld()
  let gate = Gate()

  /// A chunk, a gate, and another chunk.
  private var halves: ScriptedResponse {
    ScriptedResponse(
      headers: [.cacheControl: "max-age=60", .contentLength: "6", .eTag: "\"v1\""],
      chunks: [Data("one".utf8), Data("two".utf8)]
    )
    .waiting(for: gate, at: .afterChunks(1))
  }

  private func client(
    _ transport: ScriptedTransport,
    policy: ResourcePolicy = ResourcePolicy()
  ) -> Client {
    Client {
      $0.transport = transport
      $0.memory = world.memory
      $0.policy = policy
      $0.now = world.now
    }
  }

  private typealias Iterator = ResourceSequence.Iterator

  private func value(_ iterator: inout Iterator) async throws -> Resource {
    while let event = try await iterator.next() {
      if let value = event.value { return value }
    }
    throw FreshetError.noValue
  }

  // MARK: - Sharing

  @Test func `equal fetches share one transfer and report it`() async throws {
    let transport = ScriptedTransport(sequence: [halves])
    let client = client(transport)
    var iterators: [Iterator] = []
    for _ in 0..<3 {
      var iterator = client.resource(try world.request).makeAsyncIterator()
      // Who comes late gets the progress so far.
      #expect(
        try await iterator.next()?.progress == TransferProgress(completed: 3, total: 6)
      )
      iterators.append(iterator)
    }

    gate.open()

    for index in iterators.indices {
      let resource = try await value(&iterators[index])
      #expect(try resource.text == "onetwo")
      #expect(resource.explanation.contains(.coalesced(with: 2)))
      #expect(
        resource.explanation.description.contains("memory: miss\ncoalesced with 2\ndownloaded")
      )
      #expect(try await iterators[index].next() == nil)
    }
    #expect(transport.counts.started == 1)
    #expect(world.memory.count == 1)
  }

  @Test(arguments: [nil, RetryPolicy(retries: 1, after: .seconds(1)), .never])
  func `calls share a transfer with those of equal retries`(other: RetryPolicy?) async throws {
    let transport = ScriptedTransport(sequence: [halves, halves])
    let client = client(transport)
    let request = try world.request
    func call(_ retry: RetryPolicy?) -> ResponseSequence {
      client.send(request) {
        $0.retry = retry
        $0.useStores()
      }
    }
    var iterators = [
      call(other).makeAsyncIterator(), call(other).makeAsyncIterator(),
      call(RetryPolicy(retries: 5, after: .seconds(1))).makeAsyncIterator(),
    ]
    for index in iterators.indices {
      #expect(try await iterators[index].next()?.progress?.completed == 3)
    }

    gate.open()

    for index in iterators.indices {
      var response: Response<Data>?
      while let event = try await iterators[index].next() { response = event.value ?? response }
      #expect(response?.explanation.contains(.coalesced(with: 1)) == (index < 2))
    }
    #expect(transport.counts.started == 2)
  }

  @Test func `a single fetch reports no sharing`() async throws {
    let client = client(ScriptedTransport(sequence: [.text("one")]))

    let resource = try await client.resource(try world.request).value

    #expect(!resource.explanation.description.contains("coalesced"))
  }

  @Test func `a validation is shared`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(61))
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(304, headers: [.eTag: "\"v1\""]).waiting(for: gate)
    ])
    let client = client(transport)
    let first = client.resource(try world.request).start()
    let second = client.resource(try world.request).start()
    while client.configuration.coalescer?.subscriberCount != 2 { await Task.yield() }

    gate.open()

    #expect(try await first.value.freshness == .revalidated)
    #expect(try await second.value.freshness == .revalidated)
    #expect(transport.counts.started == 1)
  }

  @Test func `each resource has its own request`() async throws {
    let client = client(ScriptedTransport(sequence: [halves]))
    var (low, high) = (try world.request, try world.request)
    (low.priority, high.priority) = (.low, .high)
    var first = client.resource(low).makeAsyncIterator()
    var second = client.resource(high).makeAsyncIterator()
    _ = try await (first.next(), second.next())
    gate.open()

    #expect(try await value(&first).request.priority == .low)
    #expect(try await value(&second).request.priority == .high)
  }

  @Test(arguments: [
    "header", "policy", "method", "tags", "spelling of a tag", "spelling of a header", "timeout",
  ])
  func `different requests are not shared`(difference: String) async throws {
    let transport = ScriptedTransport { [gate] _ in
      ScriptedResponse(chunks: [Data("one".utf8)]).waiting(for: gate, at: .afterChunks(1))
    }
    let client = client(transport)
    var (request, other) = (try world.request, try world.request)
    var policy = ResourcePolicy()
    switch difference {
    case "header": other.headers["X-A"] = "1"
    case "policy": policy.expiry = .always
    case "method": other.method = .post
    case "tags": other.tags = ["a"]
    case "spelling of a tag": (request.tags, other.tags) = (["\u{E9}"], ["e\u{301}"])
    case "spelling of a header":
      request.headers["X-A"] = "\u{E9}"
      other.headers["X-A"] = "e\u{301}"
    default: other.timeouts.idle = .seconds(1)
    }
    let first = client.resource(request).start()
    let second = client.resource(other, policy: policy).start()

    await gate.waiting(count: 2)
    gate.open()
    _ = try await (first.value, second.value)

    #expect(transport.counts.started == 2)
  }

  @Test func `compares header fields by name and not by position`() async throws {
    let client = client(ScriptedTransport(sequence: [halves]))
    var (first, second) = (try world.request, try world.request)
    first.headers = ["X-A": "1", "X-B": "2"]
    second.headers = ["x-b": "2", "x-a": "1"]
    var iterators = [first, second].map { client.resource($0).makeAsyncIterator() }
    for index in iterators.indices { _ = try await iterators[index].next() }

    #expect(client.configuration.coalescer?.count == 1)
    #expect(client.configuration.coalescer?.subscriberCount == 2)
  }

  @Test func `requests with a body are never shared`() async throws {
    let transport = ScriptedTransport { [gate] _ in ScriptedResponse.text("").waiting(for: gate) }
    let client = client(transport)
    let request = Request(.get, try world.request.url, body: .text("query"))
    let (first, second) = (client.resource(request).start(), client.resource(request).start())

    await gate.waiting(count: 2)
    gate.open()
    _ = try await (first.value, second.value)

    #expect(transport.counts.started == 2)
  }

  @Test func `safe POST requests with equal bodies are shared`() async throws {
    let transport = ScriptedTransport { [gate] _ in ScriptedResponse.text("").waiting(for: gate) }
    let client = client(transport)
    func ask(_ query: String) throws -> Running<Resource, FreshetError> {
      var request = Request(.post, try world.request.url, body: .text(query))
      request.cacheIdentity = .request()
      return client.resource(request).start()
    }
    let running = [try ask("a"), try ask("a"), try ask("b")]

    await gate.waiting(count: 2)
    while client.configuration.coalescer?.subscriberCount != 3 { await Task.yield() }
    gate.open()
    for running in running { _ = try await running.value }

    #expect(transport.counts.started == 2)
  }

  @Test func `progress from before a subscription is not its own`() async throws {
    let client = client(ScriptedTransport(sequence: [halves]))
    var first = client.resource(try world.request).makeAsyncIterator()
    #expect(try await first.next()?.progress?.inherited == 0)
    var second = client.resource(try world.request).makeAsyncIterator()

    #expect(try await second.next()?.progress?.inherited == 3)
    gate.open()
    #expect(try await second.next()?.progress == TransferProgress(completed: 6, total: 6))
  }

  // MARK: - Ends

  @Test func `a failure reaches every subscriber once`() async throws {
    let lost = FreshetError.connection(.lost, url: FetchWorld.url)
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(chunks: [Data("one".utf8)])
        .waiting(for: gate, at: .afterChunks(1))
        .failing(with: lost, at: .afterChunks(1))
    ])
    let client = client(transport, policy: ResourcePolicy { $0.stale = .withheld })
    var iterators: [Iterator] = []
    for _ in 0..<3 {
      var iterator = client.resource(try world.request).makeAsyncIterator()
      _ = try await iterator.next()
      iterators.append(iterator)
    }
    gate.open()

    for index in iterators.indices {
      do throws(FreshetError) {
        while try await iterators[index].next() != nil {}
        Issue.record("no failure")
      } catch {
        #expect(error == lost)
      }
      #expect(try await iterators[index].next() == nil)
    }
    #expect(transport.counts.started == 1)
  }

  @Test func `a leaving subscriber keeps the transfer for others, and the last one ends it`()
    async throws
  {
    let transport = ScriptedTransport(sequence: [halves])
    let client = client(transport)
    let tasks = try (0..<3)
      .map { _ in
        let resource = client.resource(try world.request)
        return Task { try await resource.value }
      }
    while client.configuration.coalescer?.subscriberCount != 3 { await Task.yield() }
    await gate.waiting()

    tasks[0].cancel()
    tasks[1].cancel()
    for task in tasks[..<2] {
      let error = await #expect(throws: FreshetError.self) { try await task.value }
      #expect(error == .cancelled)
    }
    #expect(transport.counts.running == 1)
    tasks[2].cancel()

    await transport.counted { $0.cancelled == 1 }
    #expect(transport.counts.started == 1)
    #expect(client.configuration.coalescer?.count == 0)
  }

  @Test func `dropping the iterator leaves as cancelling does`() async throws {
    let transport = ScriptedTransport(sequence: [halves])
    do {
      var iterator = client(transport).resource(try world.request).makeAsyncIterator()
      _ = try await iterator.next()
    }

    await transport.counted { $0.cancelled == 1 }
  }

  @Test func `a cancelled reader leaves although progress has arrived for it`() async throws {
    let (first, second) = (Gate(), Gate())
    let response = ScriptedResponse(
      headers: [.contentLength: "6"],
      chunks: [Data("one".utf8), Data("two".utf8)]
    )
    .waiting(for: first, at: .afterChunks(1))
    .waiting(for: second, at: .afterChunks(2))
    let transport = ScriptedTransport(sequence: [response])
    let client = client(transport)
    let resource = client.resource(try world.request)
    let reading = Task {
      var iterator = resource.makeAsyncIterator()
      _ = try await iterator.next()
      first.open()
      await second.waiting()
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await iterator.next()
    }

    let error = await #expect(throws: FreshetError.self) { try await reading.value }

    #expect(error == .cancelled)
    await transport.counted { $0.cancelled == 1 }
    #expect(client.configuration.coalescer?.count == 0)
  }

  @Test func `a reader that stops delays nobody`() async throws {
    let transport = ScriptedTransport(sequence: [halves])
    let client = client(transport)
    var idle = client.resource(try world.request).makeAsyncIterator()
    _ = try await idle.next()
    gate.open()

    #expect(try await client.resource(try world.request).value.text == "onetwo")
    #expect(try await value(&idle).text == "onetwo")
    #expect(transport.counts.started == 1)
  }

  @Test func `a hit in memory joins no transfer`() async throws {
    try await world.store(world.minute("one"))
    let client = client(ScriptedTransport(sequence: [.text("two")]))
    var iterator = client.resource(try world.request).makeAsyncIterator()

    #expect(try await iterator.next()?.value?.source == .memory)
    #expect(client.configuration.coalescer?.count == 0)
  }

  @Test func `without a coalescer each fetch runs alone`() async throws {
    let transport = ScriptedTransport { [gate] _ in ScriptedResponse.text("").waiting(for: gate) }
    let client = Client {
      $0.transport = transport
      $0.coalescer = nil
    }
    let resource = client.resource(try world.request)
    let (first, second) = (resource.start(), resource.start())

    await gate.waiting(count: 2)
    gate.open()
    _ = try await (first.value, second.value)
    #expect(transport.counts.started == 2)
  }

  // MARK: - By hand

  @Test func `a fetch whose lookups ended before a completion looks up again`() async throws {
    let transport = ScriptedTransport(sequence: [world.minute("one")])
    let coalescer = Coalescer()
    let store = LateStore(memory: world.memory, gate: gate)
    func fetch(
      _ store: some ResourceStore
    ) throws -> some AsyncSequence<
      Event<Resource>, FreshetError
    > & Sendable {
      let (memory, now) = (world.memory, world.now)
      return Fetch.request(try world.request)
        .lookup(in: store)
        .checkExpiry(now: now)
        .coalesce(in: coalescer)
        .download(over: transport, now: now)
        .persist(in: memory)
        .settle()
    }
    let late = try fetch(store).start()
    await gate.waiting()
    _ = try await fetch(world.memory).value

    gate.open()

    #expect(try await late.value.source == .memory)
    #expect(transport.counts.started == 1)
  }

  @Test func `labels separate equal requests`() async throws {
    let transport = ScriptedTransport { [gate] _ in ScriptedResponse.text("").waiting(for: gate) }
    let coalescer = Coalescer()
    func fetch(_ label: String) throws -> Running<Resource, FreshetError> {
      Fetch.request(try world.request)
        .coalesce(in: coalescer, label: label)
        .download(over: transport)
        .settle()
        .start()
    }
    let all = [try fetch("a"), try fetch("a"), try fetch("b")]
    while coalescer.subscriberCount != 3 { await Task.yield() }

    await gate.waiting(count: 2)
    gate.open()
    for running in all { _ = try await running.value }
    #expect(transport.counts.started == 2)
  }

  @Test func `shares a whole chain that starts with the stage`() async throws {
    let transport = ScriptedTransport(sequence: [halves])
    let coalescer = Coalescer()
    let chain = Fetch.request(try world.request)
      .coalesce(in: coalescer)
      .lookup(in: world.memory)
      .download(over: transport)
      .settle()
    var first = chain.makeAsyncIterator()
    var second = chain.makeAsyncIterator()
    _ = try await (first.next(), second.next())
    gate.open()

    for _ in 0..<2 {
      swap(&first, &second)
      let last = try await value(&first)
      #expect(try last.text == "onetwo")
      #expect(last.explanation.contains(.coalesced(with: 1)))
    }
    #expect(transport.counts.started == 1)
  }

  // MARK: - A thousand

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a thousand subscribers, of which all but one leave at random moments`(
    seed: UInt64
  )
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    let head = Gate()
    let server = try LoopbackServer([
      "/shared": .content(Data(repeating: 0x61, count: 100_000), cacheControl: "max-age=60")
        .delayed(until: head)
    ])
    let client = Client()
    var request = Request(server.url("/shared"))
    // The head waits for a thousand turns among all the other tests.
    request.timeouts.firstByte = nil
    let survivor = Int.random(in: 0..<1_000, using: &generator)
    let tasks = (0..<1_000)
      .map { [request] _ in
        Task { try await client.resource(request).value }
      }

    for index in (0..<1_000).shuffled(using: &generator) where index != survivor {
      for _ in 0..<Int.random(in: 0..<4, using: &generator) { await Task.yield() }
      tasks[index].cancel()
      // Some leave while the body arrives, and some when it is there.
      if index == survivor / 2 { head.open() }
    }
    head.open()

    #expect(try await tasks[survivor].value.body.length == 100_000)
    var counts: [String: Int] = [:]
    for (index, task) in tasks.enumerated() where index != survivor {
      switch await task.result {
      case .success(let resource):
        #expect(resource.body.length == 100_000)
        counts["values", default: 0] += 1
      case .failure(let error):
        #expect(error as? FreshetError == .cancelled)
        counts["cancelled", default: 0] += 1
      }
    }
    #expect(counts.values.reduce(0, +) == 999)
    #expect(counts["cancelled", default: 0] > 0)
    #expect(server.requestCount == 1)
    #expect(client.configuration.coalescer?.count == 0)
    await server.stop()
  }
}

/// A memory store that says late what it found early.
private struct LateStore: ResourceStore {
  let memory: MemoryStore
  let gate: Gate

  var source: Resource.Source { .memory }

  func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    let found = await memory.find(key, for: headers)
    try? await gate.enter()
    return found
  }

  func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await memory.keep(response)
  }

  func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await memory.refresh(response)
  }

  func remove(_ key: CacheKey) async throws(FreshetError) {
    await memory.remove(key)
  }
}
