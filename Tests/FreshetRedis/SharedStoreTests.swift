#if Redis && !canImport(Darwin)
import Foundation
import FreshetRedis
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

@Suite(.besideRedis, .timeLimit(.minutes(5))) struct SharedStoreTests {
  // MARK: - Keeping and finding

  @Test(arguments: [0, 1, 16_384, 262_144, 262_145, 3_000_000])
  func `finds what another process has kept`(length: Int) async throws {
    let world = try await SharedWorld()
    let bytes = noise(length)
    let response = try StoredResponse.sample(
      "https://example.org/a?b=c",
      body: bytes,
      headers: [.eTag: "\"ä\"", "X-A": "1", "x-a": "2", "X-C": "a=b, c"],
      partition: "alice",
      tags: ["x", "y"]
    )

    _ = try await world.store().keep(response)
    let found = try #require(await world.store().find(response.key, for: [:]))

    #expect(try found.body.data() == bytes)
    #expect(found.digest == SHA256Hasher.digest(of: bytes))
    #expect(found.head == response.head)
    #expect(found.key == response.key)
    #expect(found.varying == response.varying)
    #expect(found.requestTime == response.requestTime)
    #expect(found.responseTime == response.responseTime)
    #expect(found.tags == response.tags)
  }

  @Test func `finds over a socket, with a password, in another database`() async throws {
    let world = try await SharedWorld(["--requirepass", "a b/c"])
    let response = try StoredResponse.sample()
    let url = "redis://:a%20b%2Fc@127.0.0.1:\(world.server.port)/3"

    let first = try SharedStore(url) {
      $0.timeout = .seconds(60)
      $0.connectTimeout = .seconds(60)
    }
    _ = try await first.keep(response)
    let second = try SharedStore(world.server.socketURL + "?database=3") {
      $0.timeout = .seconds(60)
      $0.connectTimeout = .seconds(60)
      $0.password = "a b/c"
    }
    let third = try SharedStore(world.server.socketURL) {
      $0.timeout = .seconds(60)
      $0.connectTimeout = .seconds(60)
      $0.password = "a b/c"
    }

    #expect(await second.find(response.key, for: [:]) != nil)
    #expect(await third.find(response.key, for: [:]) == nil)
  }

  @Test func `names what is wrong with a URL, and not its password`() throws {
    for url in ["http://secret@a", "redis://", "redis://:secret@a:99999", "redis://a/x", "unix://"]
    {
      let error = #expect(throws: FreshetError.self) { try SharedStore(url) }
      #expect("\(try #require(error))".contains("the URL of the shared store"))
      #expect(!"\(try #require(error))".contains("secret"))
    }
  }

  @Test func `a store and its configuration are shown without the password`() throws {
    let store = try SharedStore("redis://app:hunter2@127.0.0.1/3") { $0.prefix = "shop" }
    var shown = "\(store) \(store.configuration) \(String(reflecting: store.configuration))"
    dump(store, to: &shown)
    dump(store.configuration, to: &shown)

    #expect(!shown.contains("hunter2"))
    #expect("\(store.configuration)" == "prefix shop, database 3, timeout 10 ms")
  }

  @Test func `signs in as a user of the access control list, who may not do everything`()
    async throws
  {
    let world = try await SharedWorld()
    try await world.server.command(
      "ACL",
      "SETUSER",
      "app",
      "on",
      ">word",
      "~freshet:*",
      "&freshet:*",
      "-@all",
      "+@read",
      "+@write",
      "+@scripting",
      "+@pubsub",
      "+@fast",
      "+info",
      "+select"
    )
    let response = try StoredResponse.sample()
    let store = try SharedStore("redis://app:word@127.0.0.1:\(world.server.port)") {
      $0.timeout = .seconds(60)
      $0.connectTimeout = .seconds(60)
    }
    let refused = try SharedStore("redis://app:wrong@127.0.0.1:\(world.server.port)") {
      $0.timeout = .seconds(60)
      $0.connectTimeout = .seconds(60)
    }

    _ = try await store.keep(response)
    let error = await #expect(throws: FreshetError.self) { try await refused.keep(response) }

    #expect(await store.find(response.key, for: [:]) != nil)
    #expect("\(try #require(error))".contains("refused the connection"))
    #expect(!"\(try #require(error))".contains("wrong"))

    try await store.removeAll(tag: "t")
    try await store.removeAll(prefix: "https://b.example/")
    #expect(await store.find(response.key, for: [:]) != nil)
    try await store.removeAll()
    #expect(await store.find(response.key, for: [:]) == nil)
  }

  @Test func `stores with different prefixes have nothing in common`() async throws {
    let world = try await SharedWorld()
    let response = try StoredResponse.sample()

    _ = try await world.store { $0.prefix = "{a}" }.keep(response)

    #expect(try await world.store { $0.prefix = "b" }.find(response.key, for: [:]) == nil)
    #expect(try await world.store { $0.prefix = "{a}" }.find(response.key, for: [:]) != nil)
  }

  @Test func `chooses the variant by the request`() async throws {
    let world = try await SharedWorld()
    let store = try world.store()
    let headers: HTTPHeaders = [.vary: "X-Choice"]
    for choice in ["1", "2"] {
      _ = try await store.keep(
        .sample(body: Data(choice.utf8), headers: headers, request: ["X-Choice": choice])
      )
    }

    let key = try CacheKey(Request("https://example.org/logo.png"))
    for choice in ["1", "2"] {
      let found = await store.find(key, for: ["X-Choice": choice])
      #expect(try found?.body.data() == Data(choice.utf8))
      #expect(found?.varying.fields.first?.value == choice)
    }
    #expect(await store.find(key, for: ["X-Choice": "3"]) == nil)
    #expect(try await world.server.command("KEYS", "*:entry:*").split(separator: "\n").count == 1)
  }

  @Test func `has the newest 32 variants of a key`() async throws {
    let world = try await SharedWorld()
    let store = try world.store()
    let headers: HTTPHeaders = [.vary: "X-Choice"]
    let now = Date()
    for number in 0..<40 {
      _ = try await store.keep(
        .sample(
          headers: headers,
          request: ["X-Choice": "\(number)"],
          time: now.addingTimeInterval(Double(number))
        )
      )
    }

    let key = try CacheKey(Request("https://example.org/logo.png"))
    #expect(await store.find(key, for: ["X-Choice": "7"]) == nil)
    #expect(await store.find(key, for: ["X-Choice": "8"]) != nil)
    #expect(try await world.server.command("KEYS", "*:body:*").split(separator: "\n").count == 32)
  }

  @Test func `writes no value of a field that selected a response`() async throws {
    let world = try await SharedWorld()
    _ = try await world.store()
      .keep(
        .sample(
          headers: [.vary: "X-Choice, Authorization"],
          request: ["X-Choice": "precious", .authorization: "Bearer sesame"],
          partition: "alice"
        )
      )

    var stored = ""
    for key in try await world.server.command("KEYS", "*:entry:*").split(separator: "\n") {
      stored += try await world.server.command("HGETALL", String(key))
    }
    #expect(stored.contains("https://example.org/logo.png"))
    #expect(!stored.contains("precious"))
    #expect(!stored.contains("sesame"))
  }

  @Test func `an error is stored beside the copy, until there is a newer one`() async throws {
    let world = try await SharedWorld()
    let store = try world.store()
    let now = Date()
    let date = { (seconds: Double) in HTTPDate.format(now.addingTimeInterval(seconds)) }
    let copy = try StoredResponse.sample(headers: [.date: date(0)], time: now)
    let error = try StoredResponse.sample(
      body: Data("no".utf8),
      status: .notFound,
      headers: [.date: date(10)],
      time: now.addingTimeInterval(10)
    )
    let newer = try StoredResponse.sample(
      headers: [.date: date(20)],
      time: now.addingTimeInterval(20)
    )

    _ = try await store.keep(copy)
    _ = try await store.keep(error)
    let found = await store.find(copy.key, for: [:])
    _ = try await store.keep(newer)
    let last = await store.find(copy.key, for: [:])

    #expect(found?.head.status == .notFound)
    #expect(found?.beside?.response.head.status == .ok)
    #expect(found?.beside?.source == .shared)
    #expect(last?.head.status == .ok)
    await #expect(throws: StoreFailure.Reason.older.error) { try await store.keep(error) }
  }

  @Test func `a 304 changes the head, and the body stays`() async throws {
    let world = try await SharedWorld()
    let (store, other) = (try world.store(), try world.store())
    let kept = try await store.keep(.sample(body: noise(600_000)))
    let bodies = try await world.server.command("KEYS", "*:body:*")
    let fresh = ResponseHead(
      status: .notModified,
      headers: [.eTag: "\"1\"", .cacheControl: "max-age=600"],
      url: kept.head.url
    )
    let freshened = kept.freshened(
      by: fresh,
      for: [:],
      requestTime: Date().addingTimeInterval(5),
      responseTime: Date().addingTimeInterval(6)
    )

    _ = try await other.refresh(freshened)
    let found = await store.find(kept.key, for: [:])

    #expect(found?.head.headers[.cacheControl] == "max-age=600")
    #expect(try found?.body.data() == noise(600_000))
    #expect(
      try await Set(world.server.command("KEYS", "*:body:*").split(separator: "\n"))
        == Set(bodies.split(separator: "\n"))
    )
    let changed = try StoredResponse.sample(
      body: Data("other".utf8),
      time: Date().addingTimeInterval(10)
    )
    _ = try await store.keep(changed)
    await #expect(throws: StoreFailure.Reason.bodyReplaced.error) {
      try await other.refresh(
        freshened.freshened(
          by: fresh,
          for: [:],
          requestTime: Date().addingTimeInterval(20),
          responseTime: Date().addingTimeInterval(21)
        )
      )
    }
    try await store.remove(kept.key)
    await #expect(throws: StoreFailure.Reason.bodyRemoved.error) {
      try await other.refresh(freshened)
    }
  }

  // MARK: - Clocks

  @Test func `a response replaces one that is ahead of its clock and of the server's`()
    async throws
  {
    let world = try await SharedWorld()
    let store = try world.store()
    _ = try await store.keep(.sample(body: Data("ahead".utf8), time: Date() + 7_200))

    let kept = try await store.keep(.sample())

    let found = await store.find(kept.key, for: [:])
    #expect(try found?.body.data() == Data("water".utf8))
    #expect(found?.responseTime == kept.responseTime)
  }

  @Test func `a 304 sets back the time of a response that is ahead`() async throws {
    let world = try await SharedWorld()
    let store = try world.store()
    let ahead = try await store.keep(.sample(time: Date() + 7_200))
    let head = ResponseHead(status: .notModified, headers: [.eTag: "\"1\""], url: ahead.head.url)
    let now = Date()

    _ = try await store.refresh(
      ahead.freshened(by: head, for: [:], requestTime: now, responseTime: now)
    )

    #expect(await store.find(ahead.key, for: [:])?.responseTime == now)
    for try await entry in store.entries { #expect(entry.stored == now) }
  }

  @Test func `a copy replaces an error that is ahead`() async throws {
    let world = try await SharedWorld()
    let store = try world.store()
    _ = try await store.keep(.sample(status: .notFound, time: Date() + 7_200))

    let copy = try await store.keep(.sample())

    #expect(await store.find(copy.key, for: [:])?.head.status == .ok)
  }

  @Test(arguments: [(0.0, -7_200.0), (50.0, -20.0), (-7_200.0, -14_400.0)])
  func `a process whose clock is behind does not replace a newer response`(
    stored: Double,
    late: Double
  ) async throws {
    let world = try await SharedWorld()
    let store = try world.store()
    _ = try await store.keep(.sample(time: Date() + stored))

    await #expect(throws: StoreFailure.Reason.older.error) {
      try await store.keep(.sample(time: Date() + late))
    }
  }

  // MARK: - What may be shared

  @Test func `never has what must not be stored, and private things only in a partition`()
    async throws
  {
    let world = try await SharedWorld()
    let store = try world.store()
    let personal: HTTPHeaders = [.cacheControl: "private, max-age=60"]
    let secret: HTTPHeaders = [.authorization: "Bearer sesame"]
    let cookie: HTTPHeaders = [.cookie: "a=b"]
    let forbidden = [
      try StoredResponse.sample(headers: [.cacheControl: "no-store"], partition: "alice"),
      try StoredResponse.sample(headers: personal),
      try StoredResponse.sample(request: secret),
      try StoredResponse.sample(headers: [.vary: "Cookie"], request: cookie),
    ]

    for response in forbidden {
      await #expect(throws: FreshetError.self) { try await store.keep(response) }
      await #expect(throws: FreshetError.self) { try await store.refresh(response) }
    }
    #expect(try await world.server.command("KEYS", "*:entry:*").isEmpty)
    for partition in ["alice", "bob"] {
      for response in [
        try StoredResponse.sample("https://a.example/1", headers: personal, partition: partition),
        try StoredResponse.sample("https://a.example/2", request: secret, partition: partition),
      ] {
        _ = try await store.keep(response)
        #expect(await store.find(response.key, for: secret) != nil)
        #expect(await store.find(response.key.moved(to: "carol"), for: secret) == nil)
      }
    }
    #expect(
      await store.find(
        CacheKey(try Request("https://a.example/2"), partition: "alice"),
        for: [.authorization: "Bearer other"]
      ) == nil
    )
  }

  @Test func `refuses a body above the limit, and the copy stays`() async throws {
    let world = try await SharedWorld()
    let store = try world.store { $0.bodyLimit = 1_000 }
    let copy = try await store.keep(.sample(body: noise(1_000)))

    await #expect(throws: StoreFailure.Reason.tooLarge.error) {
      try await store.keep(.sample(body: noise(1_001)))
    }
    #expect(try await store.find(copy.key, for: [:])?.body.data() == noise(1_000))
  }

  @Test func `a body above the limit is a miss, and stays for processes with a larger one`()
    async throws
  {
    let world = try await SharedWorld()
    let (small, large) = (try world.store { $0.bodyLimit = 1_000 }, try world.store())
    let copy = try await large.keep(.sample(body: noise(1_001)))

    #expect(await small.find(copy.key, for: [:]) == nil)
    #expect(try await large.find(copy.key, for: [:])?.body.data() == noise(1_001))
  }

  @Test func `a large body is sent once, also in place of another one`() async throws {
    let world = try await SharedWorld()
    let store = try world.store()
    _ = try await store.keep(.sample(body: noise(1 << 20)))
    try await world.server.command("CONFIG", "RESETSTAT")

    let new = try await store.keep(.sample(body: noise(1 << 20, seed: 2)))

    let statistics = try await world.server.command("INFO", "commandstats")
    #expect(statistics.contains("cmdstat_set:calls=4,"))
    #expect(try await store.find(new.key, for: [:])?.body.data() == noise(1 << 20, seed: 2))
  }

  // MARK: - Expiry

  @Test func `the server removes everything after its last possible use`() async throws {
    let world = try await SharedWorld()
    let store = try world.store { $0.retention = .seconds(1_000) }
    let strict: HTTPHeaders = [.cacheControl: "max-age=60, must-revalidate"]
    _ = try await store.keep(.sample("https://a.example/copy", body: noise(300_000)))
    _ = try await store.keep(.sample("https://a.example/strict", headers: strict))

    var times: Set<Int> = []
    for key in try await world.server.command("KEYS", "*:[be]*:*").split(separator: "\n") {
      let time = Int(try await world.server.command("TTL", String(key))) ?? -1
      times.insert(time / 100 * 100)
    }
    #expect(times == [0, 1_000])
    #expect(Int(try await world.server.command("TTL", "freshet:control")) == -1)
  }

  @Test func `a writer that dies before the record leaves nothing that is found, or stays`()
    async throws
  {
    let world = try await SharedWorld()
    let body = noise(600_000)
    let response = try StoredResponse.sample(body: body)
    try await world.server.command("SET", "freshet:body:orphan:0", "x", "EX", "60")
    let store = try world.store()
    _ = try await store.keep(response)
    // A chunk that is missing is like one that was never written.
    for key in try await world.server.command("KEYS", "*:body:*:1").split(separator: "\n") {
      try await world.server.command("DEL", String(key))
    }

    #expect(await store.find(response.key, for: [:]) == nil)
    #expect(
      try await world.server.command("KEYS", "*:body:*") == "freshet:body:orphan:0"
    )
  }

  @Test func `a body that was changed in the server is a miss, and is removed`() async throws {
    let world = try await SharedWorld()
    let store = try world.store()
    let response = try StoredResponse.sample()
    _ = try await store.keep(response)
    let key = try await world.server.command("KEYS", "*:body:*")
    try await world.server.command("SETRANGE", key, "0", "x")

    #expect(await store.find(response.key, for: [:]) == nil)
    #expect(try await world.server.command("KEYS", "*:body:*").isEmpty)
    _ = try await store.keep(response)
    #expect(await store.find(response.key, for: [:]) != nil)
  }

  // MARK: - Removals

  enum Way: CaseIterable, Sendable { case key, extended, variant, tag, prefix, partition, all }

  @Test(arguments: Way.allCases)
  func `a removal by one process counts for all at once`(way: Way) async throws {
    let world = try await SharedWorld()
    let (first, second) = (try world.store(), try world.store())
    var tenant = try Request("https://a.example/x/1")
    tenant.cacheIdentity = .url(with: ["X-Tenant"])
    tenant.headers["X-Tenant"] = "1"
    let plain = try StoredResponse.sample("https://a.example/x/1", partition: "p", tags: ["t"])
    let gone =
      way == .extended
      ? StoredResponse(
        key: CacheKey(tenant, partition: "p"),
        varying: .none,
        head: plain.head,
        body: plain.body,
        requestTime: plain.requestTime,
        responseTime: plain.responseTime
      ) : plain
    let others = [
      try StoredResponse.sample("https://a.example/y/1", partition: "p"),
      try StoredResponse.sample("https://a.example/x/1", tags: ["u"]),
    ]
    for response in [gone] + others { _ = try await first.keep(response) }
    #expect(await second.find(gone.key, for: [:]) != nil)

    switch way {
    case .key, .extended: try await first.remove(plain.key)
    case .variant: try await first.remove(plain)
    case .tag: try await first.removeAll(tag: "t")
    case .prefix: try await first.removeAll(prefix: "https://a.example/x", partition: "p")
    case .partition: try await first.removeAll(prefix: "", partition: "p")
    case .all: try await first.removeAll()
    }

    #expect(await second.find(gone.key, for: [:]) == nil)
    #expect(
      await (second.find(others[0].key, for: [:]) != nil) == (way != .partition && way != .all)
    )
    #expect(await (second.find(others[1].key, for: [:]) != nil) == (way != .all))
    _ = try await second.keep(gone)
    #expect(await first.find(gone.key, for: [:]) != nil)
  }

  @Test(arguments: Way.allCases.filter { $0 != .variant })
  func `what was asked for before a removal by another process is not kept`(way: Way) async throws {
    let world = try await SharedWorld()
    let (first, second) = (try await world.connected(), try await world.connected())
    let late = try StoredResponse.sample("https://a.example/x/1", partition: "p", tags: ["t"])
      .asked(at: .now)

    switch way {
    case .key, .extended, .variant: try await first.remove(late.key)
    case .tag: try await first.removeAll(tag: "t")
    case .prefix: try await first.removeAll(prefix: "https://a.example/other", partition: "p")
    case .partition: try await first.removeAll(prefix: "", partition: "p")
    case .all: try await first.removeAll()
    }

    await #expect(throws: StoreFailure.Reason.removed.error) { try await second.keep(late) }
    _ = await second.find(late.key, for: [:])
    _ = try await second.keep(late.asked(at: .now))
    #expect(await first.find(late.key, for: [:]) != nil)
  }

  @Test func `what was asked for before a change is not kept, whatever the clocks say`()
    async throws
  {
    let world = try await SharedWorld()
    let (first, second) = (try await world.connected(), try await world.connected())
    let late = try StoredResponse.sample(time: Date().addingTimeInterval(3_600)).known(since: .now)

    await first.invalidate(late.key, at: Date())

    await #expect(throws: StoreFailure.Reason.invalidated.error) { try await second.keep(late) }
    _ = await second.find(late.key, for: [:])
    _ = try await second.keep(
      StoredResponse.sample(time: Date().addingTimeInterval(-3_600)).known(since: .now)
    )
    #expect(await first.find(late.key, for: [:]) != nil)
    #expect(await second.invalidationTime(of: late.key) != nil)
  }

  @Test func `many removals by prefix, and many removals, forget nothing`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    let early = try StoredResponse.sample("https://a.example/x").asked(at: .now)
    _ = try await store.keep(.sample("https://a.example/first", partition: "p"))
    try await store.removeAll(prefix: "https://a.example/first", partition: "p")
    for number in 0..<40 {
      try await store.removeAll(prefix: "https://b.example/\(number)", partition: "p")
    }
    #expect(
      try await store.find(CacheKey(Request("https://a.example/first"), partition: "p"), for: [:])
        == nil
    )

    for number in 0..<4_300 { try await store.removeAll(tag: "\(number)") }

    await #expect(throws: StoreFailure.Reason.removed.error) { try await store.keep(early) }
    let count = Int(try await world.server.command("HLEN", "freshet:control")) ?? 0
    #expect(count > 1_000 && count < 4_300)
  }

  @Test func `removals by prefix in many partitions end only what is older`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    for number in 0..<4_300 {
      try await store.removeAll(prefix: "https://b.example/", partition: "\(number)")
    }
    let response = try StoredResponse.sample()
    _ = try await store.keep(response)
    for number in 0..<20 { try await store.removeAll(tag: "\(number)") }

    #expect(await store.find(response.key, for: [:]) != nil)
    let count = Int(try await world.server.command("HLEN", "freshet:control")) ?? 0
    #expect(count > 1_000 && count < 4_300)
  }

  @Test func `variants that are of no use do not fill their key's entry`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    let headers: HTTPHeaders = [.vary: "X-Choice"]
    for number in 0..<100 {
      _ = try await store.keep(
        .sample(headers: headers, request: ["X-Choice": "\(number)"], tags: ["t"])
      )
      if number < 99 { try await store.removeAll(tag: "t") }
    }

    let key = try CacheKey(Request("https://example.org/logo.png"))
    #expect(await store.find(key, for: ["X-Choice": "98"]) == nil)
    #expect(await store.find(key, for: ["X-Choice": "99"]) != nil)
    let entry = try await world.server.command("KEYS", "freshet:entry:*")
    let count = Int(try await world.server.command("HLEN", entry)) ?? 0
    #expect(count > 0 && count <= 130)
  }

  @Test func `a control record that the server has evicted takes everything with it`() async throws
  {
    let world = try await SharedWorld()
    let (first, second) = (try await world.connected(), try await world.connected())
    let removed = try StoredResponse.sample("https://a.example/removed", tags: ["t"])
    let late = try StoredResponse.sample("https://a.example/late").asked(at: .now)
    _ = try await first.keep(removed)
    try await first.removeAll(tag: "t")
    try await world.server.command("DEL", "freshet:control")

    for store in [first, second] {
      #expect(await store.find(removed.key, for: [:]) == nil)
      await #expect(throws: StoreFailure.Reason.removed.error) { try await store.keep(late) }
    }
    _ = try await second.keep(removed)
    #expect(await first.find(removed.key, for: [:]) != nil)
  }

  @Test func `writers at the same time keep the newest`() async throws {
    let world = try await SharedWorld()
    let stores = try (0..<4).map { _ in try world.store() }
    let now = Date()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          // Within a minute: what is further ahead is replaced.
          let time = now.addingTimeInterval(Double(number))
          let response = try? StoredResponse.sample(
            body: Data("\(number)".utf8),
            headers: [.date: HTTPDate.format(time)],
            time: time
          )
          // One that loses against others too often gives up, and comes again.
          for _ in 0..<1_000 {
            guard let response else { break }
            do throws(FreshetError) {
              _ = try await stores[number % 4].keep(response)
              return
            } catch  where error.storeFailure?.isLate == true {
              return
            } catch { continue }
          }
          Issue.record("\(number) was neither written nor late")
        }
      }
    }

    let key = try CacheKey(Request("https://example.org/logo.png"))
    #expect(try await stores[0].find(key, for: [:])?.body.data() == Data("39".utf8))
    #expect(try await world.server.command("KEYS", "*:body:*").split(separator: "\n").count == 1)
  }
}

extension StoredResponse {
  fileprivate func known(since instant: EventInstant) -> StoredResponse {
    StoredResponse(
      key: key,
      varying: varying,
      head: head,
      body: body,
      digest: digest,
      requestTime: requestTime,
      responseTime: responseTime,
      knownAt: requestTime,
      knownSince: instant,
      tags: tags
    )
  }
}
#endif
