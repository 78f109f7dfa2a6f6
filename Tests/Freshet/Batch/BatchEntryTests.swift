import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Batches whose items have choices of their own.
@Suite struct BatchEntryTests {
  let sandbox = StoreSandbox()
  let world = BatchWorld()

  private func file(_ name: String) -> URL { sandbox.url.appending(path: name) }

  private static func body(_ count: Int) -> Data { Data(repeating: 0x61, count: count) }

  private static func digest(_ count: Int) -> Checksum {
    .sha256(SHA256Hasher.digest(of: body(count)))
  }

  @Test func `each item has a digest and a file of its own`() async throws {
    let entries = [
      BatchEntry(BatchWorld.url("10"), to: file("ten"), expecting: Self.digest(10)),
      BatchEntry(BatchWorld.url("20"), to: file("twenty"), expecting: Self.digest(21)),
      BatchEntry(BatchWorld.url("30"), expecting: Self.digest(30)),
      BatchEntry(BatchWorld.url("10"), to: file("again")),
      BatchEntry(BatchWorld.url("10"), to: file("again")),
    ]

    let client = world.client(world.origin())
    let result = try await client.batch(entries).run().value

    #expect(result.failures.map { $0.item.index } == [1])
    guard case .corrupted? = result.failures.first?.error else {
      Issue.record("\(result.failures)")
      return
    }
    #expect(sandbox.files() == ["again", "ten"])
    #expect(try Data(contentsOf: file("ten")) == Self.body(10))
    #expect(result.completedItems == 3)
    // The third one is no file: the stores have it, and the others are in no store.
    #expect(client.configuration.memory?.count == 1)
  }

  @Test func `an expected length counts until the response has another one`() async throws {
    let lengths: [Int64] = [10, 30, -1]
    let entries = lengths.enumerated()
      .map { index, length in
        var entry = BatchEntry(BatchWorld.url("gated_\(index)"))
        entry.expectedLength = length
        return entry
      }
    let client = world.client(world.origin())

    var totals: [Int64?] = []
    var last: BatchProgress?
    for try await event in client.batch(entries).run() {
      guard case .advanced(let whole) = event else { continue }
      if whole.knowsAllItems, whole.endedItems == 0 { totals.append(whole.totalBytes) }
      last = whole
      world.gate.open()
    }

    #expect(totals.first == 40)
    #expect(last?.totalBytes == 30)
  }

  @Test func `expected lengths of a sequence are a total at its end`() async throws {
    let (entries, continuation) = AsyncStream.makeStream(of: BatchEntry.self)
    for (index, length) in [10, 30 as Int64].enumerated() {
      var entry = BatchEntry(BatchWorld.url("gated_\(index)"))
      entry.expectedLength = length
      continuation.yield(entry)
    }
    continuation.finish()

    var totals: Set<Int64?> = []
    var last: BatchProgress?
    for try await event in world.client(world.origin()).batch(entries).run() {
      guard case .advanced(let whole) = event else { continue }
      if whole.knowsAllItems, whole.endedItems == 0 { totals.insert(whole.totalBytes) }
      last = whole
      if whole.knowsAllItems { world.gate.open() }
    }

    #expect(totals.contains(40))
    #expect(last?.totalBytes == 20)
    #expect(last?.fraction == 1)
  }

  @Test func `failed items run again with their own options`() async throws {
    let answers = ScriptedTransport(sequence: [
      ScriptedResponse(503), ScriptedResponse(body: Self.body(5)),
    ])
    let client = world.client(answers)
    let entry = BatchEntry(BatchWorld.url("x"), to: file("x"), expecting: Self.digest(5))

    let first = try await client.batch([entry]).run().value
    let second = try await first.failed.run().value

    #expect(second.failures.isEmpty)
    #expect(try Data(contentsOf: file("x")) == Self.body(5))
  }

  @Test func `each item has a policy of its own`() async throws {
    let offline = ResourcePolicy(network: .forbidden)
    let entries = [
      BatchEntry(BatchWorld.url("10"), policy: offline), BatchEntry(BatchWorld.url("20")),
      BatchEntry(BatchWorld.url("20"), policy: offline),
    ]

    let result = try await world.client(world.origin()).batch(entries)
      .run(maxConcurrent: 1).value

    #expect(result.failures.map { $0.item.index } == [0])
    guard case .notStored? = result.failures.first?.error else {
      Issue.record("\(result.failures)")
      return
    }
  }

  @Test func `entries come from a sequence, and go into a directory`() async throws {
    let (entries, continuation) = AsyncStream.makeStream(of: BatchEntry.self)
    for count in [10, 20] {
      continuation.yield(BatchEntry(Request(BatchWorld.url("\(count)")), into: sandbox.url))
    }
    continuation.finish()

    let result = try await world.client(world.origin()).batch(entries).run().value

    #expect(result.failures.isEmpty)
    #expect(sandbox.files() == ["10", "20"])
  }

  @Test func `a stored plan has the digest and the file, and so has a journal`() async throws {
    let entries = [
      BatchEntry(BatchWorld.url("10"), to: file("ten"), expecting: Self.digest(10)),
      BatchEntry(Request(BatchWorld.url("20")), into: sandbox.url),
      BatchEntry(BatchWorld.url("30"), policy: ResourcePolicy(expected: Self.digest(30))),
    ]
    let client = world.client(world.origin())
    let plan = try await client.batch(entries).plan().value
    #expect(plan.totals.bytes == 60)

    let stored = try JSONDecoder().decode(BatchPlan.self, from: try JSONEncoder().encode(plan))
    let journal = BatchJournal(at: file("journal"))
    try journal.record(client.batch(plan))
    let remaining = try #require(try journal.remaining())

    for items in [stored.items, remaining.items] {
      #expect(items.map(\.entry.file) == [file("ten"), nil, nil])
      #expect(items.map(\.entry.directory) == [nil, sandbox.url, nil])
      #expect(items.map(\.entry.expected) == [Self.digest(10), nil, Self.digest(30)])
    }
    _ = try await stored.run(with: client).value
    #expect(sandbox.files() == ["20", "journal", "ten"])
  }

  @Test func `refuses a plan with an invalid digest`() async throws {
    let client = world.client(world.origin())
    let entry = BatchEntry(BatchWorld.url("10"), expecting: Self.digest(10))
    let data = try JSONEncoder().encode(try await client.batch([entry]).plan().value)
    let text = String(decoding: data, as: UTF8.self)
    let broken = text.replacing(/"sha256":"[0-9a-f]{64}"/, with: #""sha256":"abc""#)
    #expect(broken != text)

    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BatchPlan.self, from: Data(broken.utf8))
    }
  }
}
