import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetCLI

/// `freshet fetch --continue`: what a run has left, and nothing else.
@Suite(.timeLimit(.minutes(5))) struct ContinueTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer()
    for name in ["a", "b", "c", "d"] {
      server.route("/\(name)", .content(Data("\(name) ".utf8), cacheControl: "max-age=600"))
    }
  }

  private var store: String { folder.file("store").path }
  private var journal: BatchJournal {
    BatchJournal(at: folder.file("store").appending(path: "batch.journal"))
  }

  private func left() throws -> [String]? {
    try journal.remaining()?.items.map(\.request.url.path)
  }

  /// Starts a run whose first URL is held by the gate, and kills it once the others have arrived, or
  /// once nothing but the held one is left in its journal.
  private func kill(
    _ options: [String],
    reading stream: RunningTool.Stream,
    leaving rest: [String]? = nil
  ) async throws {
    let gate = Gate()
    server.route("/held", .text("held ").delayed(until: gate))
    let urls = ["/held", "/a", "/b", "/c", "/d"].map(url)
    let tool = try RunningTool(
      // On a busy machine the held response comes later than the usual timeouts allow.
      ["fetch", "--store", store, "--no-plan", "-m", "600"] + options + urls,
      reading: stream,
      other: folder.file("other")
    )
    #expect(await tool.lines(with: ["/a", "/b", "/c", "/d"].map(url)))
    if let rest { while try left() != rest { await Task.yield() } }
    await tool.kill()
    gate.open()
    server.route("/held", .content(Data("held ".utf8), cacheControl: "max-age=600"))
  }

  @Test func `a run leaves a file that is no journal, and only a continued one fails`() async throws
  {
    let file = folder.file("store/batch.journal")
    try FileManager.default.createDirectory(
      at: folder.file("store"),
      withIntermediateDirectories: true
    )
    try Data("notes".utf8).write(to: file)

    let run = try await Tool.run("fetch", "--store", store, url("/a"), url("/b"))
    let continued = try await Tool.run("fetch", "--store", store, "--continue")

    #expect(run.status == 0, "\(run.error)")
    #expect(run.text == "a b ")
    #expect(run.error.contains("cannot be continued if it is interrupted"))
    #expect(continued.status != 0)
    #expect(continued.error.contains("journal"))
    #expect(try Data(contentsOf: file) == Data("notes".utf8))
  }

  @Test
  func `a store that is no folder is told, and a continued run fails before anything is sent`()
    async throws
  {
    let file = folder.file("file").path
    try Data("notes".utf8).write(to: URL(filePath: file))

    let run = try await Tool.run("fetch", "--store", file, url("/a"), url("/b"))
    let count = server.requestCount
    let continued = try await Tool.run("fetch", "--store", file, "--continue", url("/a"), url("/b"))

    #expect(run.text == "a b ")
    #expect(run.error.contains("cannot be continued if it is interrupted"))
    #expect(continued.status == 1)
    #expect(continued.error.contains("nothing to continue"))
    #expect(server.requestCount == count)
  }

  @Test func `nothing is continued offline without a store`() async throws {
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)

    let run = try await Tool.run("fetch", "--store", store, "--offline", "--continue")

    #expect(run.status == 1)
    #expect(run.error.contains("there is no store"))
  }

  @Test(arguments: [[], ["--no-plan"]])
  func `a journal that cannot be written does not stop a run`(arguments: [String]) async throws {
    let into = OutputFolder(folder.file("into"))
    try into.make()
    let options = try FetchOptions(
      ["-s", "--into", into.url.path, url("/a"), url("/b")] + arguments
    )
    let run = FetchRun(
      options,
      client: Client(),
      reporter: TextReporter(isBatch: true, options.verbosity),
      journal: BatchJournal(at: folder.file("missing/batch.journal")),
      heads: HeadLog(isRecording: false) { _ in },
      folder: into
    )

    #expect(await run.fetch(options.urls) == .success)
    let names = try FileManager.default.contentsOfDirectory(atPath: into.url.path)
    #expect(names.sorted() == ["a", "b"])
  }

  @Test func `a continued run writes bodies that arrived and were not written`() async throws {
    try await kill([], reading: .error)
    #expect(try Data(contentsOf: folder.file("other")).isEmpty)

    let result = try await Tool.run("fetch", "--store", store, "--continue")

    #expect(result.status == 0, "\(result.error)")
    #expect(result.text == "held a b c d ")
    for path in ["/a", "/b", "/c", "/d"] {
      #expect(server.requestCount(path: path) == 1)
    }
    #expect(try left() == nil)
  }

  @Test func `a reported URL is not reported again`() async throws {
    try await kill(["--json"], reading: .output, leaving: ["/held"])

    let result = try await Tool.run("fetch", "--store", store, "--json", "--continue")

    let values = result.lines.filter { $0.contains("\"event\":\"value\"") }
    #expect(values.count == 1 && values.contains { $0.contains("/held") }, "\(values)")
    for path in ["/a", "/b", "/c", "/d"] {
      #expect(server.requestCount(path: path) == 1)
    }
    #expect(result.status == 0 && result.error.isEmpty)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a body that could not be written remains`() async throws {
    let script = "'\(Program.built("freshet"))' fetch --store '\(store)' \(url("/a")) \(url("/b"))"
    let full = try await ProgramRun("/bin/sh", ["-c", script + " > /dev/full"])
    #expect(full.status == 1)
    #expect(try left() == ["/a", "/b"])

    let result = try await Tool.run("fetch", "--store", store, "--continue")

    #expect(result.text == "a b ")
    #expect(try left() == nil)
  }

  @Test func `a body whose reader has closed remains`() async throws {
    let fetch = "'\(Program.built("freshet"))' fetch --store '\(store)' \(url("/a")) \(url("/b"))"
    // Both ends of the pipe are opened, and then there is only the one to write to.
    let script = "trap '' PIPE; mkfifo p; exec 3<>p; exec 4>p; exec 3>&-; \(fetch) >&4"
    let gone = try await ProgramRun("/bin/sh", ["-c", script], in: folder.url)
    #expect(gone.status == 0, "\(gone.error)")

    #expect(try left() == ["/a", "/b"])
  }

  @Test func `a 304 to the condition of a header field is done`() async throws {
    server.route("/e", .content(Data("e".utf8), eTag: "\"e1\""))
    let condition = ["-H", "If-None-Match: \"e1\""]

    let run = try await Tool.run(
      ["fetch", "--store", store] + condition + [url("/e"), url("/a")]
    )

    #expect(run.status == 0, "\(run.error)")
    #expect(try left() == nil)
    let other = try await Tool.run(
      ["fetch", "--store", store] + condition + [url("/e"), url("/missing")]
    )
    #expect(other.status == 1)
    #expect(try left() == ["/missing"])
  }

  @Test func `a body that waited for one that failed is done`() async throws {
    let gate = Gate()
    server.route("/b", .status(500).delayed(until: gate))
    let tool = try RunningTool(
      ["fetch", "--store", store, "--no-plan", "-m", "600", url("/b"), url("/c")],
      reading: .error,
      other: folder.file("other")
    )
    #expect(await tool.lines(with: [url("/c")]))
    gate.open()

    #expect(await tool.end().status == 1)
    #expect(try String(contentsOf: folder.file("other"), encoding: .utf8) == "c ")
    #expect(try left() == ["/b"])
  }

  @Test func `a continued run of finished URLs keeps the rest for another run`() async throws {
    server.route("/b", .status(500))
    _ = try await Tool.run("fetch", "--store", store, url("/a"), url("/b"), url("/c"))
    #expect(try left() == ["/b"])

    let done = try await Tool.run("fetch", "--store", store, "--continue", url("/a"))
    #expect(done.status == 0 && done.text.isEmpty)
    #expect(try left() == ["/b"])
    let other = try await Tool.run("fetch", "--store", store, "--continue", url("/a"), url("/d"))
    #expect(other.status == 0 && other.text == "d ")
    #expect(try left() == ["/b"])
    #expect(Set(try journal.completed().map(\.url.path)) == ["/a", "/c", "/d"])

    server.route("/b", .text("b "))
    let rest = try await Tool.run("fetch", "--store", store, "--continue")
    #expect(rest.status == 0 && rest.text == "b ")
    #expect(try left() == nil)
  }

  @Test func `a URL is finished however it is written`() async throws {
    server.route("/b", .status(500))
    let list = [url("/a") + "#one", url("/a") + "#two", url("/b")]
    _ = try await Tool.run(["fetch", "--store", store, "--no-plan"] + list)
    let count = server.requestCount

    let rest = try await Tool.run(["fetch", "--store", store, "--no-plan", "--continue"] + list)

    #expect(rest.text.isEmpty)
    #expect(server.requests.dropFirst(count).allSatisfy { $0.path == "/b" })
  }

  @Test func `a URL is finished for the method of its run`() async throws {
    server.route("/b", .status(500))
    _ = try await Tool.run("fetch", "--store", store, "--head", url("/a"), url("/b"))
    #expect(try left() == ["/b"])

    let other = try await Tool.run("fetch", "--store", store, "--continue", url("/a"))
    #expect(other.status == 0 && other.text == "a ")
    #expect(try left() == ["/b"])

    server.route("/b", .text("b "))
    let rest = try await Tool.run("fetch", "--store", store, "--continue")
    #expect(rest.status == 0 && rest.text == "b ")
    #expect(try left() == nil)
  }

  @Test(arguments: [["--no-plan"], []])
  func `an invalid URL is reported once and does not come back`(options: [String]) async throws {
    server.route("/b", .status(500))
    let run = try await ProgramRun(
      Program.built("freshet"),
      ["fetch", "--store", store, "--json", "--from", "-"] + options,
      input: Data("\(url("/a"))\nexample\n\(url("/b"))\n".utf8)
    )
    #expect(run.status == 1)
    #expect(run.lines.count { $0.hasPrefix("{\"event\":\"error\",\"url\":\"example\"") } == 1)
    #expect(run.lines.last?.hasSuffix("\"items\":3,\"of\":3}") == true)

    server.route("/b", .text("b"))
    let rest = try await Tool.run("fetch", "--store", store, "--json", "--continue")

    #expect(rest.status == 0)
    #expect(!rest.text.contains("file://") && !rest.text.contains("\"example\""))
    #expect(rest.lines.last?.hasSuffix("\"items\":1,\"of\":1}") == true)
  }

  @Test func `a single remaining URL can go to a file`() async throws {
    server.route("/b", .status(500))
    server.route("/c", .status(500))
    _ = try await Tool.run("fetch", "--store", store, url("/a"), url("/b"), url("/c"))
    let file = folder.file("body")

    let two = try await Tool.run("fetch", "--store", store, "--continue", "-o", file.path)
    #expect(two.status == 2)
    #expect(two.error.contains("--output takes the body of one URL, and 2 are left"))
    #expect(try left()?.count == 2)

    server.route("/b", .text("b "))
    _ = try await Tool.run("fetch", "--store", store, "--continue", url("/b"))
    server.route("/c", .text("c "))
    let one = try await Tool.run("fetch", "--store", store, "--continue", "-o", file.path)
    #expect(one.status == 0 && one.output.isEmpty, "\(one.error)")
    #expect(try String(contentsOf: file, encoding: .utf8) == "c ")
    #expect(try left() == nil)
  }

  @Test func `a missing store has nothing to continue and is not created`() async throws {
    let result = try await Tool.run("fetch", "--continue", "--store", store)

    #expect(result.status == 1)
    #expect(
      result.error == "freshet: there is nothing to continue: there is no store at \(store)\n"
    )
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `a finished run has nothing to continue`() async throws {
    _ = try await Tool.run("fetch", "--store", store, url("/a"), url("/b"))

    let result = try await Tool.run("fetch", "--continue", "--json", "--store", store)

    #expect(result.status == 0)
    #expect(result.error == "freshet: there is nothing to continue\n")
    #expect(result.lines.last == #"{"event":"batch","completed":0,"total":0,"items":0,"of":0}"#)
    #expect(try left() == nil)
  }
}
