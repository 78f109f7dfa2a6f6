import Foundation
import Testing

@testable import Freshet

/// Whose limit counts, and when.
@Suite struct DiskStoreLimitTests {
  let sandbox = StoreSandbox()

  private func store(
    _ limit: Int64? = nil,
    partial: Int64? = nil,
    _ tuning: DiskStore.Tuning = .init()
  ) -> DiskStore {
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = limit
    configuration.partialByteLimit = partial
    return DiskStore(
      directory: sandbox.url.appendingPathComponent("store"),
      configuration: configuration,
      tuning: tuning,
      onDiagnostic: nil
    )
  }

  private func sample(_ number: Int, _ length: Int = 1_000) throws -> StoredResponse {
    try .sample("https://example.org/\(number)", body: noise(length, seed: UInt64(number) + 1))
  }

  private func fill(_ store: DiskStore, count: Int = 40) async throws {
    for number in 0..<count { _ = try await store.keep(try sample(number)) }
  }

  @Test func `opening a store without a limit for reading removes nothing`() async throws {
    let app = store(1 << 20)
    try await fill(app)
    await app.close()

    let tool = store(10_000)
    let before = try await tool.statistics().count
    #expect(await tool.find(try sample(0).key, for: [:]) != nil)
    #expect(try await tool.verify().count == 40)
    try await tool.remove(try sample(1).key)
    await tool.close()

    let again = store()
    #expect(before == 40)
    #expect(try await again.statistics().count == 39)
  }

  @Test func `a store without a limit uses the limit of the directory`() async throws {
    let app = store(20_000)
    try await fill(app, count: 1)
    await app.close()
    let tool = store()
    try await fill(tool)
    await tool.writer.rest()

    #expect(try await tool.statistics().bytes <= 20_000)
    await #expect(throws: FreshetError.self) { try await tool.keep(try sample(99, 30_000)) }
  }

  @Test func `the last explicit limit belongs to the directory`() async throws {
    for limit in [Int64(20_000), 1 << 20] {
      let app = store(limit)
      try await fill(app, count: 1)
      await app.close()
    }
    let tool = store()
    try await fill(tool)
    await tool.writer.rest()

    #expect(try await tool.statistics().count == 40)
  }

  @Test func `opening with a smaller limit keeps partial bodies that can be resumed`() async throws
  {
    let app = store(1 << 20, partial: 1 << 20)
    try await fill(app, count: 1)
    try Data(count: 5_000).write(to: try waiting("ab"))
    try Data(count: 5_000).write(to: try waiting("cd"))
    await app.close()

    let tool = store(1 << 20, partial: 1_000)
    try await tool.open()
    await tool.writer.rest()

    #expect(sandbox.files(in: "store/partial").count == 4)
    #expect(tool.partials.byteLimit == 1_000)
    await tool.close()
    let last = store()
    try await last.open()
    #expect(last.partials.byteLimit == 1 << 20)
  }

  @Test func `a sweep does not change the limits of the directory`() async throws {
    let app = store(1 << 20, partial: 1 << 20)
    try await fill(app, count: 1)
    await app.close()
    var tuning = DiskStore.Tuning()
    tuning.sweepInterval = 0

    let tool = store(1_000, partial: 1_000, tuning)
    try await tool.open()
    await tool.writer.rest()
    await tool.close()

    let last = store()
    try await last.open()
    #expect(last.partials.byteLimit == 1 << 20)
    #expect(last.shared.limits.bytes == 1 << 20)
  }

  /// A body and its record, as far as the sweep looks at them.
  private func waiting(_ name: String) throws -> URL {
    let folder = sandbox.url.appendingPathComponent("store/partial")
    try PrivateDirectory.make(folder.path)
    try Data("{}\n".utf8).write(to: folder.appendingPathComponent("\(name).head"))
    return folder.appendingPathComponent("\(name).part")
  }

  // MARK: - Uses

  @Test func `uses are written with a change once there are enough of them`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.touchGroup = 3
    tuning.touchDelay = .seconds(3_600)
    // The daily search is a change, too.
    tuning.sweepInterval = .infinity
    let store = self.store(tuning)
    try await fill(store, count: 4)
    let (before, untouched) = (try used(0), try used(1))
    _ = await store.find(try sample(0).key, for: [:])
    // Two responses have uses that are not written, and this one is the third.
    _ = try await store.keep(try sample(4))
    #expect(try used(0) == before)
    _ = try await store.keep(try sample(5))

    #expect(try used(0) > before)
    #expect(try used(1) == untouched)
  }

  @Test func `uses are written after some time without other changes`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.touchDelay = .zero
    let store = store(tuning)
    try await fill(store, count: 2)
    await store.writer.rest()
    let before = try used(0)

    _ = await store.find(try sample(0).key, for: [:])
    await store.writer.rest()

    #expect(try used(0) > before)
  }

  private func store(_ tuning: DiskStore.Tuning) -> DiskStore {
    store(nil, partial: nil, tuning)
  }

  private func used(_ number: Int) throws -> Int64 {
    let path = sandbox.url.appendingPathComponent("store/index.sqlite").path
    let connection = try SQLiteConnection(path, isCreating: false, patience: 1_000)
    return try connection.integer(
      """
      SELECT used FROM usage JOIN response ON id = response
      WHERE key = 'https://example.org/\(number)'
      """
    )
  }
}
