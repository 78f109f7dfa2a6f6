import Foundation
import Testing

@testable import Freshet

@Suite struct DiskStoreTests {
  let sandbox = StoreSandbox()
  let heard = Heard<DiskStore.Diagnostic>()

  private func store(
    in folder: String = "store",
    _ configuration: DiskStore.Configuration = .init(),
    _ tuning: DiskStore.Tuning = .init()
  ) -> DiskStore {
    DiskStore(
      directory: sandbox.url.appendingPathComponent(folder),
      configuration: configuration,
      tuning: tuning,
      onDiagnostic: { [heard] in heard.append($0) }
    )
  }

  private func spilled(_ bytes: Data, in spool: Spool) throws -> ResourceBody {
    var spool = spool
    spool.threshold = 0
    let writer = try SpoolWriter(spool)
    try writer.append(bytes)
    return try writer.finish().body
  }

  // MARK: - Keeping and finding

  @Test func `creating a store touches no file`() async throws {
    let store = store()

    #expect(sandbox.files().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: store.directory.path))
  }

  @Test(arguments: [0, 1, 16_384, 16_385, 3_000_000])
  func `finds what it stored, before and after a restart`(length: Int) async throws {
    let bytes = noise(length)
    let response = try StoredResponse.sample(
      "https://example.org/a?b=c",
      body: bytes,
      headers: [.eTag: "\"ä\"", "X-A": "1", "x-a": "2", "X-C": "a=b, c"],
      partition: "alice",
      tags: ["x", "y"]
    )
    let first = store()
    let kept = try await first.keep(response)
    let found = [kept, await first.find(response.key, for: [:])]
    await first.close()
    let second = store()

    for found in found + [await second.find(response.key, for: [:])] {
      let found = try #require(found)
      #expect(try found.body.data().elementsEqual(bytes))
      #expect(found.digest == SHA256Hasher.digest(of: bytes))
      #expect(found.head == response.head)
      #expect(found.key == response.key)
      #expect(found.varying == response.varying)
      #expect(found.requestTime == response.requestTime)
      #expect(found.responseTime == response.responseTime)
      #expect(found.tags == response.tags)
    }
    #expect(heard.all.isEmpty)
  }

  @Test func `all files are private`() async throws {
    let store = store()
    _ = try await store.keep(try .sample(body: noise(20_000)))

    for path in ["store", "store/bodies", "store/spool"] {
      #expect(try mode(path) == 0o700)
    }
    for file in sandbox.files(in: "store") {
      #expect(try mode("store/" + file) == 0o600)
    }
    #expect(sandbox.files(in: "store/bodies").count == 1)
  }

