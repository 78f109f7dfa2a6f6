import Foundation
import Testing

@testable import Freshet

/// What one process does to a directory, and what another one makes of it.
@Suite struct DiskStoreProcessesTests {
  let sandbox = StoreSandbox()
  let heard = Heard<DiskStore.Diagnostic>()

  private func store(
    _ tuning: DiskStore.Tuning = .init(),
    _ configuration: DiskStore.Configuration = .init()
  ) -> DiskStore {
    DiskStore(
      directory: sandbox.url.appendingPathComponent("store"),
      configuration: configuration,
      tuning: tuning,
      onDiagnostic: { [heard] in heard.append($0) }
    )
  }

  private func sample(_ number: Int, _ length: Int) throws -> StoredResponse {
    try .sample("https://example.org/\(number)", body: noise(length, seed: UInt64(number) + 1))
  }

  private func path(_ name: String) -> String {
    sandbox.url.appendingPathComponent("store/\(name)").path
  }

  private func execute(_ sql: String) throws {
    try SQLiteConnection(path("index.sqlite"), isCreating: false, patience: 1_000).run(sql)
  }

  // MARK: - A database that is replaced

  @Test(arguments: [1_000, 50_000])
  func `a response that another process removed with the database is not found`(
    length: Int
  ) async throws {
    let (reader, other) = (store(), store())
    _ = try await reader.keep(try sample(1, length))
    #expect(await reader.find(try sample(1, length).key, for: [:]) != nil)
    try execute("CREATE TRIGGER no BEFORE DELETE ON response BEGIN SELECT raise(ABORT, 'no'); END")

    try await other.removeAll()
    _ = try await other.keep(try sample(2, length))

    #expect(await reader.find(try sample(1, length).key, for: [:]) == nil)
    #expect(await reader.find(try sample(2, length).key, for: [:]) != nil)
    #expect(try await reader.statistics().count == 1)
  }

  @Test func `a response in a directory that another process removed is not found`()
    async throws
  {
    let reader = store()
    _ = try await reader.keep(try sample(1, 1_000))
    #expect(await reader.find(try sample(1, 1_000).key, for: [:]) != nil)

    try FileManager.default.removeItem(atPath: path(""))

    #expect(await reader.find(try sample(1, 1_000).key, for: [:]) == nil)
    #expect(heard.all == [.directoryVanished])
  }

  @Test func `a store follows a link above it that leads to another directory`() async throws {
    let current = sandbox.url.appendingPathComponent("current").path
    for name in ["1", "2"] {
      let folder = sandbox.url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }
    func lead(to name: String) {
      unlink(current)
      #expect(symlink(name, current) == 0)
    }
    func open() -> DiskStore {
      DiskStore(directory: sandbox.url.appendingPathComponent("current/store"))
    }
    lead(to: "1")
    let old = open()
    _ = try await old.keep(try sample(1, 50_000))

    lead(to: "2")
    #expect(await old.find(try sample(1, 50_000).key, for: [:]) == nil)
    let new = open()
    _ = try await old.keep(try sample(2, 50_000))
    #expect(await new.find(try sample(2, 50_000).key, for: [:]) != nil)
    #expect(sandbox.files(in: "1/store/bodies").count == 1)
    #expect(sandbox.files(in: "2/store/bodies").count == 1)
    for store in [old, new] { await store.close() }

    lead(to: "1")
    let first = open()
    #expect(await first.find(try sample(1, 50_000).key, for: [:]) != nil)
    #expect(try await first.statistics().count == 1)
  }

