import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetCLI

/// `freshet fetch` of several URLs: where they come from, and the lines about the whole.
@Suite struct ManyURLsTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer(["/missing": .status(404)])
    for name in ["a", "b", "c", "d", "e"] {
      server.route("/\(name)", .content(Data("\(name)\n".utf8), cacheControl: "max-age=600"))
    }
  }

  private func run(_ arguments: [String], input: String? = nil) async throws -> ProgramRun {
    try await ProgramRun(
      Program.built("freshet"),
      arguments,
      input: input.map { Data($0.utf8) }
    )
  }

  private func list(_ name: String, _ text: String) throws -> String {
    let file = folder.file(name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  @Test func `lines about the whole run have exactly the fields that scripts rely on`() async throws
  {
    let store = folder.file("store").path
    _ = try await run(["fetch", "--store", store, url("/a")])

    let result = try await run(
      ["fetch", "--store", store, "--json"] + ["/a", "/b", "/c", "/missing"].map(url) + ["none"]
    )

    let lines = result.lines.filter { $0.contains(#""event":"plan""#) }
    #expect(lines == [#"{"event":"plan","items":5,"bytes":4,"unknown":2,"fresh":1}"#])
    #expect(result.lines.last == #"{"event":"batch","completed":4,"total":4,"items":5,"of":5}"#)
    let number = #/\{"event":"batch","completed":\d+,"total":(\d+|null),"items":\d+,"of":5\}/#
    let batch = result.lines.filter { $0.contains(#""event":"batch""#) }
    #expect(batch.allSatisfy { $0.wholeMatch(of: number) != nil })
    #expect(result.status == 1)
  }

  @Test func `a stream has no plan, and its last line counts all URLs`() async throws {
    let result = try await run(
      ["fetch", "--no-plan", "--json", "--from", "-"],
      input: "\(url("/a"))\n\(url("/b"))\n"
    )

    #expect(!result.text.contains("\"plan\""))
    #expect(result.lines.last == #"{"event":"batch","completed":4,"total":4,"items":2,"of":2}"#)
  }

  @Test(arguments: [[], ["--no-plan"]])
  func `reads URLs from a file and ignores comments and empty lines`(
    options: [String]
  ) async throws {
    let text =
      "\u{FEFF}# first\r\n\(url("/a"))\r\n\r\n  \(url("/b")) \r\n#\(url("/c"))\n\(url("/d"))"

    let file = try await run(["fetch", "--from", try list("urls", text)] + options)
    let input = try await run(["fetch", "--from", "-"] + options, input: text)

    #expect(file.status == 0 && file.text == "a\nb\nd\n")
    #expect(input.status == 0 && input.text == "a\nb\nd\n")
  }

  @Test(arguments: [[], ["--no-plan"]])
  func `takes URLs and lists in the order of the arguments`(options: [String]) async throws {
    let files = (try list("one", url("/b")), try list("two", url("/d")))

    let result = try await run(
      ["fetch", url("/a"), "--from", files.0, "--from", "-", url("/e"), "--from", files.1]
        + options,
      input: "\(url("/c"))\n"
    )

    #expect(result.status == 0, "\(result.error)")
    #expect(result.text == "a\nb\nc\ne\nd\n")
  }

  @Test(arguments: [[], ["--no-plan"]])
  func `texts of a list do not reach the terminal as commands`(
    options: [String]
  ) async throws {
    let result = try await run(
      ["fetch", "--from", "-"] + options,
      input: "a\u{1B}[31mb\n\(url("/a"))\u{202E}\n"
    )

    #expect(result.error.contains("a\\u{1B}[31mb: "))
    #expect(!result.error.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
  }

  @Test func `standard input is a list only once`() async throws {
    let result = try await run(["fetch", "--from", "-", "--from", "-"], input: "")

    #expect(result.status == 2)
    #expect(result.error.contains("standard input can be read once"))
  }

  @Test(arguments: [("none", "No such file"), (".", "Is a directory")])
  func `a list that cannot be read fails before anything is fetched`(
    name: String,
    reason: String
  ) async throws {
    let file = folder.file(name).path
    let result = try await run(["fetch", url("/a"), "--from", file])

    #expect(result.status == 2)
    #expect(result.error.hasPrefix("freshet: the list \(file) cannot be read: \(reason)"))
    #expect(server.requestCount == 0)
  }

  @Test func `a list can be a device or a pipe`() async throws {
    let fetch = "'\(Program.built("freshet"))' fetch --from"
    let script = "mkfifo p; echo \(url("/a")) > p & \(fetch) p --from /dev/null"
    let result = try await ProgramRun("/bin/sh", ["-c", script], in: folder.url)

    #expect(result.status == 0, "\(result.error)")
    #expect(result.text == "a\n")
  }

  @Test(arguments: [[], ["--no-plan"]])
  func `accepts a list without URLs`(options: [String]) async throws {
    let result = try await run(["fetch", "--json", "--from", "-"] + options, input: "# none\n")

    #expect(result.status == 0)
    #expect(result.lines.last == #"{"event":"batch","completed":0,"total":0,"items":0,"of":0}"#)
  }

  @Test func `starts no more while many wait for the first`() async throws {
    let gate = Gate()
    server.route("/held", .text("held\n").delayed(until: gate))
    server.route("/many/*", .text("x"))
    let urls = ["/held"] + (1...400).map { "/many/\($0)" }
    let file = try list("urls", urls.map(url).joined(separator: "\n"))

    async let result = run(["fetch", "--no-plan", "-m", "600", "--from", file])
    _ = await server.received(path: "/many/\(OrderedBodies.countLimit)")
    // In this time one that is not held back would go on.
    for _ in 0..<3 { _ = try await run(["fetch", url("/a")]) }
    let count = server.requests.count { $0.target.hasPrefix("/many/") }
    gate.open()

    // Some are under way, and some of those that have ended are not known to have.
    #expect(count < OrderedBodies.countLimit + 32)
    #expect(try await result.text == "held\n" + String(repeating: "x", count: 400))
  }
}
