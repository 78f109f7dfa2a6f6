import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@Suite struct SeedStoreTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()
  let heard = Heard<SeedStore.Diagnostic>()

  private func store() -> SeedStore {
    SeedStore(directory: sandbox.url) { [heard] in heard.append($0) }
  }

  private func build(_ responses: StoredResponse...) throws {
    var builder = try SeedBuilder(directory: sandbox.url)
    for response in responses { try builder.add(response) }
    try builder.write()
  }

  /// A response that was received by this world's clock.
  private func sample(
    _ text: String,
    url: String = ClientWorld.url,
    headers: HTTPHeaders = [.eTag: "\"v1\"", .cacheControl: "max-age=60"],
    request: HTTPHeaders = [:]
  ) throws -> StoredResponse {
    try .sample(
      url,
      body: Data(text.utf8),
      headers: headers.merging([.date: HTTPDate.format(world.clock.date)]),
      request: request,
      time: world.clock.date.timeIntervalSinceReferenceDate
    )
  }

  @Test func `finds built seeds, head and body`() async throws {
    try build(try sample("one"), try sample("two", url: "http://a.example/two?x=1"))

    let found = try #require(await store().find(.sample("http://a.example/two?x=1"), for: [:]))

    #expect(try found.body.data() == Data("two".utf8))
    #expect(found.head.status == 200)
    #expect(found.head.headers[.eTag] == "\"v1\"")
    #expect(await store().find(try .sample("http://a.example/two"), for: [:]) == nil)
    #expect(store().seeds.map(\.url.absoluteString).sorted().first == ClientWorld.url)
    #expect(store().verify().isEmpty)
    #expect(heard.all.isEmpty)
  }

  @Test func `the first fetch shows the seed immediately and is answered by a 304`() async throws {
    try build(try sample("one"))
    world.clock.advance(by: .seconds(1_000_000))
    let transport = ScriptedTransport(sequence: [world.response("", status: 304)])
    let disk = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
    let client = world.client(transport) {
      $0.seeds = store()
      $0.disk = disk
    }

    let first = try await client.resource(try world.request).shown
    let second = try await client.resource(try world.request).shown

    #expect(first == ["seed stale: one, not final", "seed revalidated: one"])
    #expect(transport.requests.first?.headers[.ifNoneMatch] == "\"v1\"")
    #expect(second == ["memory fresh: one"])
    #expect(try await disk.statistics().count == 1)
    #expect(transport.counts.started == 1)
  }

  @Test func `a seed that is fresh needs no network`() async throws {
    try build(try sample("one"))
    let transport = ScriptedTransport(sequence: [.text("never")])
    let client = world.client(transport) { $0.seeds = store() }

    #expect(try await client.resource(try world.request).shown == ["seed fresh: one"])
    #expect(transport.counts.started == 0)
  }

  @Test func `a seed is used when the origin is down`() async throws {
    try build(try sample("one"))
    world.clock.advance(by: .seconds(1_000_000))
    let client = world.client(
      ScriptedTransport(sequence: [.failure(.connection(.refused, url: ClientWorld.url))])
    ) { $0.seeds = store() }

    let value = try await client.resource(try world.request).value

    #expect(value.source == .seed && value.freshness == .stale)
  }

  @Test func `a download takes precedence over the seed`() async throws {
    try build(try sample("seed"))
    world.clock.advance(by: .seconds(100))
    let client = world.client(
      ScriptedTransport(sequence: [world.response("new", headers: [.eTag: "\"v2\""])])
    ) { $0.seeds = store() }
    _ = try await client.resource(try world.request).value

    #expect(try await client.resource(try world.request).shown == ["memory fresh: new"])
    world.clock.advance(by: .seconds(1_000))
    let offline = ResourcePolicy { $0.network = .forbidden }
    #expect(
      try await client.resource(try world.request, policy: offline).shown == ["memory stale: new"]
    )
  }

  @Test func `a newer seed takes precedence over an older download`() async throws {
    let client = world.client(ScriptedTransport(sequence: [world.response("old")])) {
      $0.seeds = store()
    }
    world.clock.advance(by: .seconds(1))
    _ = try await world.client(ScriptedTransport(sequence: [world.response("old")]))
      .resource(try world.request).value
    world.clock.advance(by: .seconds(100))

    try build(try sample("new seed"))

    #expect(try await client.resource(try world.request).shown == ["seed fresh: new seed"])
  }

  @Test(arguments: [(1_000.0, -1_000.0), (-1_000, 1_000)])
  func `one wrong clock does not let a seed take precedence`(
    date: Double,
    received: Double
  ) async throws {
    let now = world.clock.date
    try build(
      try .sample(
        ClientWorld.url,
        body: Data("seed".utf8),
        headers: [.date: HTTPDate.format(now + date), .cacheControl: "max-age=99999"],
        time: now.timeIntervalSinceReferenceDate + received
      )
    )
    _ = try await world.client(ScriptedTransport(sequence: [world.response("download")]))
      .resource(try world.request).value

    let client = world.client(ScriptedTransport(sequence: [.text("never")])) { $0.seeds = store() }

    #expect(try await client.resource(try world.request).shown == ["memory fresh: download"])
  }

  @Test func `answers in every partition, by its selecting fields`() async throws {
    try build(
      try sample("de", headers: [.vary: "Accept-Language"], request: [.acceptLanguage: "de"]),
      try sample("fr", headers: [.vary: "Accept-Language"], request: [.acceptLanguage: "fr"])
    )
    let key = try CacheKey.sample(ClientWorld.url, partition: "ann")

    let found = await store().find(key, for: [.acceptLanguage: "fr"])

    #expect(try found?.body.data() == Data("fr".utf8))
    #expect(found?.key == key)
    #expect(await store().find(key, for: [.acceptLanguage: "it"]) == nil)
  }

  @Test func `a resource that changed at the origin is not answered by its seed`() async throws {
    try build(try sample("one"))
    let client = world.client(ScriptedTransport(sequence: [ScriptedResponse(204), .text("two")])) {
      $0.seeds = store()
    }

    _ = try await client.send(try Request(.put, ClientWorld.url)).value

    #expect(try await client.resource(try world.request).value.text == "two")
  }

  @Test func `a missing folder has no seeds`() async throws {
    let store = SeedStore(directory: sandbox.url.appendingPathComponent("nowhere"))

    #expect(await store.find(try .sample(), for: [:]) == nil)
    #expect(store.seeds.isEmpty)
  }

  @Test func `copies into a store what is missing or older there`() async throws {
    try build(try sample("one"), try sample("two", url: "http://a.example/two"))
    let memory = MemoryStore()
    world.clock.advance(by: .seconds(10))
    _ = try await memory.keep(try sample("newer"))

    #expect(try await store().copy(into: memory) == 1)
    #expect(try await store().copy(into: memory) == 0)
    #expect(try await store().copy(into: memory, partition: "ann") == 2)

    let found = await memory.find(try .sample(ClientWorld.url), for: [:])
    #expect(try found?.body.data() == Data("newer".utf8))
    let ann = await memory.find(try .sample(ClientWorld.url, partition: "ann"), for: [:])
    #expect(try ann?.body.data() == Data("one".utf8))
  }

  #if !canImport(Darwin)
  @Test func `seeds are opened one after the other when they are copied`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let sandbox = StoreSandbox()
      var builder = try SeedBuilder(directory: sandbox.url)
      for number in 0..<40 {
        let body = Data(repeating: UInt8(number), count: 300 << 10)
        _ = try builder.add(try .sample("http://a.example/\(number)", body: body))
      }
      try builder.write()
      let (seeds, memory) = (SeedStore(directory: sandbox.url), MemoryStore())

      let count = try await Scarcity.leaving(8) { try await seeds.copy(into: memory) }

      exitTest(count == 40, removing: sandbox.url)
    }
  }
  #endif

  @Test func `a change removes the seeds of keys that extend the changed one`() async throws {
    let plain = try sample("one")
    let request = Request(.get, plain.head.url, headers: [.host: "b.example"])
    let extended = StoredResponse(
      key: CacheKey(request),
      varying: .none,
      head: plain.head,
      body: ResourceBody(Data("two".utf8)),
      requestTime: plain.requestTime,
      responseTime: plain.responseTime
    )
    try build(plain, extended)
    let store = store()
    await store.invalidate(try .sample("http://a.example/other"), at: world.clock.date)
    #expect(await store.find(extended.key, for: [:]) != nil)

    await store.invalidate(plain.key, at: world.clock.date)

    #expect(await store.find(plain.key, for: [:]) == nil)
    #expect(await store.find(extended.key, for: [:]) == nil)
    #expect(try await store.copy(into: MemoryStore()) == 0)
  }

  @Test func `a listener may read the seeds when it hears that their manifest cannot be used`()
    throws
  {
    try Data("no manifest".utf8).write(to: sandbox.url.appendingPathComponent("seeds.json"))
    let own = Mutex<SeedStore?>(nil)
    let counts = Heard<Int?>()
    let store = SeedStore(directory: sandbox.url) { _ in
      counts.append(own.withLock { $0 }?.seeds.count)
    }
    own.withLock { $0 = store }

    #expect(store.seeds.isEmpty)

    #expect(counts.all == [0])
    own.withLock { $0 = nil }
  }
}
