import Foundation
import TestSupport
import Testing

@testable import Freshet

@Suite struct DiskStoreConcurrencyTests {
  let sandbox = StoreSandbox()
  let heard = Heard<DiskStore.Diagnostic>()

  private func store(_ tuning: DiskStore.Tuning = .init()) -> DiskStore {
    DiskStore(
      directory: sandbox.url.appendingPathComponent("store"),
      configuration: .init(),
      tuning: tuning,
      onDiagnostic: { [heard] in heard.append($0) }
    )
  }

  /// Its first bytes say which one it is, its length follows from them.
  private func sample(_ number: Int, _ round: Int) throws -> StoredResponse {
    let length = number % 3 == 0 ? 40_000 : 2_000
    return try .sample(
      "https://example.org/\(number)",
      body: noise(length, seed: UInt64(number * 1_000 + round))
    )
  }

  private func isWhole(_ response: StoredResponse, _ number: Int, rounds: Int) throws -> Bool {
    let data = try response.body.data()
    return try (0..<rounds).contains { try sample(number, $0).body.data() == data }
  }

  @Test(arguments: [1, 2])
  func `many tasks store, find and remove at the same time`(instances: Int) async throws {
    let stores = (0..<instances).map { _ in store() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let store = stores[task % instances]
          for round in 0..<40 {
            let number = (round * 7 + task) % 12
            switch (round + task) % 4 {
            case 0, 1:
              _ = try await store.keep(try sample(number, task))
            case 2:
              if let found = await store.find(try sample(number, 0).key, for: [:]) {
                #expect(try isWhole(found, number, rounds: 8))
              }
            default:
              try await store.remove(try sample(number, 0).key)
            }
          }
        }
      }
      try await group.waitForAll()
    }

    let statistics = try await stores[0].statistics()
    var count = 0
    var bytes: Int64 = 0
    var files = 0
    for number in 0..<12 {
      guard let found = await stores[0].find(try sample(number, 0).key, for: [:]) else { continue }
      #expect(try isWhole(found, number, rounds: 8))
      count += 1
      bytes += Int64(found.cost)
      files += found.body.fileURL == nil ? 0 : 1
    }
    #expect(statistics == DiskStore.Statistics(count: count, bytes: bytes))
    for store in stores { await store.close() }
    #expect(sandbox.files(in: "store/bodies").count == files)
    #expect(heard.all.isEmpty)
  }

  @Test func `an instance finds immediately what another has stored`() async throws {
    let (first, second) = (store(), store())
    for number in 0..<20 {
      _ = try await first.keep(try sample(number, 0))
      let found = try #require(await second.find(sample(number, 0).key, for: [:]))
      #expect(try isWhole(found, number, rounds: 1))
      try await second.remove(found.key)
      #expect(await first.find(found.key, for: [:]) == nil)
    }
  }

  @Test func `concurrent writes share transactions`() async throws {
    let store = store()
    try await store.open()
    let before = try await store.writer.perform { $0.number }
    let come = DispatchSemaphore(value: 0)
    // The thread is busy until all are about to be written.
    store.writer.post { _ throws(SQLiteError) in
      let end = DispatchTime.now() + 60
      for _ in 0..<500 { _ = come.wait(timeout: end) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<500 {
        let response = try sample(number * 3 + 1, 0)
        group.addTask {
          come.signal()
          _ = try await store.keep(response)
        }
      }
      try await group.waitForAll()
    }
    let after = try await store.writer.perform { $0.number }

    #expect(after - before < 500)
  }

  @Test func `a failed job fails no other job`() async throws {
    let store = store()
    try await store.open()
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          if number % 10 == 0 {
            let result: Void? = try? await store.writer.perform { transaction throws(SQLiteError) in
              try transaction.run("INSERT INTO nowhere VALUES (1)")
            }
            return result != nil
          }
          return (try? await store.keep(try sample(number, 0))) != nil
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }

    #expect(outcomes == 90)
    #expect(try await store.statistics().count == 90)
  }

  @Test func `finding writes nothing until enough uses are collected`() async throws {
    var tuning = DiskStore.Tuning()
    tuning.touchLimit = 10
    let filled = self.store(tuning)
    for number in 0..<10 { _ = try await filled.keep(try sample(number, 0)) }
    await filled.close()
    let store = self.store(tuning)
    try await store.open()
    await store.writer.rest()
    let before = try await store.writer.perform { $0.number }

    for number in 0..<9 { _ = await store.find(try sample(number, 0).key, for: [:]) }
    await store.writer.rest()
    #expect(store.shared.touches.count == 9)
    _ = await store.find(try sample(9, 0).key, for: [:])
    await store.writer.rest()
    let after = try await store.writer.perform { $0.number }

    #expect(store.shared.touches.count == 0)
    #expect(after == before + 2)
  }

  @Test func `closing writes pending changes, and nothing works afterwards`() async throws {
    let store = store()
    let response = try sample(1, 0)
    _ = try await store.keep(response)
    let writer = store.writer
    // The next change is pending until the store is being closed.
    writer.post { _ throws(SQLiteError) in
      while !writer.isStopping { usleep(1_000) }
    }
    writer.post { transaction throws(SQLiteError) in
      try transaction.run("INSERT INTO tag VALUES ('pending', 1)")
    }

    await store.close()
    await store.close()

    #expect(await store.find(response.key, for: [:]) == nil)
    await #expect(throws: FreshetError.self) { try await store.keep(response) }
    #expect(await self.store().find(response.key, for: [:]) != nil)
    let index = sandbox.url.appendingPathComponent("store/index.sqlite").path
    let database = try SQLiteConnection(index, isCreating: false, patience: 1_000)
    #expect(try database.integer("SELECT count(*) FROM tag WHERE name = 'pending'") == 1)
  }

  @Test func `closing an unused store touches no file`() async {
    await store().close()

    #expect(sandbox.files().isEmpty)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a released store leaves no thread and no descriptor`() async throws {
    var store: DiskStore? = store()
    for number in 0..<10 {
      _ = try await store?.keep(try sample(number, 0))
      _ = await store?.find(try sample(number, 0).key, for: [:])
    }
    #expect(openDescriptors(below: sandbox.url) > 0)

    let writer = try #require(store?.writer)
    store = nil
    await writer.end()

    #expect(openDescriptors(below: sandbox.url) == 0)
  }
}
