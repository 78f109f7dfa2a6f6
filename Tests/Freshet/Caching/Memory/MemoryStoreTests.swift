import Foundation
import Testing

@testable import Freshet

@Suite struct MemoryStoreTests {
  let sandbox = StoreSandbox()

  @Test func `refreshes the head of the stored body only, without hashing it`()
    async throws
  {
    let store = MemoryStore()
    let kept = try await store.keep(.sample(body: noise(10_000)))
    let same = try StoredResponse.sample(body: noise(10_000), time: 2_000)
    let other = try StoredResponse.sample(body: noise(10_000, seed: 2), time: 2_000)

    let error = await #expect(throws: FreshetError.self) { try await store.refresh(other) }
    let refreshed = try await store.refresh(same)

    #expect(error == StoreFailure.Reason.bodyReplaced.error)
    #expect(refreshed.responseTime == same.responseTime)
    #expect(kept.digest == nil && same.digest == nil)
    #expect(try same.sha256() == SHA256Hasher.digest(of: noise(10_000)))
    #expect(same.digest != nil)
  }

  @Test func `finds what it stores, without suspending`() async throws {
    let store = MemoryStore()
    let response = try StoredResponse.sample()

    #expect(try await store.keep(response) === response)

    #expect(store.peek(response.key, for: [:]) === response)
    #expect(store.peek(try Request(.get, "https://example.org/logo.png")) === response)
    #expect(await store.find(response.key, for: [:]) === response)
    #expect(store.peek(try .sample("https://example.org/other"), for: [:]) == nil)
  }

  @Test func `the values that selected a response are a part of its cost`() async throws {
    let (small, large) = (MemoryStore(), MemoryStore())

    for (store, count) in [(small, 1), (large, 10_000)] {
      let request: HTTPHeaders = ["X": String(repeating: "x", count: count)]
      _ = try await store.keep(.sample(headers: [.vary: "X"], request: request))
    }

    #expect(large.cost - small.cost == 9_999)
  }

  @Test(arguments: [(1, 200), (2, 404)])
  func `a copy ends an error with which it agrees in each of many fields`(
    value: Int,
    status: Int
  ) async throws {
    let store = MemoryStore()
    let fields = { (count: Int, last: Int) in
      HTTPHeaders((1...count).map { .init(name: .init("X-\($0)"), value: "\($0 < 12 ? 1 : last)") })
    }
    let response = { (status: Int, count: Int, last: Int, time: Double) throws in
      let headers: HTTPHeaders = [
        .vary: fields(count, last).map(\.name.rawValue).joined(separator: ",")
      ]
      return StoredResponse(
        key: try .sample(),
        varying: VaryingFields(response: headers, request: fields(count, last)),
        head: ResponseHead(
          status: HTTPStatus(status),
          headers: headers,
          url: try Request(.get, "https://example.org/logo.png").url
        ),
        body: ResourceBody(Data()),
        requestTime: Date(timeIntervalSinceReferenceDate: time),
        responseTime: Date(timeIntervalSinceReferenceDate: time)
      )
    }
    _ = try await store.keep(response(404, 12, 1, 1_000))

    _ = try await store.keep(response(200, 13, value, 2_000))

    let found = try store.peek(.sample(), for: fields(13, 1))
    #expect(found?.head.status.rawValue == status)
  }

