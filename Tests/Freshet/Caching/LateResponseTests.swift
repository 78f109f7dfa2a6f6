import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet

#if Redis && !canImport(Darwin)
import FreshetRedis
#endif

/// What comes after something newer is known is not kept.
@Suite struct LateResponseTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  typealias Store = TestedStore

  #if Redis && !canImport(Darwin)
  let server: RedisServer?

  init() async throws {
    server = RedisServer.executable == nil ? nil : try await RedisServer()
  }

  /// The store as another process has it.
  private var shared: SharedStore? {
    server.flatMap { server in
      try? SharedStore(server.url) {
        $0.timeout = .seconds(60)
        $0.connectTimeout = .seconds(60)
      }
    }
  }
  #endif

  private var disk: DiskStore {
    DiskStore(directory: sandbox.url.appendingPathComponent("store"))
  }

  private func store(_ store: Store) -> any ResourceStore {
    #if Redis && !canImport(Darwin)
    if store == .shared, let shared { return shared }
    #endif
    return store == .disk ? disk : MemoryStore()
  }

  private func client(
    _ store: Store,
    _ transport: some Transport,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    world.client(transport) {
      if store == .disk {
        $0.memory = nil
        $0.disk = disk
      }
      #if Redis && !canImport(Darwin)
      if store == .shared {
        $0.memory = nil
        $0.shared = shared
      }
      #endif
      configure(&$0)
    }
  }

  private func isStored(_ request: Request, _ client: Client) async -> Bool {
    let offline = ResourcePolicy { $0.network = .forbidden }
    return (try? await client.resource(request, policy: offline).value) != nil
  }

  // MARK: Invalidation

  @Test(arguments: Store.allCases, [200, 304])
  func `4.4: a response to a request from before a change is not stored after it`(
    store: Store,
    status: Int
  ) async throws {
    let gate = Gate()
    let transport = ScriptedTransport { [world] request in
      switch (request.method, request.headers.contains(.ifNoneMatch)) {
      case (.put, _): ScriptedResponse(204)
      case (_, true): world.response("old", status: HTTPStatus(status)).waiting(for: gate)
      default: world.response("old")
      }
    }
    let client = client(store, transport)
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))

    let late = client.resource(try world.request).start()
    await gate.waiting()
    world.clock.advance(by: .seconds(1))
    _ = try await client.send(try Request(.put, ClientWorld.url)).value
    gate.open()
    let resource = try await late.value

    #expect(try resource.text == "old")
    #expect(await isStored(try world.request, client) == false)
    _ = try await client.resource(try world.request).value
    #expect(await isStored(try world.request, client))
  }

  @Test(arguments: ["nothing", "change", "removal"])
  func `a whole that is the response to a range is as late as its request`(
    event: String
  ) async throws {
    let gate = Gate()
    let transport = ScriptedTransport { [world] request in
      request.method == .put
        ? ScriptedResponse(204) : world.response("old").waiting(for: gate)
    }
    let client = client(.disk, transport)
    var request = try world.request
    request.headers[.range] = "bytes=0-1"
    let late = client.resource(request).start()
    await gate.waiting()

    world.clock.advance(by: .seconds(1))
    switch event {
    case "change": _ = try await client.send(try Request(.put, ClientWorld.url)).value
    case "removal": try await remove("everything", from: .disk)
    default: break
    }
    gate.open()
    _ = try await late.value

    #expect(await isStored(try world.request, client) == (event == "nothing"))
  }

  @Test func `4.4: a change that is sent again after its redirect invalidates again`() async throws
  {
    let clock = VirtualClock()
    let orders = Request(ClientWorld.origin.appendingPathComponent("orders"))
    let count = Mutex(0)
    let transport = ScriptedTransport { [world] request in
      switch (request.method, request.url.path) {
      case (.get, "/orders"): return world.response("old")
      case (.get, _): return ScriptedResponse(503)
      default: break
      }
      let number = count.withLock { count in
        count += 1
        return count
      }
      let first = ScriptedResponse(303, headers: [.location: "/orders/5"])
      return number == 1 ? first : ScriptedResponse(201)
    }
    let client = client(.disk, transport) {
      $0.clock = clock
      $0.retry = RetryPolicy(retries: 1, after: .seconds(1))
      $0.retry?.eligibility = .all
    }
    let change = client.send(Request(.post, orders.url)).start()
    await clock.sleepers(count: 1)
    _ = try await client.resource(orders).value
    #expect(await isStored(orders, client))

    clock.advance(by: .seconds(1))

    #expect(try await change.value.status == 201)
    #expect(await isStored(orders, client) == false)
  }

  @Test func `4.4: another process does not store it either`()
    async throws
  {
    await disk.invalidate(try .sample(), at: Date(timeIntervalSinceReferenceDate: 2_000))

    let error = await #expect(throws: FreshetError.self) {
      try await disk.keep(try .sample(time: 1_500))
    }

    #expect(error == StoreFailure.Reason.invalidated.error)
    _ = try await disk.keep(try .sample(time: 2_002))
  }

  @Test func `4.4: what was made from a response is not stored after a change`() async throws {
    var request = try Request(.get, "https://example.org/logo.png")
    request.headers = [.host: "example.com", "X-Tenant": "a"]
    request.cacheIdentity = .url(with: ["X-Tenant"])
    let response = try StoredResponse.sample(time: 1_500)
    let made = StoredResponse(
      key: CacheKey(text: "\(CacheKey(request).text) derived 0a"),
      varying: .none,
      head: response.head,
      body: response.body,
      requestTime: response.requestTime,
      responseTime: response.responseTime
    )
    await disk.invalidate(try .sample(), at: Date(timeIntervalSinceReferenceDate: 2_000))

    await #expect(throws: StoreFailure.Reason.invalidated.error) { try await disk.keep(made) }
    #expect(await disk.invalidationTime(of: made.key) != nil)
  }

  /// Has no response be removed.
  private static let stuck = """
    CREATE TEMP TRIGGER stuck BEFORE DELETE ON response
    BEGIN SELECT RAISE(ABORT, 'stuck'); END
    """

  private func run(_ sql: String, on store: DiskStore) async throws {
    try await store.writer.perform { transaction throws(SQLiteError) in try transaction.run(sql) }
  }

  @Test func `a copy that cannot be removed is not used, and is removed when that is possible`()
    async throws
  {
    let store = disk
    _ = try await store.keep(try .sample())
    try await run(Self.stuck, on: store)

    await store.invalidate(try .sample(), at: Date(timeIntervalSinceReferenceDate: 2_000))

    #expect(try await store.statistics().count == 1)
    #expect(await store.find(try .sample(), for: [:]) == nil)
    try await run("DROP TRIGGER stuck", on: store)
    _ = try await store.keep(try .sample("https://example.org/other"))
    #expect(try await store.statistics().count == 1)
  }

  @Test(arguments: ["keep", "close"])
  func `an invalidation that waits is written before the next response, or at the end`(
    next: String
  ) async throws {
    let store = disk
    _ = try await store.keep(try .sample())
    try await run(Self.stuck, on: store)
    await store.invalidate(try .sample(), at: Date(timeIntervalSinceReferenceDate: 2_000))
    await #expect(throws: FreshetError.self) { try await store.keep(try .sample(time: 3_000)) }
    try await run("DROP TRIGGER stuck", on: store)

    if next == "keep" { _ = try await store.keep(try .sample(time: 3_000)) }
    await store.close()

    let later = await disk.find(try .sample(), for: [:])
    #expect((later != nil) == (next == "keep"))
  }

  @Test func `in a later launch, a fresh seed does not answer for a changed resource`()
    async throws
  {
    let folder = sandbox.url.appendingPathComponent("seeds")
    var builder = try SeedBuilder(directory: folder)
    try builder.add(
      try .sample(
        ClientWorld.url,
        headers: [.cacheControl: "max-age=100000", .date: HTTPDate.format(world.clock.date)],
        time: world.clock.date.timeIntervalSinceReferenceDate
      )
    )
    try builder.write()
    let transport = ScriptedTransport { _ in ScriptedResponse(204) }
    func launch() -> Client {
      world.client(transport) {
        $0.memory = MemoryStore()
        $0.seeds = SeedStore(directory: folder)
        $0.disk = disk
      }
    }
    #expect(await isStored(try world.request, launch()))
    world.clock.advance(by: .seconds(1))

    _ = try await launch().send(try Request(.put, ClientWorld.url)).value

    #expect(await isStored(try world.request, launch()) == false)
  }

  // MARK: Removal

  private func remove(_ how: String, from store: Store) async throws {
    let prefix = "http://a.example/"
    switch (store, how) {
    case (.memory, "key"): await world.memory.remove(try CacheKey.sample(ClientWorld.url))
    case (.memory, "tag"): world.memory.removeAll(tag: "ann")
    case (.memory, "prefix"): world.memory.removeAll(prefix: prefix)
    case (.memory, _): world.memory.removeAll()
    #if Redis && !canImport(Darwin)
    case (.shared, "key"): try await shared?.remove(try CacheKey.sample(ClientWorld.url))
    case (.shared, "tag"): try await shared?.removeAll(tag: "ann")
    case (.shared, "prefix"): try await shared?.removeAll(prefix: prefix)
    case (.shared, _): try await shared?.removeAll()
    #endif
    case (.disk, "key"): try await disk.remove(try CacheKey.sample(ClientWorld.url))
    case (.disk, "tag"): try await disk.removeAll(tag: "ann")
    case (.disk, "prefix"): try await disk.removeAll(prefix: prefix)
    case (.disk, _): try await disk.removeAll()
    }
  }

  /// On the disk, another instance removes it, as another process would.
  @Test(arguments: Store.allCases, ["everything", "key", "tag", "prefix"])
  func `a response to a request from before a removal of everything is not stored`(
    store: Store,
    how: String
  ) async throws {
    let gate = Gate()
    let transport = ScriptedTransport { [world] request in
      request.headers.contains("X-Slow")
        ? world.response("ann").waiting(for: gate) : world.response("bob")
    }
    let client = client(store, transport)
    var slow = try world.request
    slow.headers["X-Slow"] = "1"
    slow.tags = ["ann"]
    let late = client.resource(slow).start()
    await gate.waiting()

    try await remove(how, from: store)
    gate.open()

    #expect(try await late.value.text == "ann")
    #expect(await isStored(try world.request, client) == false)
    _ = try await client.resource(try world.request).value
    #expect(await isStored(try world.request, client))
  }

  @Test(arguments: Store.allCases, ["key", "tag", "prefix"])
  func `a removal does not affect other resources`(
    store: Store,
    how: String
  ) async throws {
    let gate = Gate()
    let transport = ScriptedTransport { [world] _ in world.response("b").waiting(for: gate) }
    let client = client(store, transport) { $0.partition = "bob" }
    let request = try Request("http://a.example/b")
    let late = client.resource(request).start()
    await gate.waiting()

    try await remove(how, from: store)
    gate.open()

    _ = try await late.value
    #expect(await isStored(request, client))
  }

  @Test(arguments: Store.allCases)
  func `a removal affects fetches and not values that are stored by hand`(
    kind: Store
  ) async throws {
    let store: any ResourceStore = kind == .memory ? world.memory : store(kind)
    let response = try StoredResponse.sample(time: Date().timeIntervalSinceReferenceDate)
    let asked = response.asked(at: .now)
    try await remove("everything", from: kind)

    let error = await #expect(throws: FreshetError.self) { try await store.keep(asked) }

    #expect(error == StoreFailure.Reason.removed.error)
    _ = try await store.keep(response)
    _ = try await store.keep(response.asked(at: .now))
  }

  // MARK: Older responses

  private func sample(_ text: String, time: Double, _ control: String = "") throws -> StoredResponse
  {
    let date = HTTPDate.format(Date(timeIntervalSinceReferenceDate: time))
    return try .sample(
      body: Data(text.utf8),
      headers: [.date: date, .cacheControl: control],
      time: time
    )
  }

  @Test(arguments: Store.allCases)
  func `4: an older response does not replace a newer one`(kind: Store) async throws {
    let store = store(kind)
    _ = try await store.keep(try sample("new", time: 2_000))

    let error = await #expect(throws: FreshetError.self) {
      try await store.keep(try sample("old", time: 1_000))
    }

    #expect(error == StoreFailure.Reason.older.error)
    let found = try #require(await store.find(try .sample(), for: [:]))
    #expect(try found.body.data() == Data("new".utf8))
  }

  @Test(arguments: Store.allCases)
  func `a server with a slow clock still replaces its responses`(
    kind: Store
  ) async throws {
    let store = store(kind)
    let ahead = HTTPDate.format(Date(timeIntervalSinceReferenceDate: 9_000))
    _ = try await store.keep(try .sample(headers: [.date: ahead], time: 1_000))

    _ = try await store.keep(try sample("new", time: 2_000))

    let found = try #require(await store.find(try .sample(), for: [:]))
    #expect(try found.body.data() == Data("new".utf8))
  }

  @Test(arguments: Store.allCases)
  func `a validation restores neither another body nor a removed one`(
    kind: Store
  ) async throws {
    let store = store(kind)
    let old = try await store.keep(try sample("old", time: 1_000))
    let validated = old.freshened(
      by: old.head,
      for: [:],
      requestTime: old.requestTime + 60,
      responseTime: old.responseTime + 60
    )

    try await store.remove(old.key)
    await #expect(throws: StoreFailure.Reason.bodyRemoved.error) {
      try await store.refresh(validated)
    }
    #expect(await store.find(try .sample(), for: [:]) == nil)
    _ = try await store.keep(try sample("new", time: 1_030))
    await #expect(throws: StoreFailure.Reason.bodyReplaced.error) {
      try await store.refresh(validated)
    }

    let found = try #require(await store.find(try .sample(), for: [:]))
    #expect(try found.body.data() == Data("new".utf8))
  }

  @Test(arguments: Store.allCases)
  func `a HEAD that is compared with an older copy does not change the newer one`(
    kind: Store
  ) async throws {
    let store = store(kind)
    let old = try await store.keep(try sample("old", time: 1_000))
    _ = try await store.keep(try sample("new", time: 2_000))

    await #expect(throws: StoreFailure.Reason.older.error) {
      try await store.refresh(old.outdated())
    }

    let found = try #require(await store.find(try .sample(), for: [:]))
    #expect(found.requestTime == Date(timeIntervalSinceReferenceDate: 1_999))
  }

  @Test(arguments: Store.allCases)
  func `a fetch that ends late leaves the newer response in the store`(store: Store) async throws {
    let gate = Gate()
    let transport = ScriptedTransport { [world] request in
      request.headers.contains("X-Slow")
        ? world.response("old").waiting(for: gate, at: .afterChunks(0))
        : world.response("new", headers: [.eTag: "\"v2\""])
    }
    let client = client(store, transport)
    let anew = ResourcePolicy { $0.network = .required }
    var slow = try world.request
    slow.headers["X-Slow"] = "1"
    let late = client.resource(slow, policy: anew).start()
    await gate.waiting()
    world.clock.advance(by: .seconds(5))
    _ = try await client.resource(try world.request, policy: anew).value

    gate.open()

    #expect(try await late.value.text == "old")
    #expect(try await client.resource(try world.request).value.text == "new")
  }

  @Test func `purging by age keeps what a HEAD marked a minute ago`() async throws {
    let now = Date()
    let store = disk
    let kept = try await store.keep(
      try .sample(time: now.timeIntervalSinceReferenceDate)
    )
    _ = try await store.refresh(kept.outdated())

    #expect(try await store.purge(olderThan: .seconds(86_400)) == 0)

    let found = try #require(await store.find(try .sample(), for: [:]))
    let reuse = ReusePolicy.reuse(found, for: Request(found.head.url), now: now)
    guard case .stale = reuse else {
      Issue.record("\(reuse)")
      return
    }
  }
}