  private func mode(_ path: String) throws -> Int? {
    let path = sandbox.url.appendingPathComponent(path).path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test func `moves a body from its own spool, and the value follows`() async throws {
    let store = store()
    let body = try spilled(noise(50_000), in: store.spool)
    let before = try #require(body.fileURL)

    let kept = try await store.keep(try .sample(body: body))

    let after = try #require(kept.body.fileURL)
    #expect(before != after)
    #expect(body.fileURL == after)
    #expect(sandbox.files(in: "store/spool").isEmpty)
    #expect(sandbox.files(in: "store/bodies").count == 1)
    #expect(try body.data() == noise(50_000))
  }

  @Test func `a closed store begins no partial bodies and no parts`() async throws {
    let store = store()
    #expect(store.spool.partials != nil && store.spool.parts != nil)

    await store.close()

    #expect(store.spool.partials == nil && store.spool.parts == nil)
  }

  @Test func `a store that cannot be used begins no partial bodies and no parts`() async throws {
    try Data().write(to: sandbox.url.appendingPathComponent("store"))
    let store = store()

    await #expect(throws: FreshetError.self) { try await store.open() }

    #expect(store.spool.partials == nil && store.spool.parts == nil)
  }

  @Test func `copies a body from another file system`() async throws {
    let other = URL(fileURLWithPath: "/dev/shm/freshet-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: other) }
    let store = store()
    let body = try spilled(noise(50_000), in: Spool(directory: other))

    _ = try await store.keep(try .sample(body: body))

    #expect(try await store.find(.sample(), for: [:])?.body.data() == noise(50_000))
    #expect(body.fileURL?.path.hasPrefix(other.path) == true)
  }

  @Test func `two stores can store the same temporary body`() async throws {
    let (first, second) = (store(in: "1"), store(in: "2"))
    let body = try spilled(noise(50_000), in: first.spool)

    _ = try await first.keep(try .sample(body: body))
    _ = try await second.keep(try .sample(body: body))

    for store in [first, second] {
      #expect(try await store.find(.sample(), for: [:])?.body.data() == noise(50_000))
    }
  }

  @Test func `replacing removes the old body, which stays readable`() async throws {
    let store = store()
    _ = try await store.keep(try .sample(body: noise(50_000, seed: 1)))
    let old = try #require(await store.find(.sample(), for: [:]))
    _ = try await store.keep(try .sample(body: noise(60_000, seed: 2)))

    await store.close()
    #expect(sandbox.files(in: "store/bodies").count == 1)
    #expect(try await self.store().find(.sample(), for: [:])?.body.data() == noise(60_000, seed: 2))
    #expect(try old.body.data() == noise(50_000, seed: 1))
    #expect(try await self.store().statistics().count == 1)
  }

  @Test func `partitions share no responses`() async throws {
    let store = store()
    _ = try await store.keep(try .sample(partition: "alice"))

    #expect(await store.find(try .sample(), for: [:]) == nil)
    #expect(await store.find(try .sample(partition: "bob"), for: [:]) == nil)
    #expect(await store.find(try .sample(partition: "alice"), for: [:]) != nil)
  }

  // MARK: - Variants

  @Test func `variants are chosen by the fields that Vary names`() async throws {
    let store = store()
    for language in ["de", "fr", "it"] {
      _ = try await store.keep(try variant(language))
    }
    let key = try CacheKey.sample()

    #expect(try await store.statistics().count == 3)
    for language in ["de", "fr", "it"] {
      let found = await store.find(key, for: [.acceptLanguage: language])
      #expect(try found?.body.data() == Data(language.utf8))
    }
    #expect(await store.find(key, for: [.acceptLanguage: "en"]) == nil)
    #expect(await store.find(key, for: [:]) == nil)
    try await store.remove(key)
    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
  }

  @Test func `of several matching variants the one with the newest Date is found`() async throws {
    let store = store()
    let dates = (1...2).map { HTTPDate.format(Date(timeIntervalSince1970: Double($0) * 1_000)) }
    _ = try await store.keep(
      try .sample(body: Data("new".utf8), headers: [.vary: "X", .date: dates[1]], time: 1_000)
    )
    _ = try await store.keep(
      try .sample(body: Data("old".utf8), headers: [.vary: "Accept", .date: dates[0]], time: 2_000)
    )

    #expect(try await store.find(.sample(), for: [:])?.body.data() == Data("new".utf8))
  }

  @Test func `a variant that names its fields comes before one that does not`() async throws {
    let store = store()
    _ = try await store.keep(try .sample(body: Data("careless".utf8), headers: [:], time: 2_000))
    let varying = try StoredResponse.sample(
      body: Data("varying".utf8),
      headers: [.vary: "Accept"],
      time: 1_000
    )
    _ = try await store.keep(varying)

    #expect(try await store.find(.sample(), for: [:])?.body.data() == Data("varying".utf8))
    try await store.remove(varying)
    #expect(try await store.find(.sample(), for: [:])?.body.data() == Data("careless".utf8))
  }

  @Test func `a key has a bounded number of variants, the newest ones`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.variantLimit = 4
    let store = store(.init(), tuning)
    for number in 0..<10 {
      _ = try await store.keep(try variant("\(number)", time: Double(number)))
    }

    #expect(try await store.statistics().count == 4)
    #expect(await store.find(try .sample(), for: [.acceptLanguage: "5"]) == nil)
    #expect(await store.find(try .sample(), for: [.acceptLanguage: "6"]) != nil)
  }

  @Test func `a variant that was just stored stays where all others are newer`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.variantLimit = 4
    let store = store(.init(), tuning)
    for number in 0..<5 {
      _ = try await store.keep(try variant("\(number)", time: Double(10 - number)))
    }

    #expect(try await store.statistics().count == 4)
    #expect(await store.find(try .sample(), for: [.acceptLanguage: "3"]) == nil)
    #expect(await store.find(try .sample(), for: [.acceptLanguage: "4"]) != nil)
  }