  @Test func `emptying a store by force keeps what others have stored since`() async throws {
    let (first, other) = (store(), store())
    _ = try await first.keep(try sample(1, 50_000))
    let generation = try #require(first.generation)
    // As the first half of emptying does it.
    try await first.writer.perform { transaction throws(SQLiteError) in
      guard transaction.generation == generation else { return }
      throw SQLiteError(discarding: "it could not be emptied")
    }
    _ = try await other.keep(try sample(2, 50_000))

    try await first.removeUnneededBodies()

    #expect(
      try await first.find(sample(2, 50_000).key, for: [:])?.body.data() == noise(50_000, seed: 3)
    )
    #expect(sandbox.files(in: "store/bodies").count == 1)
  }

  @Test func `a body that is removed before its record is written is moved again`()
    async throws
  {
    let store = store()
    _ = try await store.keep(try sample(0, 10))
    let bodies = sandbox.url.appendingPathComponent("store/bodies")
    let removed = Heard<String>()
    store.writer.post { _ throws(SQLiteError) in
      // On the writer's own thread: the record waits for this.
      for _ in 0..<60_000 {
        let names = FileManager.default.enumerator(atPath: bodies.path)?.allObjects as? [String]
        if let name = names?.first(where: { $0.contains("/") }) {
          if unlink(bodies.appendingPathComponent(name).path) == 0 { removed.append(name) }
          return
        }
        usleep(1_000)
      }
    }

    _ = try await store.keep(try sample(1, 50_000))

    #expect(
      try await store.find(sample(1, 50_000).key, for: [:])?.body.data() == noise(50_000, seed: 2)
    )
    #expect(removed.all.count == 1)
    #expect(heard.all.isEmpty)
  }

  // MARK: - Opening

  @Test func `a process that stops while it opens the store does not block others for long`()
    async throws
  {
    var tuning = DiskStore.Tuning()
    tuning.lockPatience = .milliseconds(20)
    let store = store(tuning)
    try PrivateDirectory.make(path(""))
    var stopped: OpenFile? = try OpenFile(path(""), O_RDONLY | O_DIRECTORY)
    #expect(stopped?.tryLock() == true)

    #expect(await store.find(try sample(1, 10).key, for: [:]) == nil)
    await #expect(throws: FreshetError.self) { try await store.keep(try sample(1, 10)) }

    #expect(heard.all.count == 1)
    #expect("\(heard.all)".contains("another process has its lock"))
    stopped = nil
    _ = try await store.keep(try sample(1, 10))
    #expect(await store.find(try sample(1, 10).key, for: [:]) != nil)
  }

  @Test func `reading a store needs no lock that a writer holds`() async throws {
    let first = store()
    _ = try await first.keep(try sample(1, 1_000))
    let writer = try SQLiteConnection(path("index.sqlite"), isCreating: false, patience: 0)
    try writer.run("BEGIN IMMEDIATE")

    let other = store()
    #expect(await other.find(try sample(1, 1_000).key, for: [:]) != nil)
    #expect(try await other.statistics().count == 1)
    try writer.run("ROLLBACK")
  }

  // MARK: - Orphans

  @Test func `the search for orphans keeps a body whose record is about to be written`()
    async throws
  {
    var tuning = DiskStore.Tuning()
    tuning.sweepInterval = 0
    tuning.now = { Date() + 7_200 }
    let store = store(tuning)
    let layout = DiskLayout(directory: store.directory)
    try PrivateDirectory.make(layout.bodies.path)
    // Its process sleeps between the two steps.
    let body = try StagedBody(ResourceBody(noise(50_000)), in: layout, durability: .process)

    try await store.open()
    await store.writer.rest()

    #expect(sandbox.files(in: "store/bodies").count == 1)
    withExtendedLifetime(body) {}
  }

  // MARK: - Sweeps

  @Test func `a time of the last search that is far in the future does not prevent the next one`()
    async throws
  {
    let first = store()
    _ = try await first.keep(try sample(1, 1_000))
    await first.close()
    try execute("UPDATE total SET swept = 99999999999, count = 77")

    let second = store()
    try await second.open()
    await second.writer.rest()

    #expect(try await second.statistics().count == 1)
  }

  @Test func `a store that stays open applies its limits of age once a day`() throws {
    let shared = DiskShared(
      layout: DiskLayout(directory: sandbox.url.appendingPathComponent("store")),
      configuration: .init(),
      tuning: .init(),
      listener: nil
    )
    let session = DiskSession(shared: shared, readers: DiskReaders(shared: shared))
    defer { session.end() }
    try session.open()
    while session.hasChores { session.doChore() }
    let begun = try #require(session.lastSweep)
    let due = try #require(session.due)
    #expect(due == begun.advanced(by: .seconds(86_400)))

    session.doDue()
    #expect(session.sweep == nil)
    session.lastSweep = begun.advanced(by: .seconds(-86_400))
    session.doDue()

    #expect(session.sweep != nil)
  }

  // MARK: - Loss of power

  @Test func `a replaced body stays until its record cannot come back`() async throws {
    let store = store()
    for seed in [UInt64(1), 2] {
      _ = try await store.keep(try .sample(body: noise(50_000, seed: seed)))
    }
    #expect(sandbox.files(in: "store/bodies").count == 2)

    await store.close()
    #expect(sandbox.files(in: "store/bodies").count == 1)
  }

  @Test func `removing something removes its earlier versions too`() async throws {
    let store = store()
    for seed in [UInt64(1), 2] {
      _ = try await store.keep(try .sample(body: noise(50_000, seed: seed)))
    }

    try await store.remove(.sample())

    #expect(sandbox.files(in: "store/bodies").isEmpty)
  }

  @Test(arguments: [1_000, 50_000])
  func `stores, replaces and finds with a durability that waits for the device`(
    length: Int
  ) async throws {
    var configuration = DiskStore.Configuration()
    configuration.durability = .power
    let first = store(.init(), configuration)
    for seed in [UInt64(1), 2] {
      _ = try await first.keep(try .sample(body: noise(length, seed: seed)))
    }

    #expect(sandbox.files(in: "store/bodies").count == (length > 16_384 ? 1 : 0))
    await first.close()
    let found = await store(.init(), configuration).find(try .sample(), for: [:])
    #expect(try found?.body.data() == noise(length, seed: 2))
    #expect(heard.all.isEmpty)
  }
}
