#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// The listing, the numbers and the verification of a shared store.
@Suite(.besideRedis, .timeLimit(.minutes(5))) struct SharedListingTests {
  private func urls(_ store: SharedStore) async throws -> [String] {
    var urls: [String] = []
    for try await entry in store.entries { urls.append("\(entry.partition) \(entry.url)") }
    return urls.sorted()
  }

  private func entry(_ store: SharedStore, _ url: String) async throws -> SharedStore.Entry {
    var found: SharedStore.Entry?
    for try await entry in store.entries where "\(entry.url)" == url { found = entry }
    return try #require(found)
  }

  private func chunk(_ entry: SharedStore.Entry, _ number: Int) -> String {
    "freshet:body:\(entry.place.name):\(number)"
  }

  // MARK: - Entries

  @Test func `lists each response of all processes once`() async throws {
    let world = try await SharedWorld()
    let (first, second) = (try await world.connected(), try await world.connected())
    for number in 0..<300 {
      let store = number.isMultiple(of: 2) ? first : second
      _ = try await store.keep(.sample("https://a.example/\(number)", partition: "ann"))
    }
    for language in ["de", "en"] {
      _ = try await first.keep(
        .sample(
          "https://b.example/",
          headers: [.vary: "Accept-Language"],
          request: [.acceptLanguage: language]
        )
      )
    }

    let expected =
      (0..<300).map { "ann https://a.example/\($0)" }
      + ["https://b.example/", "https://b.example/"].map { " \($0)" }
    #expect(try await urls(world.store()) == expected.sorted())
  }

  @Test func `lists a response once while the server makes its table of keys smaller`() async throws
  {
    let world = try await SharedWorld(["--enable-debug-command", "yes"])
    let store = try await world.connected()
    for number in 0..<400 { _ = try await store.keep(.sample("https://a.example/\(number)")) }
    try await world.server.command(
      "EVAL",
      "for i = 1, 7000 do redis.call('SET', 'other' .. i, '') end return 1",
      "0"
    )
    var entries = store.entries.makeAsyncIterator()
    var found = [try #require(try await entries.next()).url]
    // The server repeats names of its first page when only these are left, in a table that is much smaller.
    try await world.server.command(
      "EVAL",
      """
      local first = {['freshet:control'] = true}
      local page = redis.call('SCAN', '0', 'MATCH', 'freshet:entry:*', 'COUNT', '256', 'TYPE', 'hash')
      for _, name in ipairs(page[2]) do first[name] = true end
      for _, name in ipairs(redis.call('KEYS', '*')) do
        if not first[name] then redis.call('UNLINK', name) end
      end
      return 1
      """,
      "0"
    )
    #expect(
      try await eventually {
        let table = try await world.server.command("DEBUG", "HTSTATS", "0")
        return !table.contains("table size: 8192")
      }
    )

    while let entry = try await entries.next() { found.append(entry.url) }

    #expect(Set(found).count == found.count)
  }

  @Test func `an entry describes its response`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    let body = noise(300_000)
    let response = try StoredResponse.sample(
      body: body,
      status: .notFound,
      partition: "ann",
      tags: ["a", "b"]
    )
    _ = try await store.keep(response)

    let entry = try await entry(store, "https://example.org/logo.png")

    #expect(entry.key == response.key && entry.partition == "ann")
    #expect(entry.status == .notFound && entry.tags == ["a", "b"])
    #expect(entry.length == 300_000 && entry.digest == SHA256Hasher.digest(of: body))
    #expect(entry.stored == response.responseTime)
  }

  @Test func `lists only keys of its prefix, whatever characters that has`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected { $0.prefix = #"[ab]*\?"# }
    _ = try await store.keep(.sample("https://a.example/"))
    for prefix in ["a", "freshet"] {
      _ = try await world.store { $0.prefix = prefix }.keep(.sample("https://b.example/"))
    }
    try await world.server.command("SET", #"[ab]*\?:entry:x"#, "a text")

    #expect(try await urls(store) == [" https://a.example/"])
  }

  @Test func `a removed response, and one of no more use, is not listed`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    for (path, tags) in [("key", []), ("tag", ["t"]), ("prefix", []), ("kept", [])] as [(_, Set)] {
      _ = try await store.keep(.sample("https://a.example/\(path)", tags: tags))
    }
    _ = try await store.keep(.sample("https://a.example/", partition: "ann"))
    _ = try await store.keep(.sample("https://a.example/old"))
    let old = store.names.entry(try await entry(store, "https://a.example/old").key)
    let fields = try await world.server.command("HKEYS", old).split(separator: "\n")
    let info = String(try #require(fields.first { $0.hasPrefix("i") }))
    var words = try await world.server.command("HGET", old, info).split(separator: " ")
    words[1] = "1"
    try await world.server.command("HSET", old, info, words.joined(separator: " "))
    #expect(try await urls(store).count == 5)

    try await store.remove(CacheKey(Request("https://a.example/key")))
    try await store.removeAll(tag: "t")
    try await store.removeAll(prefix: "https://a.example/p")
    try await store.removeAll(prefix: "", partition: "ann")

    #expect(try await urls(store) == [" https://a.example/kept"])
    try await world.server.command("DEL", "freshet:control")
    #expect(try await urls(store).isEmpty)
  }

  @Test func `listing reads no bodies and changes nothing`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    _ = try await store.keep(.sample())
    let record = store.names.entry(try await entry(store, "https://example.org/logo.png").key)
    let before = try await world.server.command("HGETALL", record)
    try await world.server.command("CONFIG", "RESETSTAT")

    _ = try await store.statistics()

    let commands = try await world.server.command("INFO", "commandstats")
    #expect(commands.contains("cmdstat_scan:") && !commands.contains("cmdstat_get:"))
    #expect(!commands.contains("cmdstat_keys:"))
    #expect(try await world.server.command("HGETALL", record) == before)
  }

  @Test func `a listing fails once when the server does not answer, and ends`() async throws {
    let world = try await SharedWorld()
    let store = try world.store { $0.connectTimeout = .milliseconds(100) }
    world.server.kill()
    var entries = store.entries.makeAsyncIterator()

    await #expect(throws: FreshetError.self) { try await entries.next() }
    #expect(try await entries.next() == nil)
    await #expect(throws: FreshetError.self) { try await store.verify() }
    await #expect(throws: FreshetError.self) { try await store.statistics() }
  }

  @Test func `a failure of a listing names the time that it has waited`() async throws {
    let world = try await SharedWorld()
    let store = try world.store { $0.connectTimeout = .milliseconds(300) }
    #expect(try await eventually { (try? await store.connect()) != nil })
    world.server.signal(SIGSTOP)
    defer { world.server.signal(SIGCONT) }

    let error = await #expect(throws: FreshetError.self) { try await store.statistics() }

    #expect("\(try #require(error))".contains("no answer within 300 ms"))
  }

  @Test func `a listing waits for replies that are too slow for lookups and their connections`()
    async throws
  {
    let world = try await SharedWorld()
    let proxy = try LatencyProxy(to: world.server.port, delay: 0)
    let store = try SharedStore("redis://127.0.0.1:\(proxy.port)") {
      $0.timeout = .milliseconds(10)
      $0.connectTimeout = .seconds(60)
    }
    try await store.connect()
    proxy.setDelay(1_500)

    #expect(try await store.statistics().count == 0)
  }

  @Test func `counts responses, their bodies and their records`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    #expect(try await store.statistics() == SharedStore.Statistics(count: 0, bytes: 0))

    for number in 0..<20 {
      _ = try await store.keep(.sample("https://a.example/\(number)", body: noise(1_000)))
    }

    let statistics = try await store.statistics()
    #expect(statistics.count == 20)
    #expect(statistics.bytes > 20_000 && statistics.bytes < 40_000)
  }

  // MARK: - Verification

  @Test func `verifies bodies of all sizes`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    for (number, length) in [0, 1, 262_144, 262_145, 600_000].enumerated() {
      _ = try await store.keep(.sample("https://a.example/\(number)", body: noise(length)))
    }

    let verification = try await store.verify()

    #expect(verification.count == 5 && verification.bytes == 1_124_290)
    #expect(verification.damaged.isEmpty)
    #expect(try await urls(store).count == 5)
  }

  @Test func `names damaged responses, and removes them only`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    for path in ["good", "changed", "longer", "missing", "record"] {
      _ = try await store.keep(
        .sample("https://a.example/\(path)?token=x", body: noise(600_000))
      )
    }
    func url(_ path: String) -> String { "https://a.example/\(path)?token=x" }
    let changed = chunk(try await entry(store, url("changed")), 1)
    try await world.server.command("SETRANGE", changed, "7", "xyz")
    let longer = chunk(try await entry(store, url("longer")), 2)
    try await world.server.command("APPEND", longer, "more")
    try await world.server.command("DEL", chunk(try await entry(store, url("missing")), 2))
    let record = store.names.entry(try await entry(store, url("record")).key)
    let id = try await entry(store, url("record")).id
    try await world.server.command("HSET", record, "h\(id)", "no record")

    let verification = try await store.verify()

    #expect(verification.count == 5)
    #expect(
      Set(verification.damaged.map { "\($0.url): \($0.reason)" }) == [
        "https://a.example/changed: its body does not match its digest",
        "https://a.example/longer: its body does not match its digest",
        "https://a.example/missing: its body is missing",
        "\(record): its record is damaged",
      ]
    )
    #expect(try await urls(store) == [" \(url("good"))"])
    #expect(try await store.verify().damaged.isEmpty)
    let bodies = try await world.server.command("KEYS", "freshet:body:*")
    #expect(bodies.split(separator: "\n").count == 3)
  }

  @Test func `removes entries with damaged fields, and keys of another type`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    func url(_ path: String) -> String { "https://a.example/\(path)" }
    func name(_ path: String) throws -> String {
      store.names.entry(try CacheKey(Request(url(path))))
    }
    for path in ["good", "generation", "info", "record", "type", "body"] {
      _ = try await store.keep(.sample(url(path)))
    }
    let id = try await entry(store, url("good")).id
    let body = chunk(try await entry(store, url("body")), 0)
    try await world.server.command("HDEL", name("generation"), "g")
    try await world.server.command("HSET", name("info"), "i\(id)", "nonsense")
    try await world.server.command("HDEL", name("record"), "h\(id)")
    try await world.server.command("SET", name("type"), "nonsense")
    try await world.server.command("DEL", body)
    try await world.server.command("RPUSH", body, "nonsense")

    let verification = try await store.verify()

    #expect(verification.count == 6)
    let expected = [
      "\(try name("generation")): its record is damaged",
      "\(url("info")): its record is damaged",
      "\(try name("record")): its record is damaged",
      "\(try name("type")): its record is damaged",
      "\(url("body")): its body is of another type",
    ]
    #expect(Set(verification.damaged.map { "\($0.url): \($0.reason)" }) == Set(expected))
    #expect(try await urls(store) == [" \(url("good"))"])
    #expect(try await store.verify().damaged.isEmpty)
  }

  @Test func `names the URL of a damaged record beside an intact one`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    for language in ["de", "en"] {
      _ = try await store.keep(
        .sample(headers: [.vary: "Accept-Language"], request: [.acceptLanguage: language])
      )
    }
    let entry = try await entry(store, "https://example.org/logo.png")
    let name = store.names.entry(entry.key)
    try await world.server.command("HSET", name, "h\(entry.id)", "no record")

    let verification = try await store.verify()

    #expect(verification.damaged.map(\.url) == ["https://example.org/logo.png"])
    #expect(verification.count == 2)
    #expect(try await urls(store).count == 1)
  }

  @Test func `a damaged record of a store that was emptied is not reported`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    _ = try await store.keep(.sample())
    let entry = try await entry(store, "https://example.org/logo.png")
    try await world.server.command("HSET", store.names.entry(entry.key), "h\(entry.id)", "x")
    try await world.server.command("DEL", "freshet:control")

    let verification = try await store.verify()

    #expect(verification == SharedStore.Verification())
  }

  @Test func `a response that is replaced while it is verified is not damaged`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    _ = try await store.keep(.sample(body: noise(600_000)))
    let old = try await entry(store, "https://example.org/logo.png")

    _ = try await store.keep(.sample(body: noise(600_000, seed: 2), time: Date() + 1))

    #expect(try await store.damage(of: old) == nil)
    #expect(try await store.drop(old.id, of: store.names.entry(old.key), old.place) == false)
    #expect(try await urls(store).count == 1)
  }

  @Test func `a response that is validated while it is purged stays`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    let old = try await store.keep(.sample(time: Date() - 500))
    let listed = try await entry(store, "https://example.org/logo.png")
    _ = try await store.refresh(.sample(time: Date() - 100))

    #expect(try await store.drop(listed) == false)
    #expect(try await store.find(old.key, for: [:])?.body.data(limit: 100) == Data("water".utf8))
    #expect(try await store.drop(entry(store, "https://example.org/logo.png")))
    #expect(try await urls(store).isEmpty)
  }

  @Test func `purges by age`() async throws {
    let world = try await SharedWorld()
    let time = Date()
    let store = try SharedStore(
      world.server.url,
      {
        $0.timeout = .seconds(60)
        $0.connectTimeout = .seconds(60)
      },
      now: { time }
    )
    try await store.connect()
    for age in [0, 99, 100, 101, 500] {
      let stored = time - TimeInterval(age)
      _ = try await store.keep(
        .sample("https://a.example/\(age)", headers: [.cacheControl: "max-age=3600"], time: stored)
      )
    }

    #expect(try await store.purge(olderThan: .seconds(100)) == 2)

    #expect(
      try await urls(store) == ["0", "100", "99"].map { " https://a.example/\($0)" }
    )
  }

  /// Replaces the record of a response by one that claims another length.
  private func forge(
    _ store: SharedStore,
    _ response: StoredResponse,
    length: Int64
  ) async throws {
    let entry = try await entry(store, "\(response.head.url)")
    let digest = try #require(SharedVariant(entry.record)).digest
    let nothing = URL(filePath: "/dev/null")
    let file = try OpenFile(nothing.path, O_RDONLY)
    let body = BodyFile(file, url: nothing, length: length, isTemporary: false)
    let forged = response.with(body: ResourceBody(body), digest: digest)
    let variant = try #require(SharedVariant(forged, digest: digest, salt: ""))
    let words: [RedisArgument] = [
      .text("HSET"), .text(store.names.entry(response.key)), .text("h\(entry.id)"),
      .data(variant.record),
    ]
    _ = try await store.pool.send(.words(words))
  }

  @Test func `counts forged lengths up to the largest number`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    for number in 0..<2 {
      let response = try StoredResponse.sample("https://a.example/\(number)")
      _ = try await store.keep(response)
      try await forge(store, response, length: .max)
    }

    let statistics = try await store.statistics()
    let verification = try await store.verify()

    #expect(statistics.count == 2 && statistics.bytes == .max)
    #expect(verification.bytes == .max && verification.damaged.count == 2)
  }
}
#endif
