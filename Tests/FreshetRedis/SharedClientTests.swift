#if Redis && !canImport(Darwin)
import Foundation
@testable import FreshetRedis
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet

/// Clients that share a store, as processes do.
@Suite(.besideRedis) struct SharedClientTests {
  static let url = "https://a.example/logo"

  /// An origin that counts its requests, and whose `PUT` changes the body.
  private final class Origin: Sendable {
    let requests = Mutex<[HTTPMethod]>([])
    let version = Atomic<Int>(1)
    let control: String

    init(_ control: String = "max-age=600") {
      self.control = control
    }

    func client(
      _ shared: SharedStore,
      _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
      Client {
        $0.transport = ScriptedTransport { request in
          self.requests.withLock { $0.append(request.method) }
          if request.method == .put {
            self.version.add(1, ordering: .relaxed)
            return ScriptedResponse(204)
          }
          let version = self.version.load(ordering: .relaxed)
          return .versioned(version, self.control, body: "\(version)", to: request)
        }
        $0.shared = shared
        configure(&$0)
      }
    }
  }

  @Test func `what one client has fetched, another one finds, and keeps in its memory`()
    async throws
  {
    let world = try await SharedWorld()
    let origin = Origin()
    let (first, second) = (origin.client(try world.store()), origin.client(try world.store()))

    let downloaded = try await first.resource(Request(Self.url)).value
    let found = try await second.resource(Request(Self.url)).value
    let again = try await second.resource(Request(Self.url)).value

    #expect("\(downloaded.explanation)".contains("shared: miss"))
    #expect("\(downloaded.explanation)".contains("shared: stored"))
    #expect([downloaded.source, found.source, again.source] == [.network, .shared, .memory])
    #expect(origin.requests.withLock { $0 } == [.get])
    #expect("\(first.chain(for: try Request(Self.url)))".contains(".lookup(in: shared)"))
  }

  @Test(arguments: [90.0, 7_200])
  func `a client whose clock is ahead costs the others one validation`(
    seconds: Double
  ) async throws {
    let world = try await SharedWorld()
    let origin = Origin()
    let ahead = origin.client(try world.store()) { $0.now = { Date() + seconds } }
    let others = try (0..<2)
      .map { _ in
        origin.client(try world.store()) { $0.memory = nil }
      }
    _ = try await ahead.resource(Request(Self.url)).value

    let first = try await others[0].resource(Request(Self.url)).value

    #expect("\(first.explanation)".contains("age unknown"))
    for client in others {
      let next = try await client.resource(Request(Self.url)).value
      #expect(next.source == .shared && next.freshness == .fresh)
    }
    #expect(origin.requests.withLock { $0 } == [.get, .get])
  }

  @Test func `one client validates for all`() async throws {
    let world = try await SharedWorld()
    let origin = Origin("no-cache")
    let (first, second) = (origin.client(try world.store()), origin.client(try world.store()))

    _ = try await first.resource(Request(Self.url)).value
    let validated = try await second.resource(Request(Self.url)).value

    #expect(validated.source == .shared)
    #expect(validated.freshness == .revalidated)
    #expect("\(validated.explanation)".contains("shared: stored"))
  }

  @Test func `stages written by hand use it like any other store`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let transport = ScriptedTransport { _ in
      ScriptedResponse(.ok, headers: [.cacheControl: "max-age=60"], body: Data("one".utf8))
    }
    let chain = Fetch.request(try Request(Self.url))
      .lookup(in: shared)
      .checkExpiry(.http)
      .download(over: transport)
      .persist(in: shared)

    let first = try await chain.settle().value
    let second = try await chain.settle().value

