import Foundation
import Testing

@testable import Freshet

@Suite struct DiskStoreEntriesTests {
  let sandbox = StoreSandbox()
  let heard = Heard<DiskStore.Diagnostic>()

  private func store() -> DiskStore {
    DiskStore(
      directory: sandbox.url.appendingPathComponent("store"),
      onDiagnostic: { [heard] in heard.append($0) }
    )
  }

  private func url(_ number: Int) -> String { "https://example.org/\(number)" }

  /// Small ones, and every tenth in a file.
  private func fill(_ store: DiskStore, _ count: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          let length = number % 10 == 0 ? 40_000 : 100
          _ = try await store.keep(
            try .sample(
              url(number),
              body: noise(length, seed: UInt64(number)),
              tags: ["\(number)"]
            )
          )
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: [0, 1, 63, 64, 65, 300])
  func `lists every response once`(count: Int) async throws {
    let store = store()
    try await fill(store, count)

    var urls: Set<String> = []
    var number = 0
    for try await entry in store.entries {
      number += 1
      urls.insert(entry.url.absoluteString)
      #expect(entry.tags == [entry.url.lastPathComponent])
    }

    #expect(number == count)
    #expect(urls == Set((0..<count).map(url)))
  }

  @Test func `returns the response of an entry, unless it was removed`() async throws {
    let store = store()
    try await fill(store, 11)
    var entries: [DiskStore.Entry] = []
    for try await entry in store.entries { entries.append(entry) }
    let entry = try #require(entries.first { $0.url.lastPathComponent == "10" })

    let response = try #require(await store.response(for: entry))
    #expect(try response.body.data() == noise(40_000, seed: 10))
    #expect(response.digest == entry.digest && response.key == entry.key)

    _ = try await store.keep(try .sample(url(10), body: Data("new".utf8)))
    #expect(await store.response(for: entry) == nil)
  }

  @Test func `a page that is removed during a listing does not end it`() async throws {
    let store = store()
    try await fill(store, 200)
    var all: [CacheKey] = []
    for try await entry in store.entries { all.append(entry.key) }
    try #require(all.count == 200)

    var listed: [CacheKey] = []
    for try await entry in store.entries {
      listed.append(entry.key)
      guard listed.count == 1 else { continue }
      // The second page; the first one has been read.
      for key in all[64..<128] { try await store.remove(key) }
    }

    #expect(listed == Array(all[..<64] + all[128...]))
  }

  @Test func `verifying an intact store finds no damage`() async throws {
    let store = store()
    try await fill(store, 100)

    let result = try await store.verify()

    #expect(result == .init(count: 100, bytes: 10 * 40_000 + 90 * 100))
    #expect(heard.all.isEmpty)
  }

  @Test(arguments: ["body", "record", "gone"])
  func `verifying removes damaged responses`(damage: String) async throws {
    let store = store()
    try await fill(store, 20)
    // Once read, it would not be verified by a fetch again.
    _ = try await store.find(.sample(url(10)), for: [:])?.body.data()
    let layout = store.shared.layout
    let file = try await store.writer.perform { transaction throws(SQLiteError) in
      if damage == "record" {
        try transaction.run("UPDATE response SET length = 1 WHERE key = ?", .text(url(10)))
      }
      return try transaction.rows("SELECT id, cost, file FROM response WHERE key LIKE '%/10'")
        .first?
        .file
    }
    let body = layout.body(try #require(file))
    if damage == "gone" { try FileManager.default.removeItem(at: body) }
    if damage == "body" {
      var data = try Data(contentsOf: body)
      data[20_000] ^= 1
      try data.write(to: body)
    }

    let result = try await store.verify()

    #expect(result.count == 20)
    #expect(result.damaged.map(\.url) == [url(10)])
    #expect(try await store.verify() == .init(count: 19, bytes: 40_000 + 18 * 100))
    #expect(try await store.statistics().count == 19)
  }

  @Test func `verifying keeps a response of a partition whose name contains NUL`() async throws {
    let store = store()
    let response = try StoredResponse.sample(partition: "a\u{0}b")
    _ = try await store.keep(response)

    #expect(try await store.verify().damaged.isEmpty)

    #expect(await store.find(response.key, for: [:]) != nil)
    var count = 0
    for try await entry in store.entries {
      count += 1
      #expect(entry.partition == "a\u{0}b")
      #expect(await store.response(for: entry)?.key == response.key)
    }
    #expect(count == 1)
  }
}
