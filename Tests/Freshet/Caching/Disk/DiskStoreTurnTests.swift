import Foundation
import Testing

@testable import Freshet

/// Writes that a caller commits itself while the writer's thread sleeps.
@Suite struct DiskStoreTurnTests {
  let sandbox = StoreSandbox()
  /// The threads of commits.
  private let threads = Heard<Place>()

  private struct Place {
    let thread: UInt
    let isMain: Bool

    /// The mark of the main queue, on which the main actor runs.
    static let main = DispatchSpecificKey<Bool>()

    static var current: Place {
      // A number on Linux, a pointer on Apple platforms.
      let thread = withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) }
      return Place(thread: thread, isMain: DispatchQueue.getSpecific(key: main) != nil)
    }
  }

  /// The writer's thread, which sleeps again.
  private func writer(of store: DiskStore) async throws -> UInt {
    let thread = try await store.writer.perform { _ in Place.current.thread }
    await store.writer.rest()
    return thread
  }

  private var folder: URL { sandbox.url.appendingPathComponent("store") }

  /// An open store, whose thread sleeps.
  private func store(
    _ configure: (inout DiskStore.Configuration) -> Void = { _ in }
  ) async throws -> DiskStore {
    let store = DiskStore(
      directory: folder,
      configuration: DiskStore.Configuration(configure),
      tuning: DiskStore.Tuning { [threads] in
        // A commit counts the uses of its records.
        threads.append(.current)
        return Date(timeIntervalSince1970: 1_000)
      },
      onDiagnostic: nil
    )
    _ = try await store.keep(try sample(0))
    await store.writer.rest()
    return store
  }

  private func sample(_ number: Int, _ length: Int = 100) throws -> StoredResponse {
    try .sample("https://example.org/\(number)", body: noise(length, seed: UInt64(number + 1)))
  }

  private func places(of work: () async throws -> Void) async rethrows -> ArraySlice<Place> {
    let count = threads.all.count
    try await work()
    return threads.all.dropFirst(count)
  }

  @Test func `a response that is stored alone is committed without the writer's thread`()
    async throws
  {
    let store = try await store()
    let writer = try await writer(of: store)

    let places = try await places { _ = try await store.keep(try sample(1)) }

    #expect(!places.isEmpty && places.allSatisfy { $0.thread != writer })
    #expect(await store.find(try sample(1).key, for: [:]) != nil)
  }

  @MainActor @Test func `the main actor commits nothing`() async throws {
    DispatchQueue.main.setSpecific(key: Place.main, value: true)
    #expect(Place.current.isMain)
    let store = try await store()

    let places = try await places { _ = try await store.keep(try sample(1)) }

    #expect(!places.isEmpty && places.allSatisfy { !$0.isMain })
  }

  @Test func `a write that waits for the device is committed by the writer's thread`() async throws
  {
    let store = try await store { $0.durability = .power }
    let writer = try await writer(of: store)

    let places = try await places { _ = try await store.keep(try sample(1)) }

    #expect(!places.isEmpty && places.allSatisfy { $0.thread == writer })
  }

  @Test func `a caller does not wait for the lock of another process`() async throws {
    let store = try await store()
    let path = folder.appendingPathComponent("index.sqlite").path
    let other = try SQLiteConnection(path, isCreating: false, patience: 0)
    try other.run("BEGIN IMMEDIATE")

    #expect(store.writer.runNow { $0.number } == nil)

    try other.run("ROLLBACK")
    #expect(store.writer.runNow { $0.number } != nil)
  }

  @Test func `a change that fails on a caller's thread reports its failure, and leaves nothing`()
    async throws
  {
    let store = try await store()

    await #expect(throws: FreshetError.self) {
      try await store.writer.performBriefly { transaction throws(SQLiteError) in
        try transaction.run("DELETE FROM response")
        throw SQLiteError(code: 1, message: "refused")
      }
    }

    #expect(await store.find(try sample(0).key, for: [:]) != nil)
  }

  @Test func `a caller makes no change in a database that was removed`() async throws {
    let store = try await store()
    try FileManager.default.removeItem(at: folder)

    #expect(store.writer.runNow { $0.number } == nil)

    _ = try await store.keep(try sample(1))
    #expect(await store.find(try sample(1).key, for: [:]) != nil)
  }

  @Test func `the log does not grow while one task writes`() async throws {
    let store = try await store()
    for number in 0..<1_500 { _ = try await store.keep(try sample(number, 16_000)) }

    let log = folder.appendingPathComponent("index.sqlite-wal").path
    let size = try #require(FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)

    #expect(size < 12 << 20)
  }

  @Test func `a store that is full removes responses while one task writes`() async throws {
    let store = try await store { $0.byteLimit = 1 << 20 }
    for number in 0..<400 { _ = try await store.keep(try sample(number, 16_000)) }
    await store.writer.rest()

    #expect(try await store.statistics().bytes <= 1 << 20)
  }
}
