import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetInspector

@Suite struct InspectorStoresTests {
  private let folder: TemporaryDirectory
  private let disk: DiskStore
  private let world: InspectorWorld

  init() throws {
    folder = try TemporaryDirectory()
    disk = DiskStore(directory: folder.file("store"), now: { InspectorWorld.start })
    world = InspectorWorld(
      { request in
        .cached(
          String(repeating: "x", count: request.url.path.count * 10),
          request.url.path == "/none"
            ? "no-cache" : "max-age=60, stale-while-revalidate=30, stale-if-error=600"
        )
      },
      configure: { [disk] in $0.disk = disk }
    )
  }

  private func fetch(_ path: String) async throws {
    _ = try await world.client.resource(Request(.get, "http://a.test\(path)")).value
  }

  private func entries() async throws -> [[String: Any]] {
    try #require(try await world.json("api/stores")["entries"] as? [[String: Any]])
  }

  @Test func `lists the entries of all stores with their freshness`() async throws {
    try await fetch("/one?token=secret")
    try await fetch("/none")
    world.time.value = InspectorWorld.start + 70

    let entries = try await entries()
    let stores = try #require(try await world.json("api/stores")["stores"] as? [[String: Any]])

    #expect(stores.map { $0["store"] as? String } == ["memory", "disk"])
    #expect(stores.map { $0["count"] as? Int } == [2, 2])
    #expect(entries.count == 4)
    #expect(Set(entries.compactMap { $0["store"] as? String }) == ["memory", "disk"])
    let ones = entries.filter { $0["url"] as? String == "http://a.test/one" }
    let nones = entries.filter { $0["url"] as? String == "http://a.test/none" }
    #expect(ones.count == 2 && nones.count == 2)
    for entry in ones {
      #expect(entry["age"] as? Int == 70 && entry["lifetime"] as? Int == 60)
      #expect(entry["whileRevalidating"] as? Int == 30 && entry["onError"] as? Int == 600)
      #expect(entry["mustValidate"] as? Bool == false && entry["bytes"] as? Int == 40)
      #expect(entry["words"] as? String == "age 70 s, over 60 s (max-age)")
    }
    for entry in nones {
      #expect(entry["mustValidate"] as? Bool == true && entry["onError"] as? Int == 0)
    }
    #expect(entries.allSatisfy { ($0["url"] as? String)?.contains("?") == false })
  }

  @Test func `lists the largest entries of all clients first`() async throws {
    let client = Client {
      $0.transport = ScriptedTransport { _ in .cached(String(repeating: "x", count: 100)) }
      $0.memory = MemoryStore()
      $0.now = { InspectorWorld.start }
    }
    world.inspector.add(client)
    try await fetch("/one")
    _ = try await client.resource(Request(.get, "http://a.test/large")).value

    #expect(try await entries().map { $0["bytes"] as? Int } == [100, 40, 40])
  }

  @Test func `plans what a fetch would do now, and does none of it`() async throws {
    try await fetch("/one")
    let id = try #require(try await entries().first?["id"] as? Int)
    let fresh = try await world.json("api/stores/\(id)/plan")
    world.time.value = InspectorWorld.start + 100
    let stale = try await world.json("api/stores/\(id)/plan")
    let plan = try await world.client.chain(for: Request(.get, "http://a.test/one")).plan()

    #expect(fresh["sends"] == nil)
    #expect(
      fresh["explanation"] as? [String] == ["memory: hit", "fresh: age 0 s, within 60 s (max-age)"]
    )
    #expect(stale["sends"] as? String == plan.request.map { "\($0)" })
    #expect(stale["stage"] as? String == "revalidate")
    #expect((stale["fields"] as? [String])?.contains { $0.contains("\"v1\"") } == true)
    #expect(try await world.rows().count == 1)
  }

  @Test func `plans a fetch of the partition and the variant of the entry`() async throws {
    let memory = world.memory
    let client = Client { [disk] in
      $0.transport = ScriptedTransport { _ in
        ScriptedResponse(
          headers: [.cacheControl: "max-age=60", .vary: "Accept-Language"],
          body: Data("x".utf8)
        )
      }
      $0.memory = memory
      $0.disk = disk
      $0.partition = "ann"
      $0.now = { InspectorWorld.start }
    }
    var request = try Request(.get, "http://a.test/one")
    request.headers[.acceptLanguage] = "de"
    _ = try await client.resource(request).value
    var plans: [String: [String: Any]] = [:]
    for entry in try await entries() {
      #expect(entry["partition"] as? String == "ann")
      let id = try #require(entry["id"] as? Int)
      plans[entry["store"] as? String ?? ""] = try await world.json("api/stores/\(id)/plan")
    }
    let (known, digest) = (try #require(plans["memory"]), try #require(plans["disk"]))

    #expect(known["sends"] == nil && (known["unknown"] as? [String])?.isEmpty == true)
    #expect((known["explanation"] as? [String])?.first == "memory: hit")
    #expect(digest["unknown"] as? [String] == ["accept-language"])
  }

  @Test func `plans no fetch whose request it does not know`() async throws {
    var request = try Request(.post, "http://a.test/search")
    request.body = .text("one")
    request.cacheIdentity = .request()
    _ = try await world.client.resource(request).value
    let id = try #require(try await entries().first?["id"])

    let plan = try await world.json("api/stores/\(id)/plan")

    #expect((plan["error"] as? String)?.contains("more than its URL") == true)
    #expect(plan["sends"] == nil)
  }

  @Test func `removes one entry from its store`() async throws {
    try await fetch("/one")
    try await fetch("/two")
    for entry in try await entries() where entry["url"] as? String == "http://a.test/one" {
      let id = try #require(entry["id"] as? Int)
      #expect(await world.post("api/stores/\(id)/remove").status == 200)
    }

    let left = try await entries()

    #expect(left.count == 2)
    #expect(left.allSatisfy { $0["url"] as? String == "http://a.test/two" })
  }

  @Test func `refuses the numbers of an earlier list`() async throws {
    try await fetch("/one")
    let id = try #require(try await entries().first?["id"] as? Int)
    _ = try await entries()

    #expect(await world.post("api/stores/\(id)/remove").status == 404)
    #expect(world.memory.count == 1)
  }
}
