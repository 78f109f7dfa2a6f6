#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// What fails is a miss, and nothing wrong is served.
@Suite(.besideRedis) struct SharedFailureTests {
  static let url = "https://a.example/logo"

  private final class Tally: Sendable {
    let count = Mutex(0)
  }

  private func client(
    _ shared: SharedStore,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    Client {
      $0.transport = ScriptedTransport { _ in
        ScriptedResponse(.ok, headers: [.cacheControl: "max-age=60"], body: Data("one".utf8))
      }
      $0.memory = nil
      $0.shared = shared
      configure(&$0)
    }
  }

  @Test func `nobody at the address is a miss, which the explanation says`() async throws {
    let port = try FreePorts.take(1)[0]
    let shared = try SharedStore("redis://127.0.0.1:\(port)")
    let resource = try await client(shared).resource(Request(Self.url)).value

    #expect(try resource.text == "one")
    #expect("\(resource.explanation)".contains("shared: miss, "))
    #expect("\(resource.explanation)".contains("shared: not stored"))
    #expect(shared.outage != nil)
  }

  @Test func `a server that stands still costs one time-out, and is used again afterwards`()
    async throws
  {
    let world = try await SharedWorld()
    let shared = try await world.connected { $0.timeout = .seconds(2) }
    let client = client(shared)
    #expect(
      try await eventually {
        try await client.resource(Request(Self.url)).value.source == .shared
      }
    )
    let before = shared.lateCount
    world.server.signal(SIGSTOP)

    let first = try await client.resource(Request(Self.url)).value
    for number in 0..<100 {
      _ = try await client.resource(Request("\(Self.url)?\(number)")).value
    }
    world.server.signal(SIGCONT)

