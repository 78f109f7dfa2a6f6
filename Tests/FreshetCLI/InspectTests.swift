import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// `freshet inspect` and `freshet fetch --inspect`, whose page is read as a browser reads it.
@Suite(.timeLimit(.minutes(5))) struct InspectTests: ToolSuite {
  private let folder: TemporaryDirectory
  let server: LoopbackServer
  private let gate = Gate()
  private var store: URL { folder.file("store") }

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer([
      "/one": .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=600"),
      "/two": .content(Data("two!".utf8), eTag: "\"v1\"", cacheControl: "max-age=600"),
      "/slow": .text("slow").delayed(until: gate),
      "/missing": .status(404),
    ])
  }

  private func entries() async throws -> [DiskStore.Entry] {
    let disk = DiskStore(directory: store)
    var entries: [DiskStore.Entry] = []
    for try await entry in disk.entries { entries.append(entry) }
    await disk.close()
    return entries.sorted { $0.url.path < $1.url.path }
  }

  /// Reads lines until one has the URL of the page.
  private func page(of tool: RunningTool) async throws -> URL {
    while let line = await tool.line() {
      guard let start = line.range(of: "Freshet inspector: ") else { continue }
      return try #require(URL(string: String(line[start.upperBound...])))
    }
    throw CancellationError()
  }

  private func json(_ url: URL, post: Bool = false) async throws -> [String: Any] {
    var request = Request(post ? .post : .get, url)
    if post {
      request.headers["Origin"] = "http://127.0.0.1:\(url.port ?? 0)"
      request.headers["X-Freshet-Inspector"] = "1"
    }
    let response = try await Client { $0.memory = nil }.send(request).value
    let value = try JSONSerialization.jsonObject(with: response.body)
    return try #require(value as? [String: Any])
  }

  @Test func `shows a store at rest, and changes it by removal only`() async throws {
    _ = try await Tool.run("fetch", "--store", store.path, url("/one"), url("/two"))
    let before = try await entries()
    let tool = try RunningTool(
      ["inspect", "--store", store.path],
      reading: .output,
      other: folder.file("errors")
    )
    let page = try await page(of: tool)
    let stores = try await json(page.appending(path: "api/stores"))
    let listed = try #require(stores["entries"] as? [[String: Any]])
    let ids = listed.map { $0["id"] as? Int ?? 0 }
    for id in ids {
      let plan = try await json(page.appending(path: "api/stores/\(id)/plan"))
      #expect(plan["sends"] == nil && plan["explanation"] != nil)
    }
    let first = try #require(listed.firstIndex { $0["url"] as? String == url("/one") })
    let removed = try await json(
      page.appending(path: "api/stores/\(ids[first])/remove"),
      post: true
    )
    let end = await tool.interrupt()

    #expect(Set(listed.compactMap { $0["url"] as? String }) == [url("/one"), url("/two")])
    #expect(removed["removed"] as? Bool == true)
    #expect(end.status == 0 && !end.wasKilled)
    #expect(try await entries() == before.filter { $0.url.path == "/two" })
    #expect(server.requests.count { $0.method == .get } == 2)
  }

  @Test func `shows a run while it lasts and after it, until it is interrupted`() async throws {
    let output = folder.file("output")
    let tool = try RunningTool(
      ["fetch", "--inspect", "-m", "600", "--store", store.path, url("/slow")],
      reading: .error,
      other: output
    )
    let page = try await page(of: tool)
    await gate.waiting()
    let during = try await json(page.appending(path: "api/state"))
    gate.open()
    #expect(await tool.lines(with: ["page stays until Control-C"]))
    let after = try await json(page.appending(path: "api/state"))
    let stores = try await json(page.appending(path: "api/stores"))
    let end = await tool.interrupt()

    let calls = [during, after].map { ($0["calls"] as? [[String: Any]])?.first }
    #expect(calls.map { $0?["url"] as? String } == [url("/slow"), url("/slow")])
    #expect(calls.map { $0?["state"] as? String } == ["running", "succeeded"])
    let names = (stores["stores"] as? [[String: Any]])?.map { $0["store"] as? String }
    #expect(names?.contains("disk") == true)
    #expect(end.status == 0 && !end.wasKilled)
    #expect(try Data(contentsOf: output) == Data("slow".utf8))
  }

  @Test func `a page changes neither the failure of a run nor its silence`() async throws {
    let output = folder.file("output")
    let tool = try RunningTool(
      ["fetch", "--inspect", "--silent", url("/missing")],
      reading: .error,
      other: output
    )
    _ = try await page(of: tool)
    let last = await tool.line()
    let end = await tool.interrupt()

    #expect(last == "freshet: the run has ended, and its page stays until Control-C")
    #expect(end.status == 1 && !end.wasKilled)
  }

  @Test func `an interruption during the run ends it`() async throws {
    let tool = try RunningTool(
      ["fetch", "--inspect", "-m", "600", url("/slow")],
      reading: .error,
      other: folder.file("output")
    )
    _ = try await page(of: tool)
    await gate.waiting()
    let end = await tool.interrupt()
    gate.open()

    #expect(end.wasKilled && end.status == SIGINT)
  }

  @Test func `a missing store is a failure, and is not created`() async throws {
    let result = try await Tool.run("inspect", "--store", store.path)

    #expect(result.status == 1 && result.error.contains("there is no store at"))
    #expect(!FileManager.default.fileExists(atPath: store.path))
  }

  @Test func `a port that is taken is a failure`() async throws {
    _ = try await entries()
    let port = try #require(server.url("/").port)
    let result = try await Tool.run("inspect", "--store", store.path, "--port", "\(port)")

    #expect(result.status == 1)
    #expect(result.error.contains("the inspector cannot listen on port \(port)"))
  }

  @Test(arguments: [
    ["inspect"], ["inspect", "--store"], ["inspect", "--store", "d", "x"],
    ["inspect", "--store", "d", "--port", "70000"], ["inspect", "--store", "d", "--port", "x"],
  ])
  func `refuses invalid arguments`(arguments: [String]) async throws {
    #expect(try await Tool.run(arguments).status == 2)
  }
}