  private func variant(_ language: String, time: Double = 1_000) throws -> StoredResponse {
    try .sample(
      body: Data(language.utf8),
      headers: [.vary: "Accept-Language"],
      request: [.acceptLanguage: language],
      time: time
    )
  }

  // MARK: - Refreshing

  @Test(arguments: [100, 50_000])
  func `refreshing changes the head and leaves the body where it is`(length: Int) async throws {
    let store = store()
    _ = try await store.keep(try .sample(body: noise(length), tags: ["old"]))
    let files = sandbox.files(in: "store/bodies")
    let found = try #require(await store.find(.sample(), for: [:]))
    let headers: HTTPHeaders = [.eTag: "\"2\"", .age: "3"]

    _ = try await store.refresh(
      StoredResponse(
        key: found.key,
        varying: found.varying,
        head: ResponseHead(status: .ok, headers: headers, url: found.head.url),
        body: found.body,
        digest: found.digest,
        requestTime: found.requestTime + 60,
        responseTime: found.responseTime + 60,
        tags: ["new"]
      )
    )

    let refreshed = try #require(await store.find(.sample(), for: [:]))
    #expect(refreshed.head.headers == headers)
    #expect(refreshed.responseTime == found.responseTime + 60)
    #expect(refreshed.tags == ["new"])
    #expect(try refreshed.body.data() == noise(length))
    #expect(sandbox.files(in: "store/bodies") == files)
    #expect(try await store.statistics().count == 1)
    try await store.removeAll(tag: "old")
    #expect(try await store.statistics().count == 1)
    try await store.removeAll(tag: "new")
    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
  }

  // MARK: - Removing

  @Test func `removes by key, by tag, by prefix and everything`() async throws {
    let store = store()
    func fill() async throws -> Int {
      for (number, length) in [10, 20_000].enumerated() {
        let path = "\(number)?q=%25"
        _ = try await store.keep(
          try .sample("https://a.org/\(path)", body: noise(length), tags: ["x"])
        )
        _ = try await store.keep(
          try .sample("https://b.org/\(path)", body: noise(length), tags: ["x", "y"])
        )
        _ = try await store.keep(
          try .sample("https://a.org/\(path)", body: noise(length), partition: "p")
        )
      }
      return try await store.statistics().count
    }

    #expect(try await fill() == 6)
    try await store.remove(try .sample("https://a.org/1?q=%25"))
    #expect(try await store.statistics().count == 5)
    #expect(try await fill() == 6)
    try await store.removeAll(tag: "y")
    #expect(try await store.statistics().count == 4)
    #expect(try await fill() == 6)
    try await store.removeAll(prefix: "https://a.org/")
    #expect(try await store.statistics().count == 4)
    #expect(try await fill() == 6)
    try await store.removeAll(prefix: "", partition: "p")
    #expect(try await store.statistics().count == 4)
    #expect(try await fill() == 6)
    try await store.removeAll(prefix: "")
    #expect(try await store.statistics().count == 2)
    #expect(await store.find(try .sample("https://a.org/0?q=%25", partition: "p"), for: [:]) != nil)
    #expect(try await fill() == 6)
    try await store.removeAll()
    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
    #expect(sandbox.files(in: "store/bodies").isEmpty)
  }

  @Test func `removing a key leaves the partition that has its text as a name`() async throws {
    let store = store()
    _ = try await store.keep(try .sample(partition: "https://example.org/logo.png"))

    try await store.remove(try CacheKey.sample())

    #expect(try await store.statistics().count == 1)
  }

  @Test func `purging removes what a clock that was ahead has stored`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.now = { Date(timeIntervalSinceReferenceDate: 10_000) }
    let store = store(.init(), tuning)
    let ahead = try StoredResponse.sample("https://example.org/1", time: 10_000 + 400 * 86_400)
    let new = try StoredResponse.sample("https://example.org/2", time: 10_001)
    for response in [ahead, new] { _ = try await store.keep(response) }

