import Foundation
import FreshetTesting
import TestSupport
import Testing

#if Redis && !canImport(Darwin)
import Freshet
import FreshetRedis
#endif

/// `--shared` of a tool with the trait `Redis`, and of one without it.
@Suite struct SharedToolTests {
  private static let secret = "quelle-7f3a"
  private static let url = "redis://ann:\(secret)@127.0.0.1:1"

  private func check(_ run: ProgramRun, says text: String) {
    #expect(run.status == 2)
    #expect(run.error.contains(text))
    #expect(!(run.error + run.text).contains(Self.secret))
  }

  #if Redis && !canImport(Darwin)
  @Test(arguments: [
    (["fetch", "--shared", "https://ann:\(secret)@example.org", "http://a.example"], "--shared"),
    (["fetch", "--shared", "redis://ann:\(secret)@h/x", "http://a.example"], "database"),
    (["fetch", "--shared-prefix", "shop", "http://a.example"], "--shared-prefix needs --shared"),
    (
      ["fetch", "--shared", url, "--shared-prefix", "", "http://a.example"],
      "--shared-prefix takes a text"
    ),
    (["store", "remove", "--all", "--shared", url, "--store", "d"], "exclude each other"),
    (["store", "remove", "--shared", url], "needs one of --url"),
    (["store", "remove", "--all"], "needs --store DIR or --shared URL"),
    (["store", "list"], "needs --store DIR or --shared URL"),
    (["store", "purge", "--shared", url], "needs --older-than"),
  ])
  func `refuses invalid arguments without the password`(
    arguments: [String],
    text: String
  ) async throws {
    check(try await Tool.run(arguments), says: text)
  }

  @Test func `a fetch without a server for its shared store asks the origin`() async throws {
    let server = try LoopbackServer(["/one": .content(Data("one".utf8))])
    let port = try FreePorts.take(1)[0]
    let shared = "redis://ann:\(Self.secret)@127.0.0.1:\(port)"

    let fetch = try await Tool.run(
      "fetch",
      "-v",
      "--shared",
      shared,
      server.url("/one").absoluteString
    )
    let removal = try await Tool.run("store", "remove", "--all", "--json", "--shared", shared)
    let listing = try await Tool.run("store", "list", "--shared", shared)

    #expect(fetch.status == 0 && fetch.text == "one")
    #expect(fetch.error.contains("the shared store is not used"))
    #expect(removal.status == 1 && removal.text.contains(#""kind":"store""#))
    #expect(listing.status == 1 && listing.text.isEmpty)
    for text in [fetch.error, removal.text, removal.error, listing.error] {
      #expect(!text.contains(Self.secret))
    }
  }
  #else
  @Test(arguments: [
    ["fetch", "--shared", url, "http://a.example"], ["store", "remove", "--all", "--shared", url],
    ["store", "list", "--shared", url], ["store", "stats", "--shared", url],
    ["store", "verify", "--shared", url],
  ])
  func `a tool without the trait says how to build it`(arguments: [String]) async throws {
    #if canImport(Darwin)
    check(try await Tool.run(arguments), says: "--shared is available on Linux")
    #else
    check(try await Tool.run(arguments), says: "'swift build --traits Redis'")
    #endif
  }
  #endif
}

#if Redis && !canImport(Darwin)
/// `--shared` with a real server.
@Suite(.enabled(if: RedisServer.executable != nil, "redis-server is not installed"))
struct SharedServerToolTests: ToolSuite {
  let server: LoopbackServer

  init() throws {
    server = try LoopbackServer([
      "/one": .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=600"),
      "/two": .content(Data("two".utf8), eTag: "\"v1\"", cacheControl: "max-age=600"),
      "/three": .content(Data("three".utf8), eTag: "\"v1\"", cacheControl: "max-age=600"),
    ])
  }

