import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// `freshet explain` as people and scripts see it.
@Suite struct ExplainTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer([
      "/fresh": .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=3600"),
      "/stale": .content(Data("two".utf8), eTag: "\"v2\"", cacheControl: "max-age=0"),
      "/window": .content(
        Data("three".utf8),
        eTag: "\"v3\"",
        cacheControl: "max-age=0, stale-while-revalidate=600"
      ),
      "/bare": .response(
        200,
        headers: [.cacheControl: "max-age=0"],
        body: Data("four".utf8)
      ),
    ])
  }

  private var store: String { folder.file("store").path }

  private func fill() async throws {
    let paths = ["/fresh", "/stale", "/window", "/bare"]
    _ = try await Tool.run(["fetch", "--no-plan", "--store", store] + paths.map(url))
  }

  private func explain(_ path: String, _ options: String...) async throws -> [String: Any] {
    let result = try await Tool.run(
      ["explain", "--store", store, "--json"] + options + [url(path)]
    )
    #expect(result.status == 0)
    return try result.json
  }

  @Test(
    arguments: [
      ("/fresh", [], "answer", nil), ("/stale", [], "validate", "GET with If-None-Match: \"v2\""),
      ("/stale", ["--revalidate", "head"], "validate", "HEAD"),
      ("/stale", ["--revalidate", "none"], "download", "GET"), ("/bare", [], "download", "GET"),
      ("/stale", ["--policy", "never"], "answer", nil),
      ("/fresh", ["--policy", "always"], "validate", "GET with If-None-Match: \"v1\""),
      ("/stale", ["--offline"], "answer", nil), ("/fresh", ["--force"], "download", "GET"),
      ("/other", [], "download", "GET"), ("/other", ["--offline"], "fail", nil),
      ("/fresh", ["--partition", "ann"], "download", "GET"),
      ("/fresh", ["-H", "Cache-Control: no-cache"], "validate", "GET with If-None-Match: \"v1\""),
    ] as [(String, [String], String, String?)]
  )
  func `shows what a fetch would do, and sends nothing`(
    path: String,
    options: [String],
    plan: String,
    sends: String?
  ) async throws {
    try await fill()
    let asked = server.requests.count

    let result = try await Tool.run(
      ["explain", "--store", store, "--json"] + options + [url(path)]
    )
    let line = try result.json

    #expect(Set(line.keys) == ["event", "url", "plan", "origin", "sends", "explanation"])
    #expect(line["plan"] as? String == plan)
    #expect(line["sends"] as? String == sends)
    #expect(server.requests.count == asked)
  }

  @Test func `explains in words what it would show`() async throws {
    try await fill()

    let result = try await Tool.run("explain", "--store", store, url("/window"), url("/stale"))

    #expect(result.status == 0)
    let lines = result.lines
    #expect(lines[0] == "\(url("/window")): sends GET with If-None-Match: \"v3\"")
    #expect(lines.contains("  disk: hit"))
    #expect(lines.contains { $0.hasPrefix("  expired: age ") })
    #expect(lines.filter { $0.contains("is shown in the meantime") }.count == 1)
  }

  @Test func `a missing store is an error, and is not created`() async throws {
    let result = try await Tool.run("explain", "--store", store, url("/fresh"))

    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.error == "freshet: there is no store at \(store)\n")
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `shows the position from which a body would be resumed`() async throws {
    let bytes = Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    server.route(
      "/large",
      .sequence([
        .content(bytes, eTag: "\"v1\"").truncated(after: 5_000_000), .closeBeforeResponse,
      ])
    )
    _ = try await Tool.run("fetch", "--no-plan", "--store", store, url("/large"))
    let asked = server.requests.count

    let line = try await explain("/large")
    let again = try await explain("/large")

    let sends = try #require(line["sends"] as? String)
    let explanation = try #require(line["explanation"] as? [String])
    let remark = try #require(explanation.first { $0.hasPrefix("It requests the rest from byte ") })
    let byte = remark.dropFirst("It requests the rest from byte ".count).dropLast()
    #expect(sends == "GET with Range: bytes=\(byte)- and If-Range: \"v1\"")
    #expect(again["sends"] as? String == sends)
    #expect(server.requests.count == asked)
    server.route("/large", .content(bytes, eTag: "\"v1\""))
    _ = try await Tool.run("fetch", "--no-plan", "--store", store, url("/large"))
    #expect(server.requests.last?.headers[.range] == "bytes=\(byte)-")
  }

  @Test func `shows that a seed would be shown, and that GET can follow a HEAD`() async throws {
    let seeds = folder.file("seeds").path
    _ = try await Tool.run("seed", "--into", seeds, url("/stale"))

    let seed = try await Tool.run("explain", "--seeds", seeds, url("/stale"))
    let head = try await Tool.run(
      "explain",
      "--seeds",
      seeds,
      "--revalidate",
      "head",
      url("/stale")
    )

    #expect(seed.lines.contains("  The seed is shown in the meantime."))
    #expect(!seed.lines.contains { $0.contains("GET follows") })
    #expect(head.lines[0] == "\(url("/stale")): sends HEAD")
    #expect(
      head.lines.contains(
        "  If it has changed, or the server does not support HEAD, a GET follows."
      )
    )
  }

  @Test func `does not change the store`() async throws {
    try await fill()
    let index = URL(filePath: store).appending(path: "index.sqlite")
    let before = try Data(contentsOf: index)

    _ = try await Tool.run("explain", "--store", store, url("/fresh"), url("/stale"))

    let after = try Data(contentsOf: index)
    let isSame = after.elementsEqual(before)
    #expect(isSame)
  }

  @Test func `an error is one JSON line with --json`() async throws {
    let result = try await Tool.run("explain", "--json", "no url")

    let line = try result.json
    #expect(result.status == 1)
    #expect(Set(line.keys) == ["event", "url", "kind", "message"])
    #expect(line["kind"] as? String == "invalidRequest")
  }

  @Test func `an invalid URL is an error`() async throws {
    let result = try await Tool.run("explain", "no url")

    #expect(result.status == 1)
    #expect(result.error.hasPrefix("no url: "))
  }
}
