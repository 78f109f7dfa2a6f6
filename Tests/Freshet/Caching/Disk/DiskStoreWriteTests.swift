import Foundation
import Synchronization
import Testing

@testable import Freshet

/// The pages that a write changes, and the uses that it leaves for later.
@Suite struct DiskStoreWriteTests {
  let sandbox = StoreSandbox()

  private func store(_ tuning: DiskStore.Tuning = .init()) -> DiskStore {
    DiskStore(
      directory: sandbox.url,
      configuration: DiskStore.Configuration(),
      tuning: tuning,
      onDiagnostic: nil
    )
  }

  private func sample(_ number: Int, version: Int = 0) throws -> StoredResponse {
    try .sample(
      "https://example.org/\(number)",
      body: noise(10_240, seed: UInt64(version * 1_000 + number + 1)),
      time: Double(1_000 + version)
    )
  }

  // MARK: - Pages

  /// The pages in the log that commits have written since the last checkpoint.
  private func loggedPages() throws -> Int {
    let log = sandbox.url.appendingPathComponent("index.sqlite-wal").path
    let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
    return (try #require(size) - 32) / (4_096 + 24)
  }

  @Test func `storing a response writes the pages of its record, of its key and of the totals`()
    async throws
  {
    let store = store()
    for number in 0..<50 { _ = try await store.keep(try sample(number)) }
    await store.writer.rest()
    let before = try loggedPages()

    for number in 50..<150 { _ = try await store.keep(try sample(number)) }

    // About four for the record, and one each for the key, the totals, the header and the map of pages.
    #expect(try loggedPages() - before <= 900)
  }

  @Test func `replacing a response by one of the same length writes the pages of its record alone`()
    async throws
  {
    let store = store()
    for number in 0..<100 { _ = try await store.keep(try sample(number)) }
    await store.writer.rest()
    let before = try loggedPages()

    for number in 0..<100 { _ = try await store.keep(try sample(number, version: 1)) }

    #expect(try loggedPages() - before <= 450)
    let found = await store.find(try sample(7).key, for: [:])
    #expect(try found?.body.data() == noise(10_240, seed: 1_008))
    #expect(try await store.statistics().count == 100)
  }

  @Test(arguments: [10, 40_000])
  func `the file shrinks after bodies were replaced by shorter ones and by files`(
    length: Int
  ) async throws {
    let store = store()
    for number in 0..<800 { _ = try await store.keep(try sample(number)) }
    await store.writer.rest()
    for number in 0..<800 {
      let url = "https://example.org/\(number)"
      _ = try await store.keep(try .sample(url, body: noise(length), time: 2_000))
    }

    await store.writer.rest()

    #expect(try integer("PRAGMA freelist_count") <= 1_024)
  }

  @Test func `a replaced response is found by its new tags only`() async throws {
    let store = store()
    let response = try sample(1)
    func tagged(_ tags: Set<String>, time: Double) throws -> StoredResponse {
      try .sample(response.key.text, body: noise(10), time: time, tags: tags)
    }
    _ = try await store.keep(try tagged(["a", "b"], time: 1))
    _ = try await store.keep(try tagged(["b", "c"], time: 2))

    try await store.removeAll(tag: "a")
    #expect(await store.find(response.key, for: [:]) != nil)
    try await store.removeAll(tag: "c")
    #expect(await store.find(response.key, for: [:]) == nil)
  }

  // MARK: - Uses

  @Test func `closing a store writes the uses of what it stored`() async throws {
    // The daily search would add them.
    var tuning = DiskStore.Tuning()
    tuning.sweepInterval = .infinity
    tuning.touchDelay = .seconds(3_600)
    let store = self.store(tuning)
    for number in 0..<5 { _ = try await store.keep(try sample(number)) }
    #expect(try integer("SELECT count(*) FROM usage") == 0)

    await store.close()

    #expect(try integer("SELECT count(*) FROM usage") == 5)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a store that is released writes the uses of what it stored`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.sweepInterval = .infinity
    tuning.touchDelay = .seconds(3_600)
    var store: DiskStore? = self.store(tuning)
    for number in 0..<5 { _ = try await store?.keep(try sample(number)) }
    #expect(try integer("SELECT count(*) FROM usage") == 0)

    let writer = try #require(store?.writer)
    store = nil
    await writer.end()

    #expect(try integer("SELECT count(*) FROM usage") == 5)
  }

  @Test func `a change that fails loses no uses`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.touchGroup = 1
    tuning.sweepInterval = .infinity
    tuning.touchDelay = .seconds(3_600)
    let store = self.store(tuning)
    _ = try await store.keep(try sample(0))

    await #expect(throws: FreshetError.self) {
      try await store.writer.perform { _ throws(SQLiteError) -> Void in
        throw SQLiteError(code: 1, message: "refused")
      }
    }
    #expect(try integer("SELECT count(*) FROM usage") == 0)
    await store.close()

    #expect(try integer("SELECT count(*) FROM usage") == 1)
  }

  @Test func `a database that replaces another one gets no uses of that one's records`()
    async throws
  {
    let clock = Mutex(Date(timeIntervalSince1970: 9_000))
    var tuning = DiskStore.Tuning { clock.withLock { $0 } }
    tuning.sweepInterval = .infinity
    let store = self.store(tuning)
    _ = try await store.keep(try sample(0))
    for name in sandbox.files() {
      try FileManager.default.removeItem(at: sandbox.url.appendingPathComponent(name))
    }
    clock.withLock { $0 = Date(timeIntervalSince1970: 5_000) }
    let other = self.store(tuning)
    _ = try await other.keep(try sample(1))
    await other.close()

    _ = try await store.keep(try sample(2))
    await store.close()

    #expect(try integer("SELECT count(*) FROM usage") == 2)
    #expect(try integer("SELECT count(*) FROM usage WHERE used = 5000000000") == 2)
  }

  @Test func `a removed response has no use`() async throws {
    let store = store()
    for number in 0..<5 { _ = try await store.keep(try sample(number)) }
    try await store.remove(try sample(2).key)
    await store.close()

    #expect(try integer("SELECT count(*) FROM usage") == 4)
  }

  @Test func `a response whose process ended before it wrote the use counts as used when stored`()
    async throws
  {
    // A store that is not closed has the files of a process that was killed.
    var unwritten = DiskStore.Tuning()
    unwritten.touchDelay = .seconds(3_600)
    let killed = self.store(unwritten)
    for number in 0..<5 { _ = try await killed.keep(try sample(number)) }
    var tuning = DiskStore.Tuning()
    tuning.sweepInterval = 0
    let store = self.store(tuning)

    let listed = try await store.entries.first { _ in true }
    try await store.open()
    await store.writer.rest()

    let time = sampleTime
    #expect(listed?.used == time)
    #expect(try integer("SELECT count(*) FROM usage WHERE used = \(microseconds(time))") == 5)
    withExtendedLifetime(killed) {}
  }

  private var sampleTime: Date { Date(timeIntervalSinceReferenceDate: 1_000) }

  private func microseconds(_ time: Date) -> Int64 {
    Int64(time.timeIntervalSince1970) * 1_000_000
  }

  private func integer(_ sql: String) throws -> Int64 {
    let path = sandbox.url.appendingPathComponent("index.sqlite").path
    return try SQLiteConnection(path, isCreating: false, patience: 1_000).integer(sql)
  }
}
