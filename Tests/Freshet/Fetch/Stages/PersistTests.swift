import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct PersistTests {
  let world = FetchWorld()

  private func fetch(
    _ response: ScriptedResponse,
    in store: some ResourceStore
  ) async throws
    -> Resource
  {
    let transport = ScriptedTransport(sequence: [response])
    return try await Fetch.request(try world.request)
      .download(over: transport, now: world.now)
      .persist(in: store)
      .settle()
      .value
  }

  @Test func `stores the download and explains it`() async throws {
    let resource = try await fetch(world.minute("one"), in: world.memory)

    #expect(resource.explanation.last == .stored(.memory))
    #expect(try world.memory.peek(try world.request)?.body.data() == Data("one".utf8))
  }

  @Test(arguments: ["no-store", "no-store, max-age=60"])
  func `stores nothing that its headers forbid, and delivers the value`(
    control: String
  ) async throws {
    let resource = try await fetch(world.minute("one", control: control), in: world.memory)

    #expect(resource.explanation.last == .notStored(.memory, because: "no-store"))
    #expect(world.memory.count == 0)
    #expect(try resource.text == "one")
  }

  @Test func `a store that fails does not fail the fetch`() async throws {
    let resource = try await fetch(world.minute("one"), in: BrokenStore())

    #expect(resource.explanation.last == .notStored(.disk, because: BrokenStore.error.description))
    #expect(try resource.text == "one")
  }

  @Test func `a body that is too large for memory is not reported as stored`() async throws {
    let memory = MemoryStore(configuration: .init(costLimit: 8_000))
    let resource = try await fetch(world.minute(String(repeating: "1", count: 2_000)), in: memory)

    let reason = FreshetError.store("the response is larger than the store allows").description
    #expect(resource.explanation.last == .notStored(.memory, because: reason))
    #expect(memory.count == 0)
  }

  @Test func `a validated copy gets its new headers in the store`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(61))
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "max-age=90"])
    ])

    _ = try await Fetch.request(try world.request)
      .lookup(in: world.memory)
      .checkExpiry(.http, now: world.now)
      .revalidate(over: transport, now: world.now)
      .persist(in: world.memory)
      .settle()
      .value

    let stored = try #require(world.memory.peek(try world.request))
    #expect(stored.head.headers[.cacheControl] == "max-age=90")
    #expect(stored.head.status == .ok)
    #expect(try stored.body.data() == Data("one".utf8))
  }

  @Test func `memory stores a hit of a slower store`() async throws {
    try await TemporaryDirectory.scope { folder in
      let disk = DiskStore(directory: folder.url)
      _ = try await fetch(world.minute("one"), in: disk)

      let resource = try await Fetch.request(try world.request)
        .lookup(in: world.memory)
        .lookup(in: disk)
        .checkExpiry(.http, now: world.now)
        .persist(in: world.memory)
        .settle()
        .value

      #expect(resource.source == .disk)
      #expect(world.memory.count == 1)
      await disk.close()
    }
  }

  @Test func `fields of the connection are delivered but not stored`() async throws {
    let resource = try await fetch(
      ScriptedResponse(headers: ["Connection": "X-Hop", "X-Hop": "1", .cacheControl: "max-age=1"]),
      in: world.memory
    )

    #expect(resource.headers["X-Hop"] == "1")
    #expect(world.memory.peek(try world.request)?.head.headers["X-Hop"] == nil)
  }
}

/// A store that keeps nothing and has nothing.
private struct BrokenStore: ResourceStore {
  static let error = FreshetError.store("the disk is full")

  var source: Resource.Source { .disk }
  func find(_ key: CacheKey, for headers: HTTPHeaders) -> StoredResponse? { nil }
  func keep(_ response: StoredResponse) throws(FreshetError) -> StoredResponse { throw Self.error }
  func refresh(_ response: StoredResponse) throws(FreshetError) -> StoredResponse {
    throw Self.error
  }
  func remove(_ key: CacheKey) throws(FreshetError) { throw Self.error }
}