  /// Fetches all paths, until the server has them: a response is not stored if the server takes a second.
  private func fill(_ shared: String, partition: String = "") async throws {
    let options = partition.isEmpty ? [] : ["--partition", partition]
    for path in ["/one", "/two", "/three"] {
      let isStored = try await eventually {
        let run = try await Tool.run(["fetch", "--shared", shared, url(path)] + options)
        #expect(run.status == 0)
        return try await found(shared, partition: partition).contains(path)
      }
      #expect(isStored)
    }
  }

  /// The paths that another process finds.
  private func found(
    _ shared: String,
    partition: String = "",
    _ options: String...
  ) async throws -> [String] {
    let run = try await Tool.run(["store", "list", "--json", "--shared", shared] + options)
    #expect(run.status == 0, "\(run.error)")
    return ["/one", "/two", "/three"]
      .filter { path in
        run.lines.contains { $0.contains(#""\#(url(path))","partition":"\#(partition)""#) }
      }
  }

  /// Whether a fetch without the network finds nothing.
  private func isMissing(
    _ path: String,
    _ shared: String,
    _ options: String...
  ) async throws -> Bool {
    let run = try await Tool.run(["fetch", "--offline", "--shared", shared, url(path)] + options)
    return run.status == 1 && run.error.contains("Nothing is stored")
  }

  private func remove(_ shared: String, _ options: String...) async throws {
    let run = try await Tool.run(["store", "remove", "--shared", shared] + options)
    #expect(run.status == 0 && run.text == "removed\n", "\(run.error)")
  }

  @Test func `a fetch stores its response for other processes`() async throws {
    let server = try await RedisServer()

    try await fill(server.url)
    let isShared = try await eventually {
      let again = try await Tool.run("fetch", "--offline", "--shared", server.url, url("/one"))
      return again.text == "one" && again.error.contains("shared")
    }

    #expect(isShared)
    #expect(try await found(server.url) == ["/one", "/two", "/three"])
    #expect(try await found(server.url, partition: "ann") == [])
    #expect(try await isMissing("/one", server.url, "--partition", "ann"))
    #expect(try await found(server.url, "--shared-prefix", "shop") == [])
    #expect(try await isMissing("/one", server.url, "--shared-prefix", "shop"))
  }

  @Test func `removes by URL, prefix, partition, and everything`() async throws {
    let server = try await RedisServer()
    try await fill(server.url)
    try await fill(server.url, partition: "ann")

    try await remove(server.url, "--url", url("/one"))
    #expect(try await found(server.url) == ["/two", "/three"])
    #expect(try await isMissing("/one", server.url))
    try await remove(server.url, "--prefix", url("/th"))
    #expect(try await found(server.url) == ["/two"])
    try await remove(server.url, "--all", "--partition", "ann", "--shared-prefix", "shop")
    #expect(try await found(server.url, partition: "ann") == ["/one", "/two", "/three"])
    try await remove(server.url, "--all", "--partition", "ann")
    #expect(try await found(server.url, partition: "ann") == [])
    #expect(try await found(server.url) == ["/two"])
    try await remove(server.url, "--all")
    #expect(try await found(server.url) == [])
  }

  @Test func `removes by tag`() async throws {
    let server = try await RedisServer()
    let store = try SharedStore(server.url) {
      $0.timeout = .seconds(60)
      $0.connectTimeout = .seconds(60)
    }
    try await store.connect()
    for (path, tag) in [("/one", "a"), ("/two", "b")] {
      let client = Client { $0.shared = store }
      var request = try Request(url(path))
      request.tags = [tag]
      _ = try await client.resource(request).value
    }

    try await remove(server.url, "--tag", "a")

    #expect(try await found(server.url) == ["/two"])
  }

  @Test func `lists and counts as with a directory`() async throws {
    let server = try await RedisServer()
    let folder = try TemporaryDirectory()
    let directory = folder.file("store").path
    for place in [["--shared", server.url], ["--store", directory]] {
      // A server that is busy for a second is left out.
      let isStored = try await eventually {
        _ = try await Tool.run(["fetch", url("/one"), url("/two")] + place)
        _ = try await Tool.run(["fetch", url("/one"), "--partition", "ann"] + place)
        return try await Tool.run(["store", "list", "--json"] + place).lines.count == 3
      }
      #expect(isStored)
    }

    /// The objects without the times, in one order.
    func entries(_ place: [String]) async throws -> [String] {
      let run = try await Tool.run(["store", "list", "--json"] + place)
      #expect(run.status == 0)
      return run.lines
        .map { $0.replacing(#/"stored":"[0-9TZ:-]+"/#, with: #""stored":"""#) }.sorted()
    }
    let stats = try await Tool.run("store", "stats", "--shared", server.url)
    let json = try await Tool.run("store", "stats", "--json", "--shared", server.url)
    let text = try await Tool.run("store", "list", "--shared", server.url)
    let other = try await Tool.run(
      "store",
      "list",
      "--shared",
      server.url,
      "--shared-prefix",
      "shop"
    )

    #expect(try await entries(["--shared", server.url]).count == 3)
    #expect(try await entries(["--shared", server.url]) == entries(["--store", directory]))
    #expect(stats.status == 0 && stats.text.hasPrefix("3 responses, "))
    #expect(json.text.hasPrefix(#"{"event":"stats","count":3,"bytes":"#))
    #expect(text.lines.count == 3 && text.lines.allSatisfy { $0.hasPrefix("200 3 ") })
    #expect(other.status == 0 && other.text.isEmpty)
  }

  @Test func `verifies, removes damaged responses, and reports them`() async throws {
    let server = try await RedisServer()
    try await fill(server.url)
    let intact = try await Tool.run("store", "verify", "--shared", server.url)
    let bodies = try await server.command("KEYS", "freshet:body:*").split(separator: "\n")
    try await server.command("SETRANGE", String(try #require(bodies.first)), "0", "0")

    let result = try await Tool.run("store", "verify", "--json", "--shared", server.url)
    let again = try await Tool.run("store", "verify", "--shared", server.url)

    #expect(intact.status == 0)
    #expect(intact.text == "3 responses, 11 bytes, 0 damaged\n")
    #expect(result.status == 1)
    let damaged = try #require(result.lines.first)
    #expect(damaged.hasPrefix(#"{"event":"damaged","url":"\#(url("/"))"#))
    #expect(result.lines.last == #"{"event":"verified","count":3,"bytes":11,"damaged":1}"#)
    #expect(again.status == 0)
    #expect(try await found(server.url).count == 2)
  }

  @Test func `purges by age`() async throws {
    let server = try await RedisServer()
    try await fill(server.url)
    let place = ["--shared", server.url]

    let none = try await Tool.run(["store", "purge", "--older-than", "3600"] + place)
    let all = try await Tool.run(["store", "purge", "--older-than", "0", "--json"] + place)

    #expect(none.text == "removed 0 responses\n")
    #expect(all.text == #"{"event":"purged","count":3}\#n"#)
    #expect(try await found(server.url) == [])
  }

  @Test func `tells no password`() async throws {
    let server = try await RedisServer(options: ["--requirepass", "quelle-7f3a"])
    let right = "redis://:quelle-7f3a@127.0.0.1:\(server.port)"
    let wrong = "redis://:brunnen-51c@127.0.0.1:\(server.port)"

    var runs: [ProgramRun] = []
    // A server that is busy for a second is left out.
    let isStored = try await eventually {
      runs.append(try await Tool.run("fetch", "-v", "--json", "--shared", right, url("/one")))
      return try await found(right) == ["/one"]
    }
    let fetch = try await Tool.run("fetch", "-v", "--shared", wrong, url("/one"))
    let removal = try await Tool.run("store", "remove", "--all", "--shared", wrong)

    #expect(isStored && runs.allSatisfy { $0.status == 0 })
    #expect(fetch.status == 0 && fetch.text == "one")
    #expect(fetch.error.contains("the shared store is not used"))
    #expect(removal.status == 1)
    #expect(try await found(right) == ["/one"])
    for run in runs + [fetch, removal] {
      #expect(!(run.text + run.error).contains("quelle-7f3a"))
      #expect(!(run.text + run.error).contains("brunnen-51c"))
    }
  }
}
#endif
