import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet

#if Redis && !canImport(Darwin)
import FreshetRedis
#endif

/// Changes and removals count in the order in which they came, whatever a clock said then.
@Suite struct ClockOrderTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  typealias Store = TestedStore

  #if Redis && !canImport(Darwin)
  private let server: RedisServer?

  init() async throws {
    server = RedisServer.executable == nil ? nil : try await RedisServer()
  }
  #endif

  /// A shared store that knows its position in the server's order; `nil` for the other kinds.
  private func shared(
    _ store: Store,
    _ name: String = "order"
  ) async throws -> (any SharedResourceStore)? {
    #if Redis && !canImport(Darwin)
    guard store == .shared, let server else { return nil }
    let shared = try SharedStore(
      server.url,
      {
        $0.timeout = .seconds(60)
        $0.connectTimeout = .seconds(60)
        $0.prefix = name
      },
      now: world.now
    )
    try await shared.connect()
    return shared
    #else
    return nil
    #endif
  }

  private var disk: DiskStore {
    DiskStore(directory: sandbox.url.appendingPathComponent("store"))
  }

  private func store(
    _ store: Store,
    _ name: String = "other"
  ) async throws -> any ResourceStore {
    if let shared = try await shared(store, name) { return shared }
    guard store == .disk else { return MemoryStore() }
    return DiskStore(directory: sandbox.url.appendingPathComponent(name))
  }

  private func isStored(_ request: Request, _ client: Client) async -> Bool {
    let offline = ResourcePolicy { $0.network = .forbidden }
    return (try? await client.resource(request, policy: offline).value) != nil
  }

  /// An origin whose slow responses wait at a gate, and whose `PUT` changes the body.
  private struct Scene {
    let client: Client
    let gate = Gate()
    let world: ClientWorld

    init(_ world: ClientWorld, _ configure: (inout Client.Configuration) -> Void) {
      let (gate, body) = (gate, Body())
      self.world = world
      let transport = ScriptedTransport { request in
        if request.method == .put {
          body.number.wrappingAdd(1, ordering: .relaxed)
          return ScriptedResponse(204)
        }
        let response = world.response(
          "\(body.number.load(ordering: .relaxed))",
          control: "max-age=864000"
        )
        return request.headers.contains("X-Slow") ? response.waiting(for: gate) : response
      }
      client = world.client(transport, configure)
    }

    func change() async throws {
      _ = try await client.send(try Request(.put, ClientWorld.url)).value
    }

    func slowFetch() async throws -> Task<Resource, any Error> {
      var slow = try world.request
      slow.headers["X-Slow"] = "1"
      let fetch = client.resource(slow, policy: ResourcePolicy { $0.network = .required })
      let late = Task { try await fetch.value }
      await gate.waiting()
      return late
    }
  }

  private final class Body: Sendable {
    let number = Atomic(1)
  }

  private func scene(_ store: Store) async throws -> Scene {
    let shared = try await shared(store)
    return Scene(world) {
      guard store != .memory else { return }
      $0.memory = nil
      if store == .disk { $0.disk = disk }
      $0.shared = shared
    }
  }

  static let days: [Double] = [-400, -2, -0.01, 0, 0.01, 2, 400]

  @Test(arguments: Store.allCases, days)
  func `a fetch from before a change is late although another clock recorded an earlier change`(
    store: Store,
    days: Double
  ) async throws {
    let scene = try await scene(store)
    let date = world.clock.date
    world.clock.date = date + days * 86_400
    try await scene.change()
    world.clock.date = date
    let late = try await scene.slowFetch()
    world.clock.advance(by: .seconds(1))
    try await scene.change()

    scene.gate.open()

    _ = try await late.value
    #expect(await isStored(try world.request, scene.client) == false)
    #expect(try await scene.client.resource(try world.request).value.text == "3")
  }

  @Test(arguments: Store.allCases, days)
  func `a fetch from before a change is late although the clock was set`(
    store: Store,
    days: Double
  ) async throws {
    let scene = try await scene(store)
    let late = try await scene.slowFetch()
    world.clock.date += days * 86_400
    try await scene.change()

    scene.gate.open()

    _ = try await late.value
    #expect(await isStored(try world.request, scene.client) == false)
  }

  @Test(arguments: Store.allCases, days)
  func `a fetch from after a change is stored although the clock was set`(
    store: Store,
    days: Double
  ) async throws {
    let scene = try await scene(store)
    try await scene.change()
    world.clock.date += days * 86_400

    _ = try await scene.client.resource(try world.request).value

    #expect(await isStored(try world.request, scene.client))
  }

  @Test func `another process stores nothing from before a change, whatever its clock shows`()
    async throws
  {
    let response = try StoredResponse.sample(time: 900_000_000)
    let fetched = response.known(since: .now)
    await disk.invalidate(response.key, at: Date(timeIntervalSinceReferenceDate: 100))

    await #expect(throws: StoreFailure.Reason.invalidated.error) { try await disk.keep(fetched) }
    _ = try await disk.keep(try StoredResponse.sample(time: 100).known(since: .now))
  }

  @Test(arguments: Store.allCases, days)
  func `a newer response stays although the clock was set back`(
    store: Store,
    days: Double
  ) async throws {
    let store = try await self.store(store)
    let (first, second) = (EventInstant.now, EventInstant.now)
    let time = 800_000_000.0
    let newer = try sample("new", date: time + 10, time: time + days * 86_400)
    _ = try await store.keep(newer.known(since: second))

    await #expect(throws: StoreFailure.Reason.older.error) {
      try await store.keep(try sample("old", date: time, time: time + 5).known(since: first))
    }
  }

  private func sample(_ text: String, date: Double, time: Double) throws -> StoredResponse {
    let date = HTTPDate.format(Date(timeIntervalSinceReferenceDate: date))
    return try .sample(body: Data(text.utf8), headers: [.date: date], time: time)
  }

  // MARK: What has no order

  @Test(arguments: Store.allCases)
  func `a response without a fetch is compared with the last change`(
    kind: Store
  ) async throws {
    let (now, day) = (Date().timeIntervalSinceReferenceDate, 86_400.0)
    let key = try CacheKey.sample()
    let late: [(changes: [Double], time: Double)] = [
      ([2 * day, 0], -5), ([2 * day], -5), ([400 * day], -5), ([0, 2 * day], -5), ([0], -3 * day),
      ([0], -400 * day), ([0], 2 * day), ([2 * day, -2 * day, 0], -5), ([1], 0), ([10, 5], 8),
    ]
    for (changes, time) in late {
      let store = try await store(kind, "\(changes) \(time)")
      for change in changes {
        await store.invalidate(key, at: Date(timeIntervalSinceReferenceDate: now + change))
      }
      let error = await #expect(throws: FreshetError.self, "\(changes) \(time)") {
        try await store.keep(try .sample(time: now + time))
      }
      #expect(error == StoreFailure.Reason.invalidated.error)
    }
    let store = try await store(kind)
    await store.invalidate(key, at: Date(timeIntervalSinceReferenceDate: now + 2 * day))
    _ = try await store.keep(try .sample(time: now + 7_200))
    #expect(await store.find(key, for: [:]) != nil)
  }

  @Test func `a seed from before a change is not copied, and later seeds are`() async throws {
    let folder = sandbox.url.appendingPathComponent("seeds")
    var builder = try SeedBuilder(directory: folder)
    for name in ["a", "b"] {
      try builder.add(try .sample("https://example.org/\(name)", time: 1_000))
    }
    try builder.write()
    let memory = MemoryStore()
    await memory.invalidate(
      try .sample("https://example.org/a"),
      at: Date(timeIntervalSinceReferenceDate: 800_000_000)
    )

    #expect(try await SeedStore(directory: folder).copy(into: memory) == 1)

    #expect(await memory.find(try .sample("https://example.org/a"), for: [:]) == nil)
  }

  // MARK: Bounds

  @Test func `a store that dropped a change stores nothing from before it`() async throws {
    let (memory, disk) = (MemoryStore(), disk)
    let late = try StoredResponse.sample().known(since: .now)
    let marks = try (0...Invalidations.limit)
      .map { number in
        (try CacheKey.sample("https://example.org/\(number)"), ChangeMark(Date(), heard: .now))
      }
    for key in [late.key] + marks.map(\.0) { await memory.invalidate(key, at: Date()) }
    await disk.invalidate(late.key, at: Date())
    try await disk.writer.perform { transaction throws(SQLiteError) in
      for (key, mark) in marks { try transaction.invalidate(key, mark) }
    }

    for store in [memory, disk] as [any ResourceStore] {
      #expect(await store.invalidationTime(of: late.key) == nil)
      await #expect(throws: StoreFailure.Reason.invalidated.error) { try await store.keep(late) }
      _ = try await store.keep(try StoredResponse.sample().known(since: .now))
    }
  }

  @Test func `a store that dropped a removal stores nothing that was requested before it`()
    async throws
  {
    let (memory, disk) = (MemoryStore(), disk)
    let late = try StoredResponse.sample(tags: ["first"]).asked(at: .now)
    memory.removeAll(tag: "first")
    try await disk.removeAll(tag: "first")
    for number in 0...Invalidations.limit { memory.removeAll(tag: "\(number)") }
    try await disk.writer.perform { transaction throws(SQLiteError) in
      for number in 0...Invalidations.limit { try transaction.note(.tag("\(number)"), at: .now) }
    }

    for store in [memory, disk] as [any ResourceStore] {
      await #expect(throws: StoreFailure.Reason.removed.error) { try await store.keep(late) }
      _ = try await store.keep(try StoredResponse.sample(tags: ["first"]).asked(at: .now))
    }
  }

  // MARK: Order

  private func instant(_ uptime: Int64, boot: UInt64 = 1, date: Double = 0) -> EventInstant {
    EventInstant(boot: boot, uptime: uptime, date: Date(timeIntervalSince1970: date))
  }

  @Test func `an unknown order counts as a change`() {
    let now = instant(100, date: 1_000_000)
    let table: [(EventInstant, EventInstant, Bool)] = [
      (instant(10), instant(20), true), (instant(20), instant(20), true),
      (instant(21), instant(20), false),
      // One of the two is still to come: the clock was set back.
      (instant(50), instant(200), true), (instant(300), instant(20), true),
      // The machine was started again in between.
      (instant(500, boot: 2, date: 9e9), instant(20), true),
      (instant(50, date: 1_000_000), instant(900, boot: 2, date: 900_000), false),
      (instant(50, date: 1_000_000), instant(900, boot: 2, date: 1_000_010), true),
      (instant(50, date: 1_000_000), instant(900, boot: 2, date: 1_100_000), false),
      (instant(5, boot: 2, date: 10), instant(6, boot: 3, date: 1_100_000), true),
      (instant(5, boot: 2, date: 10), instant(6, boot: 3, date: 9), false),
    ]
    for (own, change, mayPrecede) in table {
      #expect(own.mayPrecede(change, now: now) == mayPrecede, "\(own) \(change)")
    }
  }

  @Test func `a monotonic clock that was set back is corrected for later records`() async throws {
    let ahead = EventInstant(
      boot: EventInstant.now.boot,
      uptime: EventInstant.now.uptime + 172_800_000_000_000,
      date: Date() + 172_800
    )
    let (key, disk) = (try CacheKey.sample(), disk)
    var changes = Invalidations()
    changes.note(key, ChangeMark(ahead.date, heard: ahead))
    var removals = Removals()
    removals.note(.key(key), at: ahead)
    try await disk.writer.perform { transaction throws(SQLiteError) in
      try transaction.invalidate(key, ChangeMark(ahead.date, heard: ahead))
      try transaction.note(.everything, at: ahead)
    }
    func fetched() throws -> StoredResponse {
      try StoredResponse.sample().known(since: .now).asked(at: .now)
    }

    let first = try fetched()
    var concerns = [changes.concern(first), removals.concern(first)]
    #expect(concerns == [true, true])
    await #expect(throws: StoreFailure.Reason.invalidated.error) { try await disk.keep(first) }
    await #expect(throws: StoreFailure.Reason.removed.error) { try await disk.keep(try fetched()) }
    let second = try fetched()
    concerns = [changes.concern(second), removals.concern(second)]
    #expect(concerns == [false, false])
    _ = try await disk.keep(second)
  }

  @Test func `a removal concerns what was requested before the monotonic clock was set back`()
    async throws
  {
    let now = EventInstant.now
    let ahead = EventInstant(
      boot: now.boot,
      uptime: now.uptime + 172_800_000_000_000,
      date: now.date + 172_800
    )
    let (disk, response) = (disk, try StoredResponse.sample().asked(at: ahead))
    var removals = Removals()
    removals.note(.everything)
    try await disk.removeAll()

    let isRemoved = removals.concern(response)
    #expect(isRemoved)
    await #expect(throws: StoreFailure.Reason.removed.error) { try await disk.keep(response) }
  }

  @Test func `the order is stored with a response and applies in other stores`()
    async throws
  {
    let (memory, disk) = (MemoryStore(), disk)
    let response = try StoredResponse.sample(time: 900_000_000).known(since: .now)
    _ = try await disk.keep(response)
    await memory.invalidate(response.key, at: Date(timeIntervalSinceReferenceDate: 5))

    let found = try #require(await disk.find(response.key, for: [:]))

    #expect(found.knownSince == response.knownSince)
    await #expect(throws: StoreFailure.Reason.invalidated.error) {
      try await memory.keep(found.asked(at: .now))
    }
  }
}

extension StoredResponse {
  /// The response as a fetch brings it.
  func known(since instant: EventInstant) -> StoredResponse {
    StoredResponse(
      key: key,
      varying: varying,
      head: head,
      body: body,
      digest: nil,
      requestTime: requestTime,
      responseTime: responseTime,
      knownAt: knownAt,
      knownSince: instant,
      tags: tags
    )
  }
}
