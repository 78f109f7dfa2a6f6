import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// `freshet fetch` as scripts see it: its lines, its files and its exit status.
@Suite struct FetchTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer([
      "/one": .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=3600"),
      "/stale": .content(Data("old".utf8), eTag: "\"v1\"", cacheControl: "max-age=0"),
      "/missing": .status(404, body: "nothing here"),
    ])
  }

  private var store: String { folder.file("store").path }

  private struct Line: Decodable {
    let event: String
    let url: String
    var completed: Int64?
    var total: Int64?
    var status: Int?
    var origin: String?
    var freshness: String?
    var final: Bool?
    var bytes: Int?
    var sha256: String?
    var explanation: [String]?
    var kind: String?
    var message: String?
  }

  private func decode(_ result: ProgramRun) throws -> [Line] {
    try result.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  @Test func `tells that a damaged store was moved aside and an empty one created`() async throws {
    let store = folder.file("damaged")
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    try Data(repeating: 7, count: 8_192).write(to: store.appending(path: "index.sqlite"))

    let url = server.url("/one").absoluteString
    let result = try await Tool.run("fetch", "--store", store.path, url)
    let again = try await Tool.run("fetch", "--store", store.path, url)

    #expect(result.status == 0 && result.text == "one")
    #expect(result.error.contains("database was moved aside"))
    #expect(!again.error.contains("moved aside"))
  }

  @Test func `prints the body and reports its source`() async throws {
    let result = try await Tool.run("fetch", url("/one"))

    #expect(result.status == 0)
    #expect(result.text == "one")
    #expect(result.error.contains("200, 3 bytes from network, fresh: memory: miss; downloaded"))
  }

  @Test func `JSON lines have exactly the fields that scripts rely on`() async throws {
    let result = try await Tool.run("fetch", "--json", url("/one"))

    let objects = try result.jsonLines
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    #expect(objects.map { $0["event"] as? String } == ["progress", "value"])
    #expect(Set(objects[0].keys) == ["event", "url", "completed", "total"])
    #expect(
      Set(objects[1].keys) == [
        "event", "url", "status", "origin", "freshness", "final", "bytes", "sha256", "explanation",
      ]
    )
    let value = try #require(try decode(result).last)
    #expect(value.status == 200 && value.origin == "network" && value.freshness == "fresh")
    #expect(value.final == true && value.bytes == 3)
    #expect(value.sha256 == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")
  }

  @Test func `a failure is one JSON line with its kind and status`() async throws {
    let result = try await Tool.run("fetch", "--json", url("/missing"))

    let object = try result.json
    #expect(result.status == 1)
    #expect(Set(object.keys) == ["event", "url", "kind", "status", "message"])
    #expect(object["event"] as? String == "error")
    #expect(object["kind"] as? String == "status")
    #expect(object["status"] as? Int == 404)
  }

  @Test func `a store is used by the next process`() async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/one"))

    let again = try await Tool.run("fetch", "--store", store, "--json", url("/one"))

    #expect(try decode(again).map(\.origin) == ["disk"])
    #expect(server.requestCount(path: "/one") == 1)
  }

  @Test func `stale comes first and then revalidated`() async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/stale"))

    let again = try await Tool.run("fetch", "--store", store, "--json", "--stale", url("/stale"))

    let values = try decode(again)
    #expect(values.map(\.freshness) == ["stale", "revalidated"])
    #expect(values.map(\.final) == [false, true])
    #expect(server.requests.last?.headers[.ifNoneMatch] == "\"v1\"")
  }

  @Test(arguments: [("head", "HEAD"), ("conditional", "GET"), ("none", "GET")])
  func `validates as configured`(how: String, method: String) async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/stale"))

    _ = try await Tool.run("fetch", "--store", store, "--revalidate", how, url("/stale"))

    #expect(server.requests.last?.method.rawValue == method)
    #expect(server.requests.last?.headers.contains(.ifNoneMatch) == (how == "conditional"))
  }

  @Test(arguments: [("always", 2), ("never", 1), ("after:3600", 1), ("after:0", 2), ("http", 1)])
  func `expires as configured`(policy: String, count: Int) async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/one"))

    let again = try await Tool.run("fetch", "--store", store, "--policy", policy, url("/one"))

    #expect(again.text == "one")
    #expect(server.requestCount(path: "/one") == count)
  }

  @Test func `a stale copy that replaces a failure is printed, and the status is 1`()
    async throws
  {
    _ = try await Tool.run("fetch", "--store", store, url("/stale"), url("/one"))
    server.route("/stale", .status(503))

    let single = try await Tool.run("fetch", "--store", store, url("/stale"))
    let several = try await Tool.run("fetch", "--store", store, url("/stale"), url("/one"))

    #expect(single.status == 1)
    #expect(single.text == "old")
    #expect(single.error.contains("stale") && single.error.contains("503"))
    #expect(several.status == 1)
    #expect(several.text == "oldone")
    #expect(several.error.contains("1 of 2 done, 1 failed"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a stale copy that cannot be written is an error with its URL, as is the failure`()
    async throws
  {
    _ = try await Tool.run("fetch", "--store", store, url("/stale"))
    server.route("/stale", .status(503))

    let file = "/dev/full"
    let result = try await Tool.run(
      "fetch",
      "--store",
      store,
      "--json",
      "--output",
      file,
      url("/stale")
    )

    #expect(result.status == 1)
    let errors = try result.jsonLines.filter { $0["event"] as? String == "error" }
    #expect(errors.map { $0["kind"] as? String } == ["file", "status"])
    #expect(errors.map { $0["url"] as? String } == [url("/stale"), url("/stale")])
  }

  @Test func `a stale copy that replaces a failure makes a file, and replaces none`() async throws {
    let store = ["--store", self.store, url("/stale")]
    _ = try await Tool.run(["fetch"] + store)
    server.route("/stale", .status(503))
    let into = folder.file("into")
    try FileManager.default.createDirectory(at: into, withIntermediateDirectories: false)
    let files = ["page", "into/stale"].map(folder.file)
    for file in files { try Data("newer".utf8).write(to: file) }

    let output = try await Tool.run(["fetch", "-o", files[0].path] + store)
    let named = try await Tool.run(["fetch", "--into", into.path] + store)
    let new = try await Tool.run(["fetch", "-o", folder.file("new").path] + store)

    #expect([output, named, new].map(\.status) == [1, 1, 1])
    #expect(output.error.contains("page is left as it is"))
    #expect(named.error.contains("stale is left as it is"))
    #expect(try files.map { try String(contentsOf: $0, encoding: .utf8) } == ["newer", "newer"])
    #expect(try String(contentsOf: folder.file("new"), encoding: .utf8) == "old")
  }

  @Test func `SIGQUIT ends a fetch`() async throws {
    let gate = Gate()
    server.route("/held", .text("held").delayed(until: gate))
    let tool = try RunningTool(
      ["fetch", "-m", "600", url("/held")],
      reading: .error,
      other: folder.file("other")
    )
    _ = await server.received(path: "/held")

    let end = await tool.quit()
    gate.open()

    #expect(end.wasKilled && end.status == SIGQUIT)
  }

  @Test func `offline uses only stored copies`() async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/stale"))

    let stored = try await Tool.run("fetch", "--store", store, "--offline", url("/stale"))
    let missing = try await Tool.run("fetch", "--store", store, "--offline", "--json", url("/one"))

    #expect(stored.status == 0 && stored.text == "old")
    #expect(missing.status == 1)
    #expect(try decode(missing).map(\.kind) == ["notStored"])
    #expect(server.requestCount == 1)
  }

  @Test func `downloads again, stores nothing and accepts expired copies on request`() async throws
  {
    _ = try await Tool.run("fetch", "--store", store, url("/stale"))

    let accepted = try await Tool.run(
      "fetch",
      "--store",
      store,
      "--max-stale",
      "3600",
      url("/stale")
    )
    #expect(accepted.text == "old" && server.requestCount == 1)
    _ = try await Tool.run("fetch", "--store", store, "--force", url("/stale"))
    #expect(server.requests.last?.headers.contains(.ifNoneMatch) == false)
    _ = try await Tool.run("fetch", "--store", store, "--no-store", url("/one"))
    let offline = try await Tool.run("fetch", "--store", store, "--offline", url("/one"))
    #expect(offline.status == 1)
  }

  @Test func `a wrong digest is a failure and writes no file`() async throws {
    let file = folder.file("body").path
    let digest = String(repeating: "0", count: 64)

    let result = try await Tool.run("fetch", "--sha256", digest, "--output", file, url("/one"))

    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `writes the body to a file and nothing to standard output`() async throws {
    let file = folder.file("body")

    let result = try await Tool.run("fetch", "--output", file.path, url("/one"))

    #expect(result.status == 0 && result.output.isEmpty)
    #expect(try Data(contentsOf: file) == Data("one".utf8))
  }

  @Test func `an output that cannot be written is a failure`() async throws {
    let file = folder.file("nowhere/body").path

    let result = try await Tool.run("fetch", "--json", "--output", file, url("/one"))

    #expect(result.status == 1)
    #expect(try decode(result).last?.kind == "file")
  }

  @Test func `an output that cannot be written is reported by its own name`() async throws {
    let result = try await Tool.run("fetch", "-o", "/nonexistent/x", url("/one"))

    #expect(result.error.contains("The file /nonexistent/x could not be used"))
    #expect(!result.error.contains(".freshet-"))
  }

  @Test func `offline creates no store`() async throws {
    let result = try await Tool.run(
      ["fetch", "--offline", "--store", store, url("/one"), url("/stale")]
    )

    #expect(result.status == 1)
    #expect(result.error.contains("there is no store at \(store)"))
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `several bodies are written in the order of their URLs`() async throws {
    server.route("/slow", .text("slow ").delayed(by: .milliseconds(100)))

    let result = try await Tool.run("fetch", url("/slow"), url("/one"), url("/missing"))

    #expect(result.status == 1)
    #expect(result.text == "slow one")
  }

  @Test func `fetches six URLs at a time`() async throws {
    let gate = Gate()
    server.route("/held/*", .text("x").delayed(until: gate))
    let urls = (0..<8).map { url("/held/\($0)") }

    async let result = Tool.run(["fetch", "--no-plan", "-m", "600"] + urls)
    await gate.waiting(count: 6)
    #expect(server.requestCount == 6)
    gate.pass()
    await gate.waiting(count: 6)
    #expect(server.requestCount == 7)
    gate.open()

    #expect(try await result.text == "xxxxxxxx")
  }

  @Test func `sends the header fields`() async throws {
    _ = try await Tool.run("fetch", "--header", "X-A: 1", "--header", "X-A: 2", url("/one"))

    #expect(server.requests.first?.headers[values: "X-A"] == ["1", "2"])
  }

  @Test(arguments: [
    ("not a url", "invalidRequest"), ("ftp://example.org/", "invalidRequest"),
    ("http://nobody.invalid/", "connection"), ("http://127.0.0.1:1/", "connection"),
  ])
  func `bad URLs are failures with a kind`(url: String, kind: String) async throws {
    let result = try await Tool.run("fetch", "--json", url)

    #expect(result.status == 1)
    #expect(try decode(result).map(\.kind) == [kind])
  }

  @Test func `a header with a line end is a failure that names the field`() async throws {
    let result = try await Tool.run("fetch", "--json", "--header", "X-A: 1\r\nX-B: 2", url("/one"))

    #expect(result.status == 1)
    #expect(try decode(result).first?.message?.contains("X-A") == true)
    #expect(server.requestCount == 0)
  }

  @Test(arguments: [["fetch"], ["fetch", "--policy", "x", "u"], ["nonsense"], ["tour", "x"]])
  func `wrong usage ends with 2 and an explanation on standard error`(
    arguments: [String]
  ) async throws {
    let result = try await Tool.run(arguments)

    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.error.hasPrefix("freshet: "))
  }

  @Test(arguments: [["help"], ["--help"], ["fetch", "--help"], ["tour", "--help"], []])
  func `help goes to standard output`(arguments: [String]) async throws {
    let result = try await Tool.run(arguments)

    #expect(result.status == 0)
    #expect(result.text.contains("USAGE"))
  }

  @Test func `a store that cannot be written does not fail the fetch`() async throws {
    let file = folder.file("file")
    try Data().write(to: file)

    let result = try await Tool.run("fetch", "--json", "--store", file.path, url("/one"))

    let value = try #require(try decode(result).last)
    #expect(result.status == 0)
    #expect(value.origin == "network")
    #expect(value.explanation?.contains { $0.hasPrefix("disk: not stored") } == true)
  }

  @Test func `a corrupt store is moved aside`() async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/one"))
    for file in try FileManager.default.contentsOfDirectory(atPath: store)
    where file.contains("sqlite") || file.contains(".db") {
      try Data(repeating: 0xAA, count: 8_192).write(to: URL(filePath: "\(store)/\(file)"))
    }

    let result = try await Tool.run("fetch", "--json", "--store", store, url("/one"))
    let again = try await Tool.run("fetch", "--json", "--store", store, url("/one"))

    #expect(try decode(result).last?.origin == "network")
    #expect(try decode(again).last?.origin == "disk")
    let aside = try Data(contentsOf: URL(filePath: "\(store)/index.sqlite.corrupt"))
    #expect(aside == Data(repeating: 0xAA, count: 8_192))
  }

  @Test func `a gzip bomb ends with an error and little memory`() async throws {
    let bomb = try await GzipBomb.make(in: folder.url, bytes: 2 << 30)
    server.route(
      "/bomb",
      .content(try Data(contentsOf: bomb), headers: [.contentEncoding: "gzip"])
    )

    #if canImport(Darwin)
    let limit = "unlimited"
    #else
    // In KiB: less than the bomb holds, but enough for address space that threads only reserve.
    let limit = Sanitizer.isOn ? "unlimited" : "1500000"
    #endif

    let result = try await ProgramRun(
      "/bin/sh",
      [
        "-c", "ulimit -v \(limit) && MALLOC_ARENA_MAX=1 exec \"$0\" \"$@\"",
        Program.built("freshet"), "fetch", "--json", url("/bomb"),
      ]
    )

    #expect(result.status == 1)
    #expect(try decode(result).last?.kind == "limitExceeded")
  }
}
