import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetCLI

/// `freshet fetch --into`: a file for each URL.
@Suite struct IntoTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer(["/missing": .status(404), "/": .text("root")])
    for name in ["a", "b/a", "c/a"] { server.route("/\(name)", .text(name)) }
  }

  private var into: URL { folder.file("in/to") }

  private func run(_ arguments: String...) async throws -> ProgramRun {
    try await Tool.run(["fetch", "--into", into.path] + arguments)
  }

  private func files() throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: into.path) {
      files[name] = try String(contentsOf: into.appending(path: name), encoding: .utf8)
    }
    return files
  }

  @Test func `writes each body to a file named by its URL, in a new folder`() async throws {
    let result = try await run(url("/a"), url("/"), url("/missing"))

    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.error.contains("\(url("/a")): 200, 1 bytes to "))
    #expect(try files() == ["a": "a", "index.html": "root"])
  }

  @Test func `the first URL of a name keeps it, and the others get a number`() async throws {
    server.route("/a", .text("a").delayed(by: .milliseconds(200)))

    let result = try await run(url("/a"), url("/b/a"), url("/c/a"))

    #expect(result.status == 0)
    #expect(try files() == ["a": "a", "a-2": "b/a", "a-3": "c/a"])
  }

  @Test(.timeLimit(.minutes(5)))
  func `numbers of a name are found in linear time`() async throws {
    try FileManager.default.createDirectory(at: into, withIntermediateDirectories: true)
    let output = OutputFolder(into)
    let asked = try Request(url("/a")).url

    for place in 0..<20_000 { output.reserve(place, asked) }
    let last = try await output.take(
      ResourceBody(Data("a".utf8)),
      after: Data(),
      of: 19_999,
      asked: asked,
      [:]
    )

    #expect(last.lastPathComponent == "a-20000")
  }

  @Test func `a number that is free again is the next one`() async throws {
    try FileManager.default.createDirectory(at: into, withIntermediateDirectories: true)
    let output = OutputFolder(into)
    let named = HTTPHeaders([
      .init(name: "Content-Disposition", value: "attachment; filename=\"a\"")
    ])
    for place in 0..<3 { output.reserve(place, try Request(url("/\(place)/a")).url) }

    var names: [String] = []
    for place in [1, 2, 0] {
      let asked = try Request(url("/\(place)/a")).url
      let file = try await output.take(
        ResourceBody(Data("a".utf8)),
        after: Data(),
        of: place,
        asked: asked,
        place == 0 ? [:] : named
      )
      names.append(file.lastPathComponent)
    }

    #expect(names == ["a-2", "a-3", "a"])
  }

  @Test func `a name from a server stays in the folder and replaces no file`()
    async throws
  {
    let named = HTTPHeaders([
      .init(name: "Content-Disposition", value: "attachment; filename=\"../../x.txt\"")
    ])
    server.route("/named", .text("new").headers(named))
    try FileManager.default.createDirectory(at: into, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: into.appending(path: "x.txt"))

    let result = try await run(url("/named"))

    #expect(result.status == 0, "\(result.error)")
    #expect(try files() == ["x.txt": "mine", "x-2.txt": "new"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["in"])
  }

  @Test func `two runs at once take no name from each other`() async throws {
    try FileManager.default.createDirectory(at: into, withIntermediateDirectories: true)
    let asked = try Request(url("/a")).url
    let headers = HTTPHeaders([
      .init(name: "Content-Disposition", value: "attachment; filename=\"x.txt\"")
    ])
    let runs = [OutputFolder(into), OutputFolder(into)]

    let taken = try await withThrowingTaskGroup(of: [URL].self) { group in
      for (number, run) in runs.enumerated() {
        group.addTask {
          var files: [URL] = []
          for place in 0..<100 {
            let body = ResourceBody(Data("\(number) \(place)".utf8))
            files.append(
              try await run.take(body, after: Data(), of: place, asked: asked, headers)
            )
          }
          return files
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }

    #expect(Set(taken).count == 200)
    #expect(Set(try files().values).count == 200)
  }

  @Test func `a name whose body cannot be written is free again`() async throws {
    try FileManager.default.createDirectory(at: into, withIntermediateDirectories: true)
    let source = folder.file("body")
    try Data("body".utf8).write(to: source)
    let body = ResourceBody(try BodyFile(opening: source))
    let headers = HTTPHeaders([
      .init(name: "Content-Disposition", value: "attachment; filename=\"x.txt\"")
    ])
    truncate(source.path, 0)

    await #expect(throws: FreshetError.self) {
      try await OutputFolder(into)
        .take(body, after: Data(), of: 0, asked: try Request(url("/a")).url, headers)
    }

    #expect(try files().isEmpty)
  }

  @Test func `a name from a URL replaces the file, and a link rather than its target`() async throws
  {
    try FileManager.default.createDirectory(at: into, withIntermediateDirectories: true)
    let outside = folder.file("outside")
    try Data("safe".utf8).write(to: outside)
    try FileManager.default.createSymbolicLink(
      at: into.appending(path: "a"),
      withDestinationURL: outside
    )

    #expect(try await run(url("/a")).status == 0)

    #expect(try String(contentsOf: outside, encoding: .utf8) == "safe")
    #expect(try files() == ["a": "a"])
  }

  @Test func `a URL cannot name a file outside`() async throws {
    server.route("/*", .text("x"))

    _ = try await run(url("/") + "..%2F..%2Fescaped")

    #expect(try files() == ["escaped": "x"])
    #expect(!FileManager.default.fileExists(atPath: folder.file("escaped").path))
  }

  @Test func `reports the file as one more field`() async throws {
    let result = try await run("--json", url("/a"))

    let line = try #require(try result.jsonLines.last)
    #expect(line["file"] as? String == into.appending(path: "a").path)
  }

  @Test func `a folder that cannot be created fails before anything is fetched`() async throws {
    try Data().write(to: folder.file("in"))

    let result = try await run(url("/a"))

    #expect(result.status == 1)
    #expect(result.error.contains("the folder cannot be made"))
    #expect(server.requestCount == 0)
  }

  @Test(arguments: ["/a", "/b/a", "/c/a"])
  func `an interrupted run continues into the folder, and replaces none of its files`(
    failing: String
  ) async throws {
    server.route(failing, .status(500))
    let store = folder.file("store").path
    _ = try await run("--store", store, url("/a"), url("/b/a"), url("/c/a"))
    server.route(failing, .text(String(failing.dropFirst())))

    let rest = try await run("--store", store, "--continue")

    #expect(rest.status == 0, "\(rest.error)")
    #expect(try files() == ["a": "a", "a-2": "b/a", "a-3": "c/a"])
  }
}