    #expect("\(first.explanation)".contains("shared: miss, no answer within 2000 ms"))
    #expect(shared.lateCount == before + 1)
    #expect(try await eventually { shared.outage == nil })
    let hit = try await client.resource(Request(Self.url)).value
    #expect(hit.source == .shared)
  }

  @Test func `replies that take longer than the time-out are misses until they do not`()
    async throws
  {
    let world = try await SharedWorld()
    let proxy = try LatencyProxy(to: world.server.port, delay: 0)
    let shared = try SharedStore("redis://127.0.0.1:\(proxy.port)") {
      $0.timeout = .seconds(1)
      $0.connectTimeout = .seconds(20)
      $0.longestPause = .milliseconds(200)
    }
    try await shared.connect()
    let client = client(shared)
    #expect(
      try await eventually {
        try await client.resource(Request(Self.url)).value.source == .shared
      }
    )
    proxy.setDelay(10_000)

    let before = shared.lateCount
    let first = try await client.resource(Request(Self.url)).value
    #expect("\(first.explanation)".contains("shared: miss, no answer within 1000 ms"))
    for _ in 0..<50 {
      let resource = try await client.resource(Request(Self.url)).value
      #expect(resource.source == .network)
      #expect("\(resource.explanation)".contains("shared: miss, "))
    }
    proxy.setDelay(0)

    #expect(shared.lateCount == before + 1)
    #expect(
      try await eventually {
        try await client.resource(Request(Self.url)).value.source == .shared
      }
    )
  }

  @Test func `a server that is killed and started again begins empty, and is used`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected { $0.longestPause = .milliseconds(200) }
    let client = client(shared)
    _ = try await client.resource(Request(Self.url)).value
    let late = try StoredResponse.sample().asked(at: .now)
    world.server.kill()

    for _ in 0..<10 {
      let resource = try await client.resource(Request(Self.url)).value
      #expect(resource.source == .network)
    }
    try await world.server.start()

    #expect(try await eventually { shared.outage == nil })
    let resource = try await client.resource(Request(Self.url)).value
    #expect(resource.source == .network)
    #expect("\(resource.explanation)".contains("shared: stored"))
    #expect(try await client.resource(Request(Self.url)).value.source == .shared)
    await #expect(throws: StoreFailure.Reason.removed.error) { try await shared.keep(late) }
  }

  @Test func `a snapshot of before a removal brings nothing back`() async throws {
    let world = try await SharedWorld(["--dbfilename", "dump.rdb"])
    let shared = try await world.connected { $0.longestPause = .milliseconds(200) }
    let response = try StoredResponse.sample()
    _ = try await shared.keep(response)
    try await world.server.command("SAVE")
    try await shared.remove(response.key)
    world.server.kill()
    try await world.server.start()
    #expect(try await world.server.command("KEYS", "*:entry:*").isEmpty == false)

    #expect(try await eventually { shared.outage == nil })
    #expect(await shared.find(response.key, for: [:]) == nil)
    #expect(try await world.store().find(response.key, for: [:]) == nil)
  }

  @Test func `a server that became a replica is not read from`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected {
      $0.connectionCount = 1
      $0.longestPause = .milliseconds(200)
    }
    let response = try StoredResponse.sample()
    _ = try await shared.keep(response)
    let nobody = try FreePorts.take(1)[0]
    try await world.server.command("REPLICAOF", "127.0.0.1", "\(nobody)")

    #expect(await shared.find(response.key, for: [:]) == nil)
    #expect(try await eventually { shared.outage?.contains("READONLY") == true })
    try await world.server.command("REPLICAOF", "NO", "ONE")

    #expect(try await eventually { await shared.find(response.key, for: [:]) != nil })
  }

  enum Damage: CaseIterable, Sendable {
    case generation, version, info, endlessChunks, emptyChunk, record, type, body
  }

  @Test(arguments: Damage.allCases)
  func `a damaged entry is a miss, and is replaced`(damage: Damage) async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let response = try StoredResponse.sample()
    _ = try await shared.keep(response)
    var iterator = shared.entries.makeAsyncIterator()
    let entry = try #require(try await iterator.next())
    let name = shared.names.entry(response.key)
    let body = "\(shared.names.bodies)\(entry.place.name)"
    func setChunkCount(_ count: String) async throws {
      let info = try await world.server.command("HGET", name, "i\(entry.id)")
      var words = info.split(separator: " ").map(String.init)
      words[3] = count
      try await world.server.command("HSET", name, "i\(entry.id)", words.joined(separator: " "))
    }
    switch damage {
    case .generation: try await world.server.command("HDEL", name, "g")
    case .version: try await world.server.command("HSET", name, "v", "nonsense")
    case .info: try await world.server.command("HSET", name, "i\(entry.id)", "nonsense")
    case .endlessChunks: try await setChunkCount("9007199254740991")
    case .emptyChunk:
      try await setChunkCount("2")
      try await world.server.command("SET", "\(body):1", "")
    case .record: try await world.server.command("HDEL", name, "h\(entry.id)")
    case .type: try await world.server.command("SET", name, "nonsense")
    case .body:
      try await world.server.command("DEL", "\(body):0")
      try await world.server.command("RPUSH", "\(body):0", "nonsense")
    }

    // Only writes compare the version.
    #expect(await (shared.find(response.key, for: [:]) != nil) == (damage == .version))
    _ = try await shared.keep(response)
    #expect(await shared.find(response.key, for: [:]) != nil)
    #expect(try await shared.verify().damaged.isEmpty)
    try await shared.remove(response.key)
    #expect(await shared.find(response.key, for: [:]) == nil)
  }

  @Test(arguments: ["'SET', KEYS[1], 'nonsense'", "'HSET', KEYS[1], 'v', '1'"])
  func `a damaged entry is replaced by a process that has not looked for it`(
    damage: String
  ) async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let response = try StoredResponse.sample()
    let name = shared.names.entry(response.key)
    try await world.server.command("EVAL", "redis.call(\(damage))", "1", name)

    _ = try await shared.keep(response)

    #expect(await shared.find(response.key, for: [:]) != nil)
  }

  @Test(arguments: [
    "'HDEL', KEYS[1], 'n'", "'HDEL', KEYS[1], 'g'", "'HSET', KEYS[1], 'n', 'nonsense'",
    "'HSET', KEYS[1], 'f', 'nonsense'", "'SET', KEYS[1], 'nonsense'",
  ])
  func `a damaged control record is replaced, and nothing old is found`(
    damage: String
  ) async throws {
    let world = try await SharedWorld()
    let (first, second) = (try await world.connected(), try await world.connected())
    let removed = try StoredResponse.sample("https://a.example/removed", tags: ["t"])
    let kept = try StoredResponse.sample("https://a.example/kept")
    for response in [removed, kept] { _ = try await first.keep(response) }
    try await first.removeAll(tag: "t")
    try await world.server.command("EVAL", "redis.call(\(damage))", "1", first.names.control)

    for store in [first, second] {
      #expect(await store.find(removed.key, for: [:]) == nil)
      #expect(await store.find(kept.key, for: [:]) == nil)
    }
    _ = try await second.keep(kept)
    #expect(await first.find(kept.key, for: [:]) != nil)
  }

  @Test func `a full server stores nothing, and keeps what was promised`() async throws {
    let world = try await SharedWorld(["--maxmemory", "8mb"])
    let shared = try await world.connected()
    let first = try StoredResponse.sample("https://a.example/first", tags: ["t"])
    _ = try await shared.keep(first)
    var refusals = 0
    for number in 0..<200 {
      let response = try StoredResponse.sample(
        "https://a.example/\(number)",
        body: noise(100_000, seed: UInt64(number + 1))
      )
      do throws(FreshetError) {
        _ = try await shared.keep(response)
        let found = await shared.find(response.key, for: [:])
        #expect(try found?.body.data() == noise(100_000, seed: UInt64(number + 1)))
      } catch {
        refusals += 1
        #expect("\(error)".contains("memory is full"))
        #expect(await shared.find(response.key, for: [:]) == nil)
      }
    }
    #expect(refusals > 50)
    #expect(await shared.find(first.key, for: [:]) != nil)
    #expect(shared.outage == nil)

    try await shared.removeAll(tag: "t")

    #expect(await shared.find(first.key, for: [:]) == nil)
  }

  @Test func `a server that evicts loses bodies and records, and serves nothing wrong`()
    async throws
  {
    let world = try await SharedWorld([
      "--maxmemory", "6mb", "--maxmemory-policy", "allkeys-random",
    ])
    let shared = try await world.connected()
    var found = 0
    for number in 0..<300 {
      let body = noise(60_000, seed: UInt64(number + 1))
      let url = "https://a.example/\(number)"
      _ = try? await shared.keep(.sample(url, body: body))
      for earlier in max(0, number - 5)...number {
        let key = try CacheKey(Request("https://a.example/\(earlier)"))
        guard let copy = await shared.find(key, for: [:]) else { continue }
        found += 1
        #expect(try copy.body.data() == noise(60_000, seed: UInt64(earlier + 1)))
      }
    }
    #expect(found > 100)
  }

  @Test func `a change that could not be written is written before anything is found`()
    async throws
  {
    let world = try await SharedWorld()
    let proxy = try LatencyProxy(to: world.server.port, delay: 0)
    let first = try SharedStore("redis://127.0.0.1:\(proxy.port)") {
      $0.timeout = .milliseconds(200)
      $0.longestPause = .milliseconds(200)
    }
    let second = try await world.connected()
    try await first.connect()
    let response = try StoredResponse.sample()
    _ = try await second.keep(response)
    #expect(try await eventually { await first.find(response.key, for: [:]) != nil })
    world.server.signal(SIGSTOP)

    await first.invalidate(response.key, at: Date())
    let during = await first.find(response.key, for: [:])
    world.server.signal(SIGCONT)

    #expect(during == nil)
    #expect(try await eventually { first.outage == nil })
    #expect(await first.find(response.key, for: [:]) == nil)
    #expect(await second.find(response.key, for: [:]) == nil)
    #expect(await second.invalidationTime(of: response.key) != nil)
  }

  @Test func `connect ends an outage as soon as the server is there`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected {
      $0.longestPause = .seconds(600)
      $0.connectTimeout = .seconds(60)
    }
    let response = try StoredResponse.sample()
    world.server.kill()
    #expect(
      try await eventually {
        await shared.find(response.key, for: [:]) == nil && shared.outage != nil
      }
    )
    try await world.server.start()

    try await shared.connect()

    #expect(shared.outage == nil)
    _ = try await shared.keep(response)
    #expect(await shared.find(response.key, for: [:]) != nil)
  }

  @Test func `removals that were missed are heard while replies are too slow for lookups`()
    async throws
  {
    let world = try await SharedWorld()
    let proxy = try LatencyProxy(to: world.server.port, delay: 0)
    let shared = try SharedStore("redis://127.0.0.1:\(proxy.port)") {
      $0.timeout = .milliseconds(20)
      $0.connectTimeout = .seconds(20)
    }
    let other = try await world.connected()
    try await shared.connect()
    let heard = Mutex<[StoreRemoval]>([])
    let removals = shared.removals
    let listening = Task {
      for await removal in removals { heard.withLock { $0.append(removal) } }
    }
    let subscribers = shared.names.channel
    #expect(
      try await eventually {
        try await world.server.command("PUBSUB", "NUMSUB", subscribers).hasSuffix("1")
      }
    )
    proxy.setDelay(200)
    #expect(
      try await eventually {
        _ = await shared.find(CacheKey(try Request(Self.url)), for: [:])
        return shared.outage != nil
      }
    )

    try await world.server.command("CLIENT", "KILL", "TYPE", "pubsub")
    try await other.removeAll(tag: "missed")

    #expect(try await eventually { heard.withLock { $0.contains(.tag("missed")) } })
    #expect(shared.outage != nil)
    listening.cancel()
  }

  @Test func `works as before where the server has lost the scripts`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let response = try StoredResponse.sample(tags: ["t"])

    try await world.server.command("SCRIPT", "FLUSH")
    _ = try await shared.keep(response)
    try await world.server.command("SCRIPT", "FLUSH")
    #expect(await shared.find(response.key, for: [:]) != nil)
    try await world.server.command("SCRIPT", "FLUSH")
    try await shared.removeAll(tag: "t")
    #expect(await shared.find(response.key, for: [:]) == nil)
    #expect(shared.outage == nil)
  }

  @Test(.timeLimit(.minutes(5)))
  func `lookups at once all end where the server has become a replica`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected {
      $0.connectionCount = 1
      $0.longestPause = .milliseconds(200)
    }
    let response = try StoredResponse.sample()
    _ = try await shared.keep(response)
    let nobody = try FreePorts.take(1)[0]
    try await world.server.command("REPLICAOF", "127.0.0.1", "\(nobody)")
    // All commands wait in the server, so that their replies arrive at once.
    world.server.signal(SIGSTOP)

    let begun = Tally()
    let lookups = (0..<100)
      .map { _ in
        Task {
          begun.count.withLock { $0 += 1 }
          _ = await shared.find(response.key, for: [:])
        }
      }
    #expect(
      try await eventually {
        begun.count.withLock(\.self) == 100 && shared.pool.inbox.withLock(\.jobs.isEmpty)
      }
    )
    world.server.signal(SIGCONT)
    for lookup in lookups { await lookup.value }
    try await world.server.command("REPLICAOF", "NO", "ONE")

    #expect(try await eventually { await shared.find(response.key, for: [:]) != nil })
  }

  @Test func `a store that was closed finds and stores nothing`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let response = try StoredResponse.sample()
    _ = try await shared.keep(response)
    await shared.close()

    #expect(await shared.find(response.key, for: [:]) == nil)
    await #expect(throws: FreshetError.self) { try await shared.keep(response) }
  }

  @Test func `a command fails at once without an eventfd, and the next one makes it`() async throws
  {
    let world = try await SharedWorld()
    let failures = Mutex(1)
    let store = try world.store()
    let pool = RedisPool(
      store.pool.address,
      store.configuration,
      store.names,
      RedisScript.shared,
      makeSignal: {
        let fails = failures.withLock { failures in
          failures -= 1
          return failures >= 0
        }
        guard fails else { return RedisPool.newSignal() }
        errno = EMFILE
        return -1
      }
    )
    let ping = RedisCommand.words([.text("PING")])

    do throws(RedisFailure) {
      _ = try await pool.send(ping)
      Issue.record("it was sent")
    } catch {
      #expect(error.reason.contains("Too many open files"))
    }

    #expect(try await pool.send(ping).text == "PONG")
    pool.stop()
  }
}
#endif
