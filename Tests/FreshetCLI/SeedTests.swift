import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// `freshet seed`, and what its seeds do to `freshet fetch`.
@Suite struct SeedTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer([
      "/one": .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=0"),
      "/two": .content(Data("two!".utf8), eTag: "\"v1\"", cacheControl: "max-age=3600"),
      "/mine": .content(Data("mine".utf8), eTag: "\"v1\"", cacheControl: "private, max-age=3600"),
      "/missing": .status(404),
    ])
  }

  private var seeds: String { folder.file("seeds").path }
  private var store: String { folder.file("store").path }

  @Test func `a seed is shown immediately and validated by a 304`() async throws {
    let made = try await Tool.run("seed", "--into", seeds, url("/one"), url("/two"))
    let fetched = try await Tool.run("fetch", "--json", "--seeds", seeds, url("/one"))

    #expect(made.status == 0 && made.output.isEmpty)
    #expect(made.error.contains("/one: 3 bytes in one-"))
    let values = try fetched.jsonLines.filter { $0["event"] as? String == "value" }
    #expect(values.map { $0["origin"] as? String } == ["seed", "seed"])
    #expect(values.map { $0["freshness"] as? String } == ["stale", "revalidated"])
    #expect(server.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
  }

  @Test func `a fresh seed works offline`() async throws {
    _ = try await Tool.run("seed", "--into", seeds, url("/two"))

    let fetched = try await Tool.run("fetch", "--offline", "--seeds", seeds, url("/two"))

    #expect(fetched.status == 0 && fetched.text == "two!")
    #expect(server.requestCount == 1)
  }

  @Test func `JSON lines have file, length and digest`() async throws {
    let result = try await Tool.run("seed", "--json", "--into", seeds, url("/one"), url("/missing"))

    let lines = try result.jsonLines
    #expect(result.status == 1)
    #expect(Set(lines[0].keys) == ["event", "url", "file", "bytes", "sha256"])
    #expect(lines[0]["bytes"] as? Int == 3)
    #expect(lines[1]["event"] as? String == "error" && lines[1]["kind"] as? String == "status")
  }

  @Test func `a text that is no URL does not keep the others of a store from being exported`()
    async throws
  {
    _ = try await Tool.run("fetch", "--store", store, url("/two"))

    let both = try await Tool.run(
      ["seed", "--json", "--into", seeds, "--from-store", store, url("/two"), "example.com"]
    )
    let none = try await Tool.run(
      ["seed", "--into", folder.file("none").path, "--from-store", store, "example.com"]
    )

    #expect(both.status == 1 && none.status == 1)
    let lines = try both.jsonLines
    #expect(lines.map { $0["event"] as? String } == ["error", "seed"])
    #expect(lines.map { $0["url"] as? String } == ["example.com", url("/two")])
    #expect(!none.error.contains("bytes in"))
  }

  @Test func `refuses a response for one user, and exports the others`() async throws {
    let result = try await Tool.run("seed", "--into", seeds, url("/mine"), url("/one"))

    #expect(result.status == 1)
    #expect(result.error.contains("/mine cannot be a seed: private"))
    let fetched = try await Tool.run("fetch", "--offline", "--seeds", seeds, url("/one"))
    #expect(fetched.text == "one")
  }

  @Test func `refuses a response to a cookie unless it is public`() async throws {
    let result = try await Tool.run("seed", "--into", seeds, "-H", "Cookie: sid=1", url("/two"))

    #expect(result.status == 1)
    #expect(result.error.contains("/two cannot be a seed: it was requested with Cookie"))
    #expect(!result.error.contains("sid=1"))
  }

  @Test func `exports a store`() async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/one"), url("/two"), url("/mine"))

    let all = try await Tool.run("seed", "--json", "--from-store", store, "--into", seeds)
    let one = try await Tool.run(
      "seed",
      "--json",
      "--from-store",
      store,
      "--into",
      folder.file("other").path,
      "--prefix",
      url("/t")
    )
    let fetched = try await Tool.run("fetch", "--offline", "--seeds", seeds, url("/one"))

    let events = try all.jsonLines.map { $0["event"] as? String }
    #expect(all.status == 0 && events.count { $0 == "seed" } == 2)
    #expect(try one.jsonLines.map { $0["url"] as? String } == [url("/two")])
    #expect(fetched.text == "one")
  }

  @Test func `a URL that is not in the store is a failure`() async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/one"))

    let result = try await Tool.run(
      "seed",
      "--from-store",
      store,
      "--into",
      seeds,
      url("/one"),
      url("/two")
    )

    #expect(result.status == 1)
    #expect(result.error.contains("/one: 3 bytes") && result.error.contains("Nothing is stored"))
  }

  @Test func `converts the predecessors' seeds`() async throws {
    let old = folder.file("old")
    let name = "9361dff1a29e9d6104bcb10742ee6b6f_castillala-manchaspain-picture-id535260987"
    let photo = "http://media.istockphoto.com/photos/castillala-manchaspain-picture-id535260987"
    try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
    try Data("photo".utf8).write(to: old.appending(path: name))
    try PropertyListSerialization.data(fromPropertyList: [name: Date()], format: .xml, options: 0)
      .write(to: old.appending(path: "ResourceInfos.plist"))

    let made = try await Tool.run(
      "seed",
      "--from-docker",
      old.path,
      "--into",
      seeds,
      photo,
      url("/one")
    )
    let fetched = try await Tool.run("fetch", "--offline", "--seeds", seeds, photo)

    #expect(made.status == 1)
    #expect(made.error.contains("\(photo): 5 bytes") && made.error.contains("/one: Nothing"))
    #expect(fetched.text == "photo")
  }

  @Test(arguments: [
    ["seed"], ["seed", "--into", "d"], ["seed", "u"], ["seed", "--into"],
    ["seed", "--into", "d", "--prefix", "p", "u"], ["seed", "--into", "d", "--nonsense", "u"],
  ])
  func `refuses invalid arguments`(arguments: [String]) async throws {
    let result = try await Tool.run(arguments)

    #expect(result.status == 2)
    #expect(result.error.contains("See 'freshet help'"))
  }

  @Test(arguments: ["seed", "store", "fetch"])
  func `every command explains itself`(command: String) async throws {
    let result = try await Tool.run(command, "--help")

    #expect(result.status == 0)
    #expect(result.text.contains("USAGE") && result.text.contains("EXIT STATUS"))
    #expect(try await Tool.run("help").text.contains("\n  \(command) "))
  }
}