  @Test func `partitions share no responses`() async throws {
    let store = MemoryStore()
    _ = try await store.keep(try .sample(partition: "alice"))

    #expect(store.peek(try Request(.get, "https://example.org/logo.png")) == nil)
    #expect(store.peek(try Request(.get, "https://example.org/logo.png"), partition: "bob") == nil)
    #expect(
      store.peek(try Request(.get, "https://example.org/logo.png"), partition: "alice") != nil
    )
  }

  @Test func `variants are chosen by the fields that Vary names`() async throws {
    let store = MemoryStore()
    let headers: HTTPHeaders = [.vary: "Accept-Language"]
    for language in ["de", "fr", "it"] {
      _ = try await store.keep(
        try .sample(
          body: Data(language.utf8),
          headers: headers,
          request: [.acceptLanguage: language]
        )
      )
    }
    let key = try CacheKey.sample()

    #expect(store.count == 3)
    #expect(try store.peek(key, for: [.acceptLanguage: "fr"])?.body.data() == Data("fr".utf8))
    #expect(store.peek(key, for: [.acceptLanguage: "en"]) == nil)
    #expect(store.peek(key, for: [:]) == nil)
  }

  @Test func `a key has at most 32 variants, the last ones stored`() async throws {
    let store = MemoryStore()
    for number in 0..<100 {
      _ = try await store.keep(
        try .sample(headers: [.vary: "X-Request-Id"], request: ["X-Request-Id": "\(number)"])
      )
    }
    let key = try CacheKey.sample()

    #expect(store.count == 32)
    #expect(store.peek(key, for: ["X-Request-Id": "67"]) == nil)
    #expect(store.peek(key, for: ["X-Request-Id": "68"]) != nil)
    #expect(store.peek(key, for: ["X-Request-Id": "99"]) != nil)
  }

  @Test func `purging removes what a clock that was ahead has stored`() async throws {
    let store = MemoryStore()
    let ahead = try StoredResponse.sample("https://example.org/1", time: 1_000 + 400 * 86_400)
    let new = try StoredResponse.sample("https://example.org/2", time: 1_001)
    for response in [ahead, new] { _ = try await store.keep(response) }

    let now = Date(timeIntervalSinceReferenceDate: 1_000)

    #expect(store.purge(olderThan: .seconds(60), now: now) == 1)
    #expect(store.peek(new.key, for: [:]) != nil)
  }

  @Test func `purges what was stored or validated before the age, however often it was used`()
    async throws
  {
    let store = MemoryStore()
    let old = try StoredResponse.sample("https://example.org/old", time: 1_000)
    _ = try await store.keep(old)
    let kept = try await store.keep(try .sample(time: 1_001))
    _ = try await store.refresh(kept.outdated())
    _ = store.peek(old.key, for: [:])

    let now = Date(timeIntervalSinceReferenceDate: 1_061)

    #expect(store.purge(olderThan: .seconds(60), now: now) == 1)
    #expect(store.peek(old.key, for: [:]) == nil)
    #expect(store.peek(kept.key, for: [:]) != nil)
  }

  @Test(arguments: [
    (UInt64(64) << 20, 16), (UInt64(1) << 30, 51), (UInt64(8) << 30, 409), (UInt64.max, 512),
  ])
  func `the default limit is a twentieth of the machine's memory, within bounds`(
    memory: UInt64,
    mebibytes: Int
  ) {
    #expect(MemoryStore.Configuration.costLimit(forMemory: memory) >> 20 == mebibytes)
    let own = MemoryStore.Configuration.costLimit(
      forMemory: ProcessInfo.processInfo.physicalMemory
    )
    #expect(MemoryStore.Configuration().costLimit == own)
  }

  @Test(arguments: [false, true])
  func `of several matching variants the one with the newest Date is found`(
    isNewestLast: Bool
  ) async throws {
    let store = MemoryStore()
    let old = try StoredResponse.sample(headers: [
      .vary: "Accept", .date: HTTPDate.format(.now - 9),
    ])
    let new = try StoredResponse.sample(headers: [.vary: "X", .date: HTTPDate.format(.now)])
    for response in isNewestLast ? [old, new] : [new, old] { _ = try await store.keep(response) }

    #expect(store.peek(old.key, for: [:]) === new)
  }

  @Test func `a variant that names its fields comes before one that does not`() async throws {
    let store = MemoryStore()
    let varying = try StoredResponse.sample(headers: [.vary: "Accept"])
    _ = try await store.keep(varying)
    _ = try await store.keep(try .sample(headers: [:]))

    #expect(store.peek(varying.key, for: [:]) === varying)
  }

  @Test func `removes one variant and leaves the others`() async throws {
    let store = MemoryStore()
    let varying = try StoredResponse.sample(headers: [.vary: "Accept"])
    let plain = try StoredResponse.sample(headers: [:])
    _ = try await store.keep(varying)
    _ = try await store.keep(plain)

    await store.remove(varying)

    #expect(store.peek(varying.key, for: [:]) === plain)
  }

  @Test func `replaces the response with the same key and varying fields`() async throws {
    let store = MemoryStore()
    _ = try await store.keep(try .sample(body: Data("old".utf8)))
    let cost = store.cost
    _ = try await store.keep(try .sample(body: Data("new".utf8)))

    #expect(store.count == 1)
    #expect(store.cost == cost)
    #expect(try store.peek(.sample(), for: [:])?.body.data() == Data("new".utf8))
  }

  @Test func `the least recently used entry is removed first, and finding counts as use`()
    async throws
  {
    let store = MemoryStore(configuration: .init(countLimit: 3))
    let urls = (0..<5).map { "https://example.org/\($0)" }
    for url in urls.prefix(3) { _ = try await store.keep(try .sample(url)) }

    _ = store.peek(try .sample(urls[0]), for: [:])
    _ = try await store.keep(try .sample(urls[3]))
    _ = store.peek(try .sample(urls[0]), for: [:])
    _ = try await store.keep(try .sample(urls[4]))

    let kept = try urls.filter { store.peek(try .sample($0), for: [:]) != nil }
    #expect(kept == [urls[0], urls[3], urls[4]])
  }

  @Test func `stays within its cost`() async throws {
    let store = MemoryStore(configuration: .init(costLimit: 100_000, entryLimit: 50_000))
    for number in 0..<100 {
      _ = try await store.keep(try .sample("https://example.org/\(number)", body: noise(9_000)))
      #expect(store.cost <= 100_000)
    }

    #expect(store.count >= 9)
    store.trim(toCost: 30_000)
    #expect(store.cost <= 30_000)
    #expect(store.peek(try .sample("https://example.org/99"), for: [:]) != nil)
  }

  @Test func `a response that is too large is not stored, and the one it replaces is removed`()
    async throws
  {
    let store = MemoryStore(configuration: .init(costLimit: 100_000, entryLimit: 10_000))
    _ = try await store.keep(try .sample())
    let large = try StoredResponse.sample(body: noise(20_000))

    let error = await #expect(throws: FreshetError.self) { try await store.keep(large) }

    #expect(error == StoreFailure.Reason.tooLarge.error)

    #expect(store.peek(large.key, for: [:]) == nil)
    #expect(store.count == 0)
    #expect(store.cost == 0)
  }

  @Test func `reads a body in a file into memory`() async throws {
    let store = MemoryStore()
    let writer = try SpoolWriter(Spool(directory: sandbox.url, threshold: 0))
    try writer.append(noise(5_000))
    let response = try StoredResponse.sample(body: try writer.finish().body)

    let kept = try await store.keep(response)

    #expect(kept.body.fileURL == nil)
    #expect(try store.peek(response.key, for: [:])?.body.data() == noise(5_000))
  }

  @Test func `removes by key, by tag, by prefix and everything`() async throws {
    let store = MemoryStore()
    func fill() async throws {
      _ = try await store.keep(try .sample("https://a.org/1", tags: ["x"]))
      _ = try await store.keep(try .sample("https://a.org/2"))
      _ = try await store.keep(try .sample("https://b.org/1", tags: ["x", "y"]))
      _ = try await store.keep(try .sample("https://a.org/1", partition: "p"))
    }

    try await fill()
    await store.remove(try .sample("https://a.org/1"))
    #expect(store.count == 3)
    try await fill()
    store.removeAll(tag: "x")
    #expect(store.count == 2)
    try await fill()
    store.removeAll(prefix: "https://a.org/")
    #expect(store.count == 2)
    try await fill()
    store.removeAll(prefix: "", partition: "p")
    #expect(store.count == 3)
    store.removeAll(prefix: "")
    #expect(store.count == 0)
    try await fill()
    store.removeAll()
    #expect(store.count == 0)
    #expect(store.cost == 0)
  }

  @Test func `serves many tasks at once`() async throws {
    let store = MemoryStore(configuration: .init(countLimit: 50))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<500 {
            let url = "https://example.org/\((number * 7 + task) % 100)"
            _ = try await store.keep(try .sample(url, body: Data(url.utf8)))
            if let found = store.peek(try .sample(url), for: [:]) {
              #expect(try found.body.data() == Data(url.utf8))
            }
          }
        }
      }
      try await group.waitForAll()
    }

    #expect(store.count == 50)
  }
}