    #expect([first.source, second.source] == [.network, .shared])
  }

  @Test func `a policy that persists nothing on disk stores nothing there`() async throws {
    let world = try await SharedWorld()
    let client = Origin().client(try world.store())

    let policy = ResourcePolicy { $0.persistence = .memoryOnly }
    _ = try await client.resource(Request(Self.url), policy: policy).value

    #expect(try await world.server.command("KEYS", "*:entry:*").isEmpty)
  }

  @Test func `the memories of all clients hear of a change`() async throws {
    let world = try await SharedWorld()
    let origin = Origin()
    let clients = try (0..<5).map { _ in origin.client(try world.store()) }
    for client in clients { _ = try await client.resource(Request(Self.url)).value }
    #expect(try clients.allSatisfy { try $0.configuration.memory?.peek(Request(Self.url)) != nil })

    _ = try await clients[0].send(Request(.put, Self.url)).value
    let hasHeard = try await eventually {
      try clients.allSatisfy { try $0.configuration.memory?.peek(Request(Self.url)) == nil }
    }

    #expect(hasHeard)
    for client in clients {
      #expect(try await client.resource(Request(Self.url)).value.text == "2")
    }
    #expect(origin.requests.withLock { $0 } == [.get, .put, .get])
  }

  @Test(arguments: ["key", "tag", "prefix", "all"])
  func `memory and disk hear of removals by hand`(way: String) async throws {
    let world = try await SharedWorld()
    let folder = try TemporaryDirectory()
    let origin = Origin()
    let shared = try world.store()
    let client = origin.client(try world.store()) { $0.disk = DiskStore(directory: folder.url) }
    var request = try Request(Self.url)
    request.tags = ["t"]
    _ = try await client.resource(request).value
    let memory = try #require(client.configuration.memory)
    let disk = try #require(client.configuration.disk)
    let key = CacheKey(request)

    switch way {
    case "key": try await shared.remove(key)
    case "tag": try await shared.removeAll(tag: "t")
    case "prefix": try await shared.removeAll(prefix: "https://a.example/")
    default: try await shared.removeAll()
    }

    #expect(try await eventually { memory.peek(request) == nil })
    #expect(try await eventually { await disk.find(key, for: [:]) == nil })
  }

  @Test func `changes that happened while the connection was lost are heard afterwards`()
    async throws
  {
    let world = try await SharedWorld()
    let origin = Origin()
    let (other, client) = (origin.client(try world.store()), origin.client(try world.store()))
    let request = try Request(Self.url)
    let kept = try Request(Self.url + "/kept")
    for request in [request, kept] { _ = try await client.resource(request).value }
    _ = try await other.resource(kept).value
    #expect(
      try await eventually {
        try await world.server.command("PUBSUB", "NUMSUB", "freshet:0:removals").hasSuffix("2")
      }
    )
    // It pauses before it connects again, and the message comes in between.
    try await world.server.command("CLIENT", "KILL", "TYPE", "pubsub")
    _ = try await other.send(Request(.put, Self.url)).value

    let memory = try #require(client.configuration.memory)
    #expect(try await eventually { memory.peek(request) == nil })
    #expect(memory.peek(kept) != nil)
  }

  @Test func `a process that only listens hears of removals`() async throws {
    let world = try await SharedWorld()
    let (listener, other) = (try world.store(), try await world.connected())
    var removals = listener.removals.makeAsyncIterator()
    #expect(
      try await eventually {
        try await world.server.command("PUBSUB", "NUMSUB", "freshet:0:removals").hasSuffix("1")
      }
    )

    try await other.removeAll(tag: "t")

    #expect(await removals.next() == .tag("t"))
  }

  @Test func `a server that has lost its removals empties the memories`() async throws {
    let world = try await SharedWorld()
    let shared = try world.store { $0.longestPause = .milliseconds(200) }
    let client = Origin().client(shared)
    let request = try Request(Self.url)
    _ = try await client.resource(request).value
    let memory = try #require(client.configuration.memory)
    #expect(memory.peek(request) != nil)

    world.server.kill()
    try await world.server.start()

    #expect(try await eventually { memory.peek(request) == nil })
  }

  @Test func `a change is heard whatever the text of its key`() throws {
    let keys = [
      "https://a.example/x y", "p%0Aq\nhttps://a.example/é\u{1}", "", " ", "\u{301}a",
    ]
    for key in keys {
      let removals: [StoreRemoval] = [
        .invalidated(CacheKey(text: key), at: Date(timeIntervalSince1970: 5)),
        .key(CacheKey(text: key)), .tag(key), .prefix("https://x", partition: key), .everything,
        .missed,
      ]
      for removal in removals {
        let (kind, text) = removal.words
        let message = RemovalMessage("7 6 me \(kind) 5 \(text)")
        #expect(message?.removal == removal)
        #expect(message?.number == 7)
        #expect(message?.last == 6)
      }
    }
  }
}
#endif
