import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

#if Redis && !canImport(Darwin)
import FreshetRedis
#endif

/// Errors that are stored, which take no copy's place.
@Suite struct ErrorBesideTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  enum Store: CaseIterable {
    case memory
    case disk
    case both
    case afterLaunch
    #if Redis && !canImport(Darwin)
    case shared

    static var allCases: [Store] {
      let local: [Store] = [.memory, .disk, .both, .afterLaunch]
      return RedisServer.executable == nil ? local : local + [.shared]
    }
    #endif
  }

  #if Redis && !canImport(Darwin)
  private let server: RedisServer?

  init() async throws {
    server = RedisServer.executable == nil ? nil : try await RedisServer()
  }
  #endif

  /// What a client of some stores gets, call after call.
  private struct Caller {
    let store: Store
    let transport: ScriptedTransport
    let world: ClientWorld
    let directory: URL
    private let client: Client

    init(
      _ store: Store,
      _ transport: ScriptedTransport,
      _ world: ClientWorld,
      _ directory: URL,
      shared: (any SharedResourceStore)?
    ) {
      self.store = store
      self.transport = transport
      self.world = world
      self.directory = directory
      client = Self.client(store, transport, world, directory, shared: shared)
    }

    private static func client(
      _ store: Store,
      _ transport: ScriptedTransport,
      _ world: ClientWorld,
      _ directory: URL,
      shared: (any SharedResourceStore)? = nil
    ) -> Client {
      world.client(transport) {
        if let shared {
          $0.memory = nil
          $0.shared = shared
          return
        }
        if store != .memory { $0.disk = DiskStore(directory: directory) }
        if store == .disk || store == .afterLaunch { $0.memory = nil }
      }
    }

    /// The status and the body of the final response.
    func get(
      _ headers: HTTPHeaders = [:],
      _ configure: (inout ResourcePolicy) -> Void = { _ in }
    ) async throws -> String {
      // Another launch has nothing but the directory.
      let client =
        store == .afterLaunch ? Self.client(store, transport, world, directory) : client
      let request = Request(.get, try world.request.url, headers: headers)
      let response = try await client.send(request) { $0.cache = ResourcePolicy(configure) }.value
      if store == .afterLaunch { await client.configuration.disk?.close() }
      return "\(response.status.rawValue) \(String(decoding: response.value, as: UTF8.self))"
    }
  }

  /// The responses are made when they are asked for, so that their dates are right; the last one answers
  /// all that follows.
  private func caller(
    _ store: Store,
    _ responses: [@Sendable (ClientWorld) -> ScriptedResponse]
  ) -> Caller {
    let directory = sandbox.url.appendingPathComponent("store")
    let count = Mutex(0)
    let transport = ScriptedTransport { [world] _ in
      let number = count.withLock { count in
        defer { count += 1 }
        return min(count, responses.count - 1)
      }
      return responses[number](world)
    }
    return Caller(store, transport, world, directory, shared: shared(store))
  }

  /// A store in the test's server; `nil` for the other kinds.
  private func shared(_ store: Store) -> (any SharedResourceStore)? {
    #if Redis && !canImport(Darwin)
    guard store == .shared, let server else { return nil }
    return try? SharedStore(
      server.url,
      {
        $0.timeout = .seconds(60)
        $0.connectTimeout = .seconds(60)
      },
      now: world.now
    )
    #else
    return nil
    #endif
  }

  @Test func `a copy that a newer error ends has an unknown age`() async throws {
    let client = world.client(
      ScriptedTransport(sequence: [
        world.response("one"), ScriptedResponse(404), world.response("two"),
      ])
    )
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))
    _ = try? await client.resource(try world.request).value

    let resource = try await client.resource(try world.request).value

    #expect(try resource.text == "two")
    #expect("\(resource.explanation)".contains("age unknown, over 60 s"))
  }

  @Test(arguments: Store.allCases, [400, 403, 404, 500, 502, 503, 504, 599])
  func `3: an error is reused while it is fresh, and never when it is stale`(
    store: Store,
    status: Int
  ) async throws {
    let caller = caller(
      store,
      [{ $0.response("bad", status: HTTPStatus(status)) }, { $0.response("good") }]
    )

    #expect(try await caller.get() == "\(status) bad")
    world.clock.advance(by: .seconds(59))
    #expect(try await caller.get() == "\(status) bad")
    #expect(caller.transport.counts.started == 1)
    world.clock.advance(by: .seconds(1))
    #expect(try await caller.get([.cacheControl: "max-stale"]) == "200 good")
  }

  @Test(arguments: [
    ("must-understand, max-age=60", 503, 1), ("must-understand, no-store, max-age=60", 503, 1),
    ("must-understand, max-age=60", 599, 2), ("max-age=0", 503, 2), ("private", 503, 2),
    ("no-store, max-age=60", 503, 2), ("no-cache, max-age=60", 503, 2),
  ])
  func `3: an error is stored by its own fields`(
    control: String,
    status: Int,
    asked: Int
  ) async throws {
    let caller = caller(
      .memory,
      [{ $0.response("bad", control: control, status: HTTPStatus(status), headers: [:]) }]
    )

    _ = try await caller.get()
    _ = try await caller.get([.cacheControl: "max-stale"])

    #expect(caller.transport.counts.started == asked)
  }

  @Test func `4.2.1: Expires makes an error fresh, and public by heuristic`() async throws {
    let past = HTTPDate.format(world.clock.date.addingTimeInterval(-1_000))
    let soon = HTTPDate.format(world.clock.date.addingTimeInterval(60))
    for headers in [[.expires: soon], [.cacheControl: "public", .lastModified: past]]
      as [HTTPHeaders]
    {
      world.memory.removeAll()
      let date: HTTPHeaders = [.date: HTTPDate.format(world.clock.date)]
      let caller = caller(.memory, [{ _ in ScriptedResponse(503, headers: date.merging(headers)) }])
      world.clock.advance(by: .milliseconds(1))

      #expect(try await caller.get() == "503 ")
      #expect(try await caller.get() == "503 ")

      #expect(caller.transport.counts.started == 1)
    }
  }

  @Test(arguments: Store.allCases, [404, 403, 503])
  func `3: a fresh error answers beside the copy, which is validated afterwards`(
    store: Store,
    status: Int
  ) async throws {
    let caller = caller(
      store,
      [
        { $0.response("good", control: "max-age=60, must-revalidate") },
        { $0.response("bad", control: "max-age=30", status: HTTPStatus(status), headers: [:]) },
        { $0.response("", control: "max-age=60", status: 304) },
      ]
    )

    #expect(try await caller.get() == "200 good")
    world.clock.advance(by: .seconds(61))
    #expect(try await caller.get() == "\(status) bad")
    world.clock.advance(by: .seconds(29))
    #expect(try await caller.get() == "\(status) bad")
    #expect(caller.transport.counts.started == 2)
    world.clock.advance(by: .seconds(1))
    #expect(try await caller.get() == "200 good")

    #expect(caller.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
    #expect(try await caller.get() == "200 good")
    #expect(caller.transport.counts.started == 3)
  }

  @Test(arguments: Store.allCases)
  func `RFC 5861 4: a copy within stale-if-error also replaces a stored failure`(
    store: Store
  ) async throws {
    let caller = caller(
      store,
      [
        { $0.response("good", control: "max-age=60, stale-if-error=100") },
        { $0.response("bad", control: "max-age=30", status: 503, headers: [:]) },
        { $0.response("bad", control: "max-age=60", status: 503, headers: [:]) },
      ]
    )
    #expect(try await caller.get() == "200 good")
    world.clock.advance(by: .seconds(61))

    #expect(try await caller.get() == "200 good")
    world.clock.advance(by: .seconds(29))
    #expect(try await caller.get() == "200 good")
    #expect(caller.transport.counts.started == 2)
    world.clock.advance(by: .seconds(1))
    #expect(try await caller.get() == "200 good")
    #expect(caller.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
    world.clock.advance(by: .seconds(59))
    #expect(try await caller.get() == "200 good")
    #expect(caller.transport.counts.started == 3)
  }

  @Test(arguments: Store.allCases)
  func `RFC 5861 4: after the window the stored failure answers`(store: Store) async throws {
    let caller = caller(
      store,
      [
        { $0.response("good", control: "max-age=60, stale-if-error=10") },
        { $0.response("bad", control: "max-age=30", status: 503, headers: [:]) },
      ]
    )
    _ = try await caller.get()
    world.clock.advance(by: .seconds(65))
    #expect(try await caller.get() == "200 good")
    world.clock.advance(by: .seconds(6))

    #expect(try await caller.get() == "503 bad")
    #expect(caller.transport.counts.started == 2)
  }

  @Test(arguments: [ExpiryPolicy.http, .after(.seconds(7_200)), .never], [404, 410])
  func `4.2.2: a heuristic keeps an error fresh for five minutes, whatever the client's policy`(
    expiry: ExpiryPolicy,
    status: Int
  ) async throws {
    let old = HTTPDate.format(world.clock.date.addingTimeInterval(-8_640_000))
    let caller = caller(
      .both,
      [
        { $0.response("good", control: "max-age=60") },
        { world in
          let date = HTTPDate.format(world.clock.date)
          return ScriptedResponse(HTTPStatus(status), headers: [.date: date, .lastModified: old])
        },
        { $0.response("", status: 304) },
      ]
    )
    _ = try await caller.get()
    world.clock.advance(by: .seconds(61))
    let reload: HTTPHeaders = [.cacheControl: "no-cache"]
    #expect(try await caller.get(reload) == "\(status) ")

    world.clock.advance(by: .seconds(299))
    #expect(try await caller.get { $0.expiry = expiry } == "\(status) ")
    #expect(caller.transport.counts.started == 2)
    world.clock.advance(by: .seconds(1))
    #expect(try await caller.get { $0.expiry = expiry } == "200 good")
    #expect(caller.transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
  }

  @Test(arguments: Store.allCases)
  func `the copy beside an error is used when the network fails`(store: Store) async throws {
    let caller = caller(
      store,
      [
        { $0.response("good", control: "max-age=60, stale-if-error=600") },
        { $0.response("bad", control: "max-age=30", status: 404, headers: [:]) },
        { _ in .failure(.connection(.refused, url: ClientWorld.url)) },
      ]
    )
    _ = try await caller.get()
    world.clock.advance(by: .seconds(61))
    #expect(try await caller.get() == "404 bad")
    world.clock.advance(by: .seconds(31))

    #expect(try await caller.get() == "200 good")
    #expect(try await caller.get { $0.network = .forbidden } == "200 good")
  }

  @Test(arguments: [false, true])
  func `the copy on the disk is used beside an error in memory, whatever seed there is`(
    hasSeed: Bool
  ) async throws {
    let seeds = sandbox.url.appendingPathComponent("seeds")
    if hasSeed {
      var builder = try SeedBuilder(directory: seeds)
      let seed = try StoredResponse.sample(
        ClientWorld.url,
        body: Data("seed".utf8),
        headers: [.eTag: "\"0\"", .cacheControl: "max-age=60"],
        time: world.clock.date.timeIntervalSinceReferenceDate - 86_400
      )
      _ = try builder.add(seed)
      try builder.write()
    }
    let transport = caller(
      .both,
      [
        { $0.response(String(repeating: "x", count: 20_000)) },
        { $0.response("bad", control: "max-age=30", status: 404, headers: [:]) },
        { $0.response("", status: 304) },
      ]
    )
    .transport
    let client = world.client(transport) {
      $0.memory = MemoryStore(configuration: .init(costLimit: 1 << 20, entryLimit: 8_000))
      $0.disk = DiskStore(directory: sandbox.url.appendingPathComponent("disk"))
      if hasSeed { $0.seeds = SeedStore(directory: seeds) }
    }
    #expect(try await client.resource(try world.request).value.source == .network)
    world.clock.advance(by: .seconds(61))
    await #expect(throws: FreshetError.self) {
      try await client.resource(try world.request).value
    }
    world.clock.advance(by: .seconds(31))

    let resource = try await client.resource(try world.request).value

    #expect(resource.source == .disk && resource.freshness == .revalidated)
    #expect(transport.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
  }

  @Test func `an error in memory answers without reading the disk for a missing copy`()
    async throws
  {
    let transport = ScriptedTransport(sequence: [world.response("none", status: 404)])
    let disk = CountingStore()
    let request = try world.request
    func status(_ memory: MemoryStore) async throws -> Int {
      let chain = Fetch.request(request)
        .lookup(in: memory)
        .lookup(in: disk)
        .checkExpiry(.http, now: world.now)
        .persist(in: memory)
        .download(over: transport, now: world.now)
        .persist(in: disk)
        .persist(in: memory)
      do {
        return try await chain.settle().value.status.rawValue
      } catch .status(let head, _) {
        return head.status.rawValue
      }
    }
    // One that it was downloaded for, and one that has it from the disk.
    for memory in [world.memory, MemoryStore()] {
      #expect(try await status(memory) == 404)
      let count = disk.lookups
      #expect(try await status(memory) == 404)
      #expect(disk.lookups == count)
    }
    #expect(transport.counts.started == 1)
  }

  @Test(arguments: Store.allCases)
  func `a new copy removes the error`(store: Store) async throws {
    let caller = caller(
      store,
      [
        { $0.response("bad", control: "max-age=600", status: 404, headers: [:]) },
        { $0.response("good") },
      ]
    )
    #expect(try await caller.get() == "404 bad")

    #expect(try await caller.get { $0.network = .required } == "200 good")

    #expect(try await caller.get() == "200 good")
    #expect(caller.transport.counts.started == 2)
    if store == .memory { #expect(world.memory.count == 1) }
  }

  @Test(arguments: Store.allCases)
  func `4.1: an error of one variant keeps the copy of another`(store: Store) async throws {
    let vary: HTTPHeaders = [.vary: "X-Choice", .eTag: "\"v1\""]
    let caller = caller(
      store,
      [
        { $0.response("one", headers: vary) },
        { $0.response("bad", status: 404, headers: [.vary: "X-Choice"]) },
        { $0.response("never") },
      ]
    )

    for _ in 0..<2 {
      #expect(try await caller.get(["X-Choice": "1"]) == "200 one")
      #expect(try await caller.get(["X-Choice": "2"]) == "404 bad")
    }
  }

  @Test(arguments: [true, false])
  func `a late error is not stored beside a newer copy`(onDisk: Bool) async throws {
    let store: any ResourceStore = onDisk ? DiskStore(directory: sandbox.url) : MemoryStore()
    let now = world.clock.date
    func response(_ status: HTTPStatus, _ seconds: Double) throws -> StoredResponse {
      let date = now.addingTimeInterval(seconds)
      return StoredResponse(
        key: CacheKey(try world.request),
        varying: .none,
        head: ResponseHead(
          status: status,
          headers: [.date: HTTPDate.format(date), .cacheControl: "max-age=600"],
          url: try world.request.url
        ),
        body: ResourceBody(Data("x".utf8)),
        requestTime: date,
        responseTime: date
      )
    }
    _ = try await store.keep(try response(200, -10))

    await #expect(throws: FreshetError.self) { try await store.keep(try response(404, -20)) }
    _ = try await store.keep(try response(404, -5))

    let found = await store.find(CacheKey(try world.request), for: [:])
    #expect(found?.head.status == .notFound)
  }

  @Test func `a store with one place gets no error for its copy`() async throws {
    let store = SinglePlaceStore()
    let chain = { [world] (transport: ScriptedTransport) throws -> ResourceSequence in
      Fetch.request(try world.request).lookup(in: store)
        .checkExpiry(now: world.now)
        .revalidate(over: transport, now: world.now)
        .download(over: transport, now: world.now)
        .persist(in: store)
        .settle()
    }
    let transport = caller(
      .memory,
      [
        { $0.response("good", control: "max-age=60, must-revalidate") },
        { $0.response("bad", status: 404, headers: [:]) },
      ]
    )
    .transport
    _ = try await chain(transport).value
    world.clock.advance(by: .seconds(61))

    await #expect(throws: FreshetError.self) { try await chain(transport).value }

    #expect(store.memory.peek(try world.request)?.head.status == .ok)
  }
}

/// A store of an app's own, which knows of no errors.
private final class SinglePlaceStore: ResourceStore {
  let memory = MemoryStore()
  let source = Resource.Source.disk

  func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    await memory.find(key, for: headers)
  }

  func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await memory.keep(response)
  }

  func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await memory.refresh(response)
  }

  func remove(_ key: CacheKey) async throws(FreshetError) { await memory.remove(key) }
}

/// A store in the disk's place that counts the lookups.
private final class CountingStore: ResourceStore {
  let source = Resource.Source.disk
  let keepsErrorsBeside = true
  private let base = MemoryStore()
  private let count = Mutex(0)

  var lookups: Int { count.withLock { $0 } }

  func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    count.withLock { $0 += 1 }
    return await base.find(key, for: headers)
  }

  func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await base.keep(response)
  }

  func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await base.refresh(response)
  }

  func remove(_ key: CacheKey) async { await base.remove(key) }
}
