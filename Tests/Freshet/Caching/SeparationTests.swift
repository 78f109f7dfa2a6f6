import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

#if Redis && !canImport(Darwin)
import FreshetRedis
#endif

/// Which requests never get each other's responses.
@Suite struct SeparationTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  typealias Store = TestedStore

  #if Redis && !canImport(Darwin)
  let server: RedisServer?

  init() async throws {
    server = RedisServer.executable == nil ? nil : try await RedisServer()
  }
  #endif

  /// Lets a client keep things in one store only.
  private func use(_ store: Store, in configuration: inout Client.Configuration) {
    if store == .disk {
      configuration.memory = nil
      configuration.disk = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
    }
    #if Redis && !canImport(Darwin)
    if store == .shared, let server {
      configuration.memory = nil
      configuration.shared = try? SharedStore(server.url) {
        $0.timeout = .seconds(60)
        $0.connectTimeout = .seconds(60)
      }
    }
    #endif
  }

  /// A client that keeps things in one store, whose origin numbers its responses.
  private func client(
    _ store: Store,
    _ headers: HTTPHeaders = [:],
    partition: String = ""
  ) -> Client {
    world.client(origin.transport(headers, world)) {
      $0.partition = partition
      use(store, in: &$0)
    }
  }

  private let origin = Origin()

  private final class Origin: Sendable {
    let count = Atomic(0)

    func transport(_ headers: HTTPHeaders, _ world: ClientWorld) -> ScriptedTransport {
      ScriptedTransport { _ in
        let number = self.count.wrappingAdd(1, ordering: .relaxed).newValue
        return world.response("\(number)", headers: headers)
      }
    }
  }

  private func text(_ client: Client, _ request: Request) async throws -> String {
    try await client.resource(request).value.text
  }

  static let urls: [(String, String)] = [
    ("http://a.example/x", "https://a.example/x"), ("http://a.example/x", "http://b.example/x"),
    ("http://a.example/x", "http://a.example:8080/x"), ("http://a.example/x", "http://a.example/X"),
    ("http://a.example/x", "http://a.example/x?"), ("http://a.example/x", "http://a.example/x?a=1"),
    ("http://a.example/x?a=1", "http://a.example/x?a=2"),
    ("http://a.example/x?a=1&b=2", "http://a.example/x?b=2&a=1"),
    ("http://a.example/x", "http://a.example/x/"),
    ("http://a.example/x%2Fy", "http://a.example/x/y"),
  ]

  @Test(arguments: Store.allCases, urls)
  func `scheme, host, port, path and the whole query`(
    store: Store,
    urls: (String, String)
  ) async throws {
    let client = client(store)

    for _ in 0..<2 {
      #expect(try await text(client, try Request(urls.0)) == "1")
      #expect(try await text(client, try Request(urls.1)) == "2")
    }
  }

  @Test(arguments: Store.allCases)
  func `separates partitions that two Unicode spellings name`(store: Store) async throws {
    // The two texts are equal; their bytes are not.
    let composed = client(store, partition: "zo\u{EB}")
    let decomposed = client(store, partition: "zoe\u{308}")

    for _ in 0..<2 {
      #expect(try await text(composed, try world.request) == "1")
      #expect(try await text(decomposed, try world.request) == "2")
    }
  }

  @Test func `removing by tag compares bytes in memory as on disk`() async throws {
    let memory = MemoryStore()
    let disk = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
    for store in [memory, disk] as [any ResourceStore] {
      var request = try world.request
      request.tags = ["\u{E9}"]
      let client = world.client(origin.transport([:], world)) {
        $0.memory = store as? MemoryStore
        $0.disk = store as? DiskStore
      }
      _ = try await text(client, request)
    }

    memory.removeAll(tag: "e\u{301}")
    try await disk.removeAll(tag: "e\u{301}")
    #expect(memory.count == 1)
    #expect(try await disk.statistics().count == 1)

    memory.removeAll(tag: "\u{E9}")
    try await disk.removeAll(tag: "\u{E9}")
    #expect(memory.count == 0)
    #expect(try await disk.statistics().count == 0)
  }

  @Test(arguments: [("\u{E9}", true), ("e\u{301}", false)])
  func `a response on its way is stored after a removal by its tag in another spelling`(
    tag: String,
    isRemoved: Bool
  ) async throws {
    let gate = Gate()
    let memory = MemoryStore()
    let transport = ScriptedTransport { [world] _ in world.response("1").waiting(for: gate) }
    let client = world.client(transport) { $0.memory = memory }
    var request = try world.request
    request.tags = ["\u{E9}"]
    let late = client.resource(request).start()
    await gate.waiting()

    memory.removeAll(tag: tag)
    gate.open()
    _ = try await late.value

    #expect(memory.count == (isRemoved ? 0 : 1))
  }

  @Test func `a response that gets a tag in another spelling is removed by that one`() async throws
  {
    let disk = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
    let client = world.client(origin.transport([.cacheControl: "max-age=0"], world)) {
      $0.memory = nil
      $0.disk = disk
    }
    var request = try world.request
    for tag in ["\u{E9}", "e\u{301}"] {
      request.tags = [tag]
      _ = try await text(client, request)
    }

    try await disk.removeAll(tag: "\u{E9}")
    #expect(try await disk.statistics().count == 1)
    try await disk.removeAll(tag: "e\u{301}")
    #expect(try await disk.statistics().count == 0)
  }

  @Test(arguments: Store.allCases)
  func `separates hosts of the Host field`(store: Store) async throws {
    let client = client(store)
    var other = try world.request
    other.headers[.host] = "b.example"

    for _ in 0..<2 {
      #expect(try await text(client, try world.request) == "1")
      #expect(try await text(client, other) == "2")
    }
  }

  @Test(arguments: Store.allCases)
  func `4.1: the fields that Vary names, one by one`(store: Store) async throws {
    let client = client(store, [.vary: "Accept-Language, X-Version"])
    let variants: [HTTPHeaders] = [
      [:], [.acceptLanguage: "de"], [.acceptLanguage: "fr"], ["X-Version": "1"],
      [.acceptLanguage: "de", "X-Version": "1"],
    ]

    for _ in 0..<2 {
      for (index, headers) in variants.enumerated() {
        #expect(
          try await text(client, Request(.get, try world.request.url, headers: headers))
            == "\(index + 1)"
        )
      }
    }
  }

  // A shared store keeps no private response without a partition, see `SharedStoreTests`.
  @Test(arguments: [Store.memory, .disk])
  func `3.5: credentials, unless the response is public`(store: Store) async throws {
    for (control, second) in [("max-age=60", "2"), ("public, max-age=60", "1")] {
      origin.count.store(0, ordering: .relaxed)
      let client = client(store, [.cacheControl: control])
      let url = "http://a.example/\(second)"
      let ann = Request(.get, try Request(url).url, headers: [.authorization: "Bearer ann"])
      let bob = Request(.get, try Request(url).url, headers: [.authorization: "Bearer bob"])

      for _ in 0..<2 {
        #expect(try await text(client, ann) == "1")
        #expect(try await text(client, bob) == second)
      }
    }
  }

  @Test(arguments: Store.allCases)
  func `a response to credentials is not for requests without`(store: Store) async throws {
    let client = client(store)
    let ann = Request(.get, try world.request.url, headers: [.authorization: "Bearer ann"])

    #expect(try await text(client, ann) == "1")
    #expect(try await text(client, try world.request) == "2")
  }

  @Test(arguments: Store.allCases)
  func `partitions`(store: Store) async throws {
    let clients = ["", "ann", "bob"].map { client(store, partition: $0) }

    for _ in 0..<2 {
      for (index, client) in clients.enumerated() {
        #expect(try await text(client, try world.request) == "\(index + 1)")
      }
    }
    for name in ["ann", "bob"] {
      let offline = ResourcePolicy { $0.network = .forbidden }
      let kept = try await client(store, partition: name)
        .resource(try world.request, policy: offline).value
      #expect(try kept.text == (name == "ann" ? "2" : "3"))
    }
  }

  @Test func `no credential and no cookie is in a store's files`() async throws {
    let client = client(.disk, [.vary: "Cookie, X-Api-Key"])
    let request = Request(
      .get,
      try world.request.url,
      headers: [.authorization: "Bearer hush", .cookie: "id=hush", "X-Api-Key": "hush"]
    )
    _ = try await text(client, request)
    #expect(try await client.configuration.disk?.statistics().count == 1)
    await client.configuration.disk?.close()

    for name in sandbox.files() {
      let data = try Data(contentsOf: sandbox.url.appendingPathComponent(name))
      #expect(data.range(of: Data("hush".utf8)) == nil)
    }
  }

  // MARK: Choosing

  @Test(arguments: Store.allCases)
  func `4.1: a variant that the origin no longer selects does not come back`(
    store: Store
  ) async throws {
    let transport = ScriptedTransport { request in
      request.headers.contains(.ifNoneMatch)
        ? world.response("for all", headers: [.eTag: "\"2\""])
        : world.response("by language", headers: [.vary: "Accept-Language", .eTag: "\"1\""])
    }
    let client = world.client(transport) { use(store, in: &$0) }
    let request = Request(.get, try world.request.url, headers: [.acceptLanguage: "de"])
    #expect(try await text(client, request) == "by language")
    world.clock.advance(by: .seconds(61))
    #expect(try await text(client, request) == "for all")

    #expect(try await text(client, request) == "for all")
    #expect(transport.counts.started == 2)
  }

  @Test(arguments: Store.allCases)
  func `RFC 9110 9.3.3: the response to a POST answers a later GET`(store: Store) async throws {
    let client = client(store, [.contentLocation: "/logo", .eTag: "\"1\""])
    #if Redis && !canImport(Darwin)
    // What is requested before the server was asked for anything is not stored.
    try await (client.configuration.shared as? SharedStore)?.connect()
    #endif

    #expect(try await text(client, try Request(.post, ClientWorld.url)) == "1")
    #expect(try await text(client, try world.request) == "1")
    #expect(try await text(client, try Request(.post, ClientWorld.url)) == "2")
    #expect(try await text(client, try world.request) == "2")
  }

  @Test(arguments: ["CDN-Cache-Control", "Surrogate-Control"] as [HTTPHeaders.Name])
  func `RFC 9213 2.2: ignores fields for other caches`(
    name: HTTPHeaders.Name
  ) async throws {
    let client = client(.memory, [name: "no-store"])
    let stale = self.client(.disk, [.cacheControl: "max-age=0", name: "max-age=60"])

    for _ in 0..<2 { #expect(try await text(client, try world.request) == "1") }
    #expect(try await text(stale, try world.request) == "2")
    #expect(try await text(stale, try world.request) == "3")
  }
}