    #expect(try await store.purge(olderThan: .seconds(3_600)) == 1)
    #expect(await store.find(new.key, for: [:]) != nil)
  }

  @Test func `purging keeps what was marked as outdated a moment ago`() async throws {
    let store = store()
    let now = Date().timeIntervalSinceReferenceDate
    let kept = try await store.keep(try .sample(time: now))
    _ = try await store.refresh(kept.outdated())

    #expect(try await store.purge(olderThan: .seconds(3_600)) == 0)

    let found = try #require(await store.find(.sample(), for: [:]))
    #expect(found.requestTime == CacheRecord.unknownTime)
    var stored: [Date] = []
    for try await entry in store.entries { stored.append(entry.stored) }
    #expect(stored == [Date(timeIntervalSinceReferenceDate: now)])
  }

  @Test func `purges what was stored or validated before the age, however often it was used`()
    async throws
  {
    var tuning = DiskStore.Tuning()
    tuning.now = { Date(timeIntervalSinceReferenceDate: 10_000) }
    let store = store(.init(), tuning)
    for number in 0..<600 {
      _ = try await store.keep(
        try .sample("https://example.org/\(number)", time: number < 400 ? 5_000 : 6_400)
      )
    }
    _ = await store.find(try .sample("https://example.org/1"), for: [:])

    #expect(try await store.purge(olderThan: .seconds(3_600)) == 400)
    #expect(try await store.statistics().count == 200)
  }

  @Test(arguments: ["", "https://example.org/"])
  func `removes all variants that a prefix covers, and nothing of partitions`(
    prefix: String
  ) async throws {
    let store = store()
    for number in 0..<200 {
      // The variants of one key are removed in two steps.
      for language in number == 127 ? Array(0..<9) : [0, 1] {
        _ = try await store.keep(
          try .sample(
            "https://example.org/\(1_000 + number)",
            headers: [.vary: "Accept-Language"],
            request: [.acceptLanguage: "\(language)"]
          )
        )
      }
      _ = try await store.keep(try .sample("https://example.org/1", partition: "user \(number)"))
      _ = try await store.keep(
        try .sample("https://example.org/1", partition: "https://example.org/\(number)")
      )
    }
    #expect(try await store.statistics().count == 807)

    try await store.removeAll(prefix: prefix)

    #expect(try await store.statistics().count == 400)
    try await store.removeAll()
    #expect(try await store.statistics() == .init(count: 0, bytes: 0))
  }

  #if !canImport(Darwin)
  @Test(arguments: ["purge", "prefix"])
  func `a removal in steps reads once what stays`(how: String) async throws {
    let store = store()
    try await store.open()
    await store.writer.rest()
    let database = sandbox.url.appendingPathComponent("store/index.sqlite").path
    let now = Date().timeIntervalSinceReferenceDate
    // 8 MiB that stay, which is more than SQLite remembers, before all that is removed.
    try SQLiteConnection(database, isCreating: false, patience: 1_000)
      .run(
        """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
        INSERT INTO response SELECT n,
          iif(n <= 8000, 'alice' || char(10), '') || 'https://example.org/' || hex(zeroblob(200)) || n,
          x'', x'', x'', 0, NULL, iif(n <= 8000, \(now), 0), 1000, n, zeroblob(500) FROM numbers;
        PRAGMA wal_checkpoint(TRUNCATE)
        """
      )
    let pages = try size("index.sqlite") / 4_096

    let reads = try await SystemCalls.reads(of: database) {
      switch how {
      case "purge": #expect(try await store.purge(olderThan: .seconds(60)) == 2_000)
      default: try await store.removeAll(prefix: "")
      }
    }

    #expect(try #require(reads) < 2 * pages)
  }
  #endif

  @Test func `returns space to the file system`() async throws {
    let store = store()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2_000 {
        group.addTask {
          _ = try await store.keep(
            try .sample("https://example.org/\(number)", body: noise(10_000))
          )
        }
      }
      try await group.waitForAll()
    }
    await store.close()
    let full = try size("index.sqlite")

    let second = self.store()
    try await second.removeAll()
    await second.writer.rest()
    await second.close()

    #expect(try size("index.sqlite") < full / 2)
  }

  private func size(_ name: String) throws -> Int {
    let path = sandbox.url.appendingPathComponent("store/\(name)").path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }
}
