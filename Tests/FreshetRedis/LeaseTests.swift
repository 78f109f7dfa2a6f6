#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// Leases whose messages are late or lost, and what is stored under them.
@Suite(.besideRedis, .timeLimit(.minutes(5))) struct LeaseTests {
  private static let url = "https://a.example/logo"

  @Test func `a lease that is granted after its asker has given up is given back`() async throws {
    let world = try await SharedWorld()
    let proxy = try LatencyProxy(to: world.server.port, delay: 0)
    let shared = try SharedStore("redis://127.0.0.1:\(proxy.port)") {
      $0.timeout = .milliseconds(100)
      $0.connectTimeout = .seconds(20)
    }
    try await shared.connect()
    #expect(try await eventually { shared.outage == nil })
    // The server grants it at once, and only the answer is late.
    proxy.setDelay(5_000)

    await #expect(throws: RedisFailure.self) {
      try await shared.takeLease("x", for: .seconds(120))
    }

    #expect(
      try await eventually {
        let isGranted = try await world.server.command("HGET", shared.names.control, "l") != ""
        let isHeld = try await world.server.command("EXISTS", shared.names.lease("x")) == "1"
        return isGranted && !isHeld
      }
    )
  }

  @Test func `a lease that is given back before it is granted is not granted`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let keys = [shared.names.lease("x"), shared.names.withdrawal("1.f")]
    let message = "x over"

    _ = try await shared.pool.run(
      .withdraw,
      keys,
      [.text("1.f"), .number(60_000), .text(shared.names.leases), .text(message)]
    )
    let reply = try await shared.pool.run(
      .lease,
      [shared.names.control] + keys,
      [.number(60_000), .text("1.f")]
    )

    #expect(reply.elements?.first?.number == -1)
    #expect(try await world.server.command("EXISTS", keys[0]) == "0")
    guard case .taken = try await shared.takeLease("x", for: .seconds(60)) else {
      Issue.record("others cannot take the lease")
      return
    }
  }

  @Test func `a lease that is given back wakes those who wait`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let keys = [shared.names.lease("x"), shared.names.withdrawal("1.f")]
    shared.pool.subscribe(shared.names.leases, isWanted: true)
    #expect(
      try await eventually {
        try await world.server.command("PUBSUB", "NUMSUB", shared.names.leases).hasSuffix("1")
      }
    )
    _ = try await shared.pool.run(
      .lease,
      [shared.names.control] + keys,
      [.number(60_000), .text("1.f")]
    )
    let waiter = shared.leases.waiter(for: "x")
    guard case .held = try await shared.takeLease("x", for: .seconds(60)) else {
      Issue.record("the lease is not held")
      return
    }

    _ = try await shared.pool.run(
      .withdraw,
      keys,
      [.text("1.f"), .number(60_000), .text(shared.names.leases), .text("x unstored")]
    )

    #expect(await waiter.end(within: .seconds(120)) == .unstored)
    #expect(try await world.server.command("EXISTS", keys[0]) == "0")
  }

  @Test func `the end of an earlier lease, heard late, is not that of the one a fetch waits for`()
    async throws
  {
    let hearing = LeaseHearing()
    let waiter = hearing.waiter(for: "x")
    hearing.hear("x unstored 4")
    let end = Task { await waiter.end(within: .seconds(240), of: 5) }
    #expect(try await eventually { hearing.waitingCount == 1 })

    hearing.hear("x stored 5")

    #expect(await end.value == .stored)
  }

  @Test func `a lease is given back although a task that has begun under it lives on`()
    async throws
  {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = try #require(try await Self.task(reading: stream, shared))

    #expect(
      try await eventually {
        try await world.server.command("EXISTS", shared.names.lease("x")) == "0"
      }
    )
    continuation.finish()
    #expect(await task.value)
  }

  /// Begins a task under a lease that nobody has, and returns it.
  private static func task(
    reading stream: AsyncStream<Void>,
    _ shared: SharedStore
  ) async throws -> Task<Bool, Never>? {
    guard case .taken(let lease) = try await shared.takeLease("x", for: .seconds(600)) else {
      return nil
    }
    return Fence.$current.withValue(Fence(lease: lease, keys: [])) {
      Task {
        for await _ in stream {}
        return Fence.current != nil
      }
    }
  }

  @Test func `a lease that ends during an outage is released after it`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected {
      $0.timeout = .seconds(5)
      $0.longestPause = .milliseconds(200)
    }
    guard case .taken(let lease) = try await shared.takeLease("x", for: .seconds(120)) else {
      Issue.record("nobody has the lease")
      return
    }
    world.server.signal(SIGSTOP)
    // From now on commands fail at once.
    #expect(await shared.find(CacheKey(try Request(Self.url)), for: [:]) == nil)
    #expect(shared.outage != nil)

    await lease.end(.stored)
    world.server.signal(SIGCONT)

    #expect(
      try await eventually {
        try await world.server.command("EXISTS", shared.names.lease("x")) == "0"
      }
    )
  }

  @Test func `a server without room releases leases`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    guard case .taken(let lease) = try await shared.takeLease("x", for: .seconds(120)) else {
      Issue.record("nobody has the lease")
      return
    }
    try await world.server.command("CONFIG", "SET", "maxmemory", "1")

    await lease.end(.stored)

    #expect(try await world.server.command("EXISTS", shared.names.lease("x")) == "0")
    await #expect(throws: RedisFailure.self) {
      try await shared.takeLease("x", for: .seconds(120))
    }
  }

  @Test(arguments: ["0", "1"])
  func `nobody waits for a response that was not stored, also if there is no room`(
    memory: String
  ) async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    guard case .taken(let lease) = try await shared.takeLease("x", for: .seconds(120)) else {
      Issue.record("nobody has the lease")
      return
    }
    try await world.server.command("CONFIG", "SET", "maxmemory", memory)

    await lease.end(.unstored, openTime: .seconds(600))

    guard case .open = try await shared.takeLease("x", for: .seconds(120)) else {
      Issue.record("the next one waits")
      return
    }
  }

  // MARK: - Fences

  /// A stage that makes a fetch of its own.
  private struct Nested: FetchStage {
    let run: @Sendable () async throws -> Void

    var handles: Fetch.Kinds { .wanted }

    func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply {
      do { try await run() } catch { throw .cancelled }
      return .pass
    }
  }

  @Test func `a fetch within a shared one does not store under its lease`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let elsewhere = try await SharedWorld()
    let other = try await elsewhere.connected()
    let transport = ScriptedTransport { _ in
      ScriptedResponse(.ok, headers: [.cacheControl: "max-age=60"], body: Data("one".utf8))
    }
    let nested = try StoredResponse.sample("https://a.example/token")
    let same = try StoredResponse.sample(Self.url)
    let limits = SharedStore.Coalescing(lease: .seconds(120), wait: .seconds(120))
    let chain = Fetch.request(try Request(Self.url))
      .lookup(in: shared)
      .coalesce(across: shared, limits)
      .appending(
        Nested {
          _ = try await shared.keep(nested)
          _ = try await other.keep(same)
        }
      )
      .download(over: transport)
      .persist(in: shared)

    let resource = try await chain.settle().value

    #expect("\(resource.explanation)".contains("shared: stored"))
    #expect(try await lease(of: same.key, shared) != nil)
    #expect(try await shared.read(nested.key).variants.count == 1)
    #expect(try await lease(of: nested.key, shared) == nil)
    #expect(try await other.read(same.key).variants.count == 1)
    #expect(try await lease(of: same.key, other) == nil)
  }

  private func lease(of key: CacheKey, _ store: SharedStore) async throws -> Int64? {
    try await store.read(key).variants.first?.lease
  }
}
#endif
