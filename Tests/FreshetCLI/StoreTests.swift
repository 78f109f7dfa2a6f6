import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// `freshet store` as scripts see it.
@Suite struct StoreTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  static let large = Data(repeating: 7, count: 50_000)

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer([
      "/one": .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=3600"),
      "/two": .content(Data("two!".utf8), eTag: "\"v1\"", cacheControl: "max-age=3600"),
      "/large": .content(Self.large, eTag: "\"v1\"", cacheControl: "max-age=3600"),
    ])
  }

  private var store: String { folder.file("store").path }

  private func run(_ action: String, _ arguments: String...) async throws -> ProgramRun {
    try await Tool.run(["store", action, "--store", store] + arguments)
  }

  private func fill() async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/one"), url("/two"), url("/large"))
    _ = try await Tool.run("fetch", "--store", store, "--partition", "ann", url("/one"))
  }

  private func urls() async throws -> [String] {
    try await run("list", "--json").jsonLines
      .map { "\($0["partition"] as? String ?? "?") \($0["url"] as? String ?? "?")" }
      .sorted()
  }

  @Test func `counts and lists what is stored`() async throws {
    try await fill()

    let stats = try await run("stats")
    let json = try await run("stats", "--json").jsonLines
    let entries = try await run("list", "--json").jsonLines
    let text = try await run("list")

    #expect(stats.status == 0 && stats.text.hasPrefix("4 responses, "))
    #expect(json[0]["count"] as? Int == 4)
    #expect(json[0]["bytes"] as? Int ?? 0 > 50_000)
    #expect(
      Set(entries[0].keys) == [
        "event", "url", "partition", "status", "bytes", "sha256", "stored", "tags",
      ]
    )
    #expect(
      try await urls()
        == [" \(url("/large"))", " \(url("/one"))", " \(url("/two"))", "ann \(url("/one"))"]
        .sorted()
    )
    #expect(text.lines.count == 4 && text.lines.allSatisfy { $0.hasPrefix("200 ") })
  }

  @Test func `removes by URL, prefix, partition, and everything`() async throws {
    try await fill()

    #expect(try await run("remove", "--url", url("/one")).status == 0)
    #expect(try await urls().count == 3)
    #expect(
      try await run("remove", "--prefix", url("/t"), "--json").text == #"{"event":"removed"}\#n"#
    )
    #expect(try await urls() == [" \(url("/large"))", "ann \(url("/one"))"])
    #expect(try await run("remove", "--all", "--partition", "ann").status == 0)
    #expect(try await urls() == [" \(url("/large"))"])
    #expect(try await run("remove", "--all").status == 0)
    #expect(try await urls().isEmpty)
  }

  @Test func `shows tags and removes by them`() async throws {
    let disk = DiskStore(directory: URL(filePath: store))
    for (path, tags) in [("/one", ["a", "b"]), ("/two", ["b"]), ("/large", [])] as [(_, Set)] {
      let client = Client { $0.disk = disk }
      var request = try Request(url(path))
      request.tags = tags
      _ = try await client.resource(request).value
    }
    await disk.close()

    let text = try await run("list").text
    #expect(text.contains("\(url("/one")) [a, b]\n") && text.contains("\(url("/large"))\n"))
    #expect(try await run("remove", "--tag", "a").status == 0)
    #expect(try await urls() == [" \(url("/large"))", " \(url("/two"))"])
    #expect(try await run("remove", "--tag", "b").status == 0)
    #expect(try await urls() == [" \(url("/large"))"])
  }

  @Test func `listing a store changes nothing`() async throws {
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = 100_000
    let app = DiskStore(directory: URL(filePath: store), configuration: configuration)
    let client = Client { $0.disk = app }
    for path in ["/one", "/two", "/large"] {
      _ = try await client.resource(try Request(url(path))).value
    }
    await app.close()

    for action in ["stats", "list", "verify"] { #expect(try await run(action).status == 0) }

    #expect(try await urls().count == 3)
    let again = DiskStore(directory: URL(filePath: store))
    await #expect(throws: FreshetError.store(StoreFailure(.tooLarge))) {
      // The limit is the app's.
      try await again.keep(
        StoredResponse(
          key: CacheKey(try Request(url("/more"))),
          varying: .none,
          head: ResponseHead(status: .ok, headers: [:], url: server.url("/more")),
          body: ResourceBody(Data(count: 200_000)),
          requestTime: Date(),
          responseTime: Date()
        )
      )
    }
    await again.close()
  }

  @Test func `purges by age`() async throws {
    try await fill()

    #expect(try await run("purge", "--older-than", "3600").text == "removed 0 responses\n")
    let result = try await run("purge", "--older-than", "0", "--json")

    #expect(try result.jsonLines[0]["count"] as? Int == 4)
    #expect(try await urls().isEmpty)
  }

  @Test func `verifies, removes damaged responses, and reports them`() async throws {
    try await fill()
    #expect(try await run("verify").text.contains("4 responses, 50010 bytes, 0 damaged"))
    let bodies = folder.file("store/bodies")
    let names = FileManager.default.enumerator(atPath: bodies.path)?.allObjects as? [String] ?? []
    let body = try #require(names.first { $0.contains("/") })
    var data = Self.large
    data[40_000] ^= 1
    try data.write(to: bodies.appending(path: body))

    let result = try await run("verify", "--json")
    let again = try await run("verify")

    #expect(result.status == 1)
    let lines = try result.jsonLines
    #expect(
      lines[0]["event"] as? String == "damaged" && lines[0]["url"] as? String == url("/large")
    )
    #expect(lines[1]["count"] as? Int == 4 && lines[1]["damaged"] as? Int == 1)
    #expect(again.status == 0)
    #expect(try await urls().count == 3)
  }

  @Test func `a missing store is a failure, and is not created`() async throws {
    let result = try await run("stats", "--json")

    #expect(result.status == 1)
    #expect(try result.jsonLines[0]["kind"] as? String == "store")
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test(arguments: [
    ["stats", "--store"], ["inspect", "--store"], ["explain", "https://example.org/", "--store"],
    ["store", "list", "--store"], ["store", "verify", "--store"],
    ["store", "remove", "--all", "--store"], ["seed", "--into", "seeds", "--from-store"],
  ])
  func `a directory without a store is a failure, and is left as it is`(
    command: [String]
  ) async throws {
    let directory = folder.file("shared").path
    try FileManager.default.createDirectory(
      atPath: directory,
      withIntermediateDirectories: false
    )
    chmod(directory, 0o2775)

    let result = try await ProgramRun(
      Program.built("freshet"),
      command + [directory],
      in: folder.url
    )

    #expect(result.status == 1)
    #expect(result.error.contains("there is no store at \(directory)"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    var status = stat()
    stat(directory, &status)
    #expect(status.st_mode & 0o7777 == 0o2775)
  }

  @Test(arguments: [
    ["store"], ["store", "--store", "d"], ["store", "shake", "--store", "d"], ["store", "stats"],
    ["store", "stats", "--store", "d", "--url", "u"], ["store", "purge", "--store", "d"],
    ["store", "purge", "--store", "d", "--older-than", "soon"],
    ["store", "remove", "--store", "d"],
    ["store", "remove", "--store", "d", "--all", "--tag", "t"],
    ["store", "remove", "--store", "d", "--prefix", ""],
    ["store", "remove", "--store", "d", "--all", "--partition="],
    ["store", "remove", "--store", "d", "--tag", "t", "--partition", "p"],
    ["store", "list", "--store", "d", "extra"],
  ])
  func `refuses invalid arguments`(arguments: [String]) async throws {
    let result = try await Tool.run(arguments)

    #expect(result.status == 2)
    #expect(result.error.contains("See 'freshet help'"))
  }
}
