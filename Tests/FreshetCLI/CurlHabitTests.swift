import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetCLI

/// What people who know cURL type.
@Suite struct CurlHabitTests {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer(["/": .text("hello")])
  }

  private var url: String { server.url("/").absoluteString }

  @Test func `header and output have short names`() async throws {
    let output = folder.file("body")

    let result = try await Tool.run("fetch", "-H", "X-A: 1", "-o", output.path, url)

    #expect(result.status == 0)
    #expect(try String(contentsOf: output, encoding: .utf8) == "hello")
    #expect(server.requests.first?.headers["X-A"] == "1")
  }

  @Test func `header fields are read from the lines of a file`() async throws {
    let file = folder.file("fields")
    try Data("Authorization: Bearer secret\r\n\r\n  \nX-A: 1:2\n".utf8).write(to: file)

    let result = try await Tool.run("fetch", "-H", "@\(file.path)", "-H", "X-B: 2", url)

    #expect(result.status == 0)
    let headers = try #require(server.requests.first?.headers)
    #expect(headers[.authorization] == "Bearer secret")
    #expect((headers["X-A"], headers["X-B"]) == ("1:2", "2"))
  }

  @Test func `header fields are read from standard input`() async throws {
    let result = try await ProgramRun(
      "/bin/sh",
      ["-c", #"printf 'X-A: 1\nX-B: 2' | "$0" fetch -H @- "$1""#, Program.built("freshet"), url],
      in: folder.url
    )

    #expect(result.status == 0)
    let headers = try #require(server.requests.first?.headers)
    #expect((headers["X-A"], headers["X-B"]) == ("1", "2"))
  }

  @Test func `a file of header fields that is missing or has another line is named, and not shown`()
    async throws
  {
    let file = folder.file("fields")
    try Data("secret".utf8).write(to: file)

    let missing = try await Tool.run("fetch", "-H", "@\(folder.file("none").path)", url)
    let other = try await Tool.run("fetch", "-H", "@\(file.path)", url)

    #expect(missing.status == 2)
    #expect(missing.error.contains(folder.file("none").path))
    #expect(other.status == 2)
    #expect(!other.error.contains("secret"))
    #expect(server.requests.isEmpty)
  }

  @Test func `an argument that is not UTF-8 is refused, and nothing is written`() async throws {
    let result = try await ProgramRun(
      "/bin/sh",
      ["-c", #"exec "$0" fetch -o "$(printf 'a\377')" "$1""#, Program.built("freshet"), url],
      in: folder.url
    )

    #expect(result.status == 2)
    #expect(result.error.contains("argument 3 is not UTF-8"))
    #expect(server.requests.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func `data is posted as a form, its pieces joined`() async throws {
    let file = folder.file("more")
    try Data("c=3".utf8).write(to: file)

    _ = try await Tool.run("fetch", "-d", "a=1", "-d", "@\(file.path)", "-d", "b=2", url)

    let request = try #require(server.requests.first)
    #expect(request.method == .post)
    #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
    #expect(String(decoding: request.body, as: UTF8.self) == "a=1&c=3&b=2")
  }

  @Test func `sends a file unchanged, by any method and under its own type`() async throws {
    let file = folder.file("data.json")
    try Data("{\n}".utf8).write(to: file)

    _ = try await Tool.run(
      "fetch",
      "-X",
      "PUT",
      "-H",
      "Content-Type: application/json",
      "-d",
      "@\(file.path)",
      url
    )

    let request = try #require(server.requests.first)
    #expect(request.method == .put)
    #expect(request.headers[.contentType] == "application/json")
    #expect(String(decoding: request.body, as: UTF8.self) == "{\n}")
  }

  @Test(arguments: ["-d @p", "-d @/dev/stdin", "-d b=2 -d @p", "-d b=2 -d @/dev/stdin"])
  func `data comes from a pipe`(data: String) async throws {
    let fetch = "'\(Program.built("freshet"))' fetch \(url) \(data)"
    let script =
      data.hasSuffix("p") ? "mkfifo p; printf a=1 > p & \(fetch)" : "printf a=1 | \(fetch)"
    let result = try await ProgramRun("/bin/sh", ["-c", script], in: folder.url)

    #expect(result.status == 0, "\(result.error)")
    let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
    #expect(body == (data.contains("b=2") ? "b=2&a=1" : "a=1"))
  }

  @Test func `data comes from standard input`() async throws {
    _ = try await ProgramRun(
      Program.built("freshet"),
      ["fetch", "-XPOST", "-d", "@-", url],
      input: Data("{\n}".utf8)
    )

    let request = try #require(server.requests.first)
    #expect(String(decoding: request.body, as: UTF8.self) == "{\n}")
  }

  @Test(arguments: ["example.org", "localhost:1/x", "127.0.0.1:8080"])
  func `suggests the scheme of a URL without one`(text: String) async throws {
    let fetch = try await Tool.run("fetch", text)
    let streamed = try await ProgramRun(
      Program.built("freshet"),
      ["fetch", "--no-plan", "--from", "-"],
      input: Data(text.utf8)
    )
    let explained = try await Tool.run("explain", "--json", text)

    #expect(fetch.status == 1 && fetch.error.contains("write https://\(text)"))
    #expect(streamed.status == 1 && streamed.error.contains("write https://\(text)"))
    #expect(explained.status == 1 && explained.text.contains("write https://\(text)"))
  }

  @Test func `shows the beginning of the body of an error, as text`() async throws {
    server.route("/", .status(422, body: "{\"name\": \"is \u{1B}[31mtaken\"}\n"))

    let result = try await Tool.run("fetch", url)

    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.error.contains("\n  {\"name\": \"is \\u{1B}[31mtaken\"}\n"))
  }

  @Test func `shows the pause that an error response asks for`() async throws {
    server.route("/", .response(429, headers: [.retryAfter: "30"], body: Data()))
    server.route("/plain", .status(503, body: "down"))

    let asked = try await Tool.run("fetch", url)
    let plain = try await Tool.run("fetch", server.url("/plain").absoluteString)

    #expect(asked.status == 1)
    #expect(asked.error.contains("with status 429, and asks to wait 30 s."))
    #expect(plain.status == 1 && !plain.error.contains("asks to wait"))
  }

  @Test func `a 304 for which no condition was sent is a failure that says so`() async throws {
    server.route("/", .status(304))

    let result = try await Tool.run("fetch", url)

    #expect(result.status == 1)
    #expect(result.error.contains("304. (no condition was sent that it answers"))
    #expect(server.requests.allSatisfy { $0.headers[.ifNoneMatch] == nil })
  }

  @Test func `hides credentials and keys that the body of an error repeats`() async throws {
    let told = "{\"sent\": \"Bearer t0ken-0123456789\", \"key\": \"k3y-0123456789abc\"}"
    server.route("/", .status(422, body: told))
    let keyed = url + "?api_key=k3y-0123456789abc"

    let result = try await Tool.run("fetch", "-H", "Authorization: Bearer t0ken-0123456789", keyed)

    #expect(result.status == 1)
    #expect(result.error.contains("\"sent\": \"Bearer <redacted>\""))
    #expect(result.error.contains("\"key\": \"<redacted>\""))
    #expect(!result.error.contains("0123456789"))
  }

  @Test func `shows at most ten lines of a body, and nothing of a binary one`() {
    let lines = String(repeating: "line\n", count: 30)

    #expect(BodyExcerpt.text(Data(lines.utf8))?.split(separator: "\n").count == 11)
    #expect(BodyExcerpt.text(Data(String(repeating: "é", count: 5_000).utf8))?.count ?? 0 < 600)
    #expect(BodyExcerpt.text(Data([0xFF, 0xD8, 0xFF, 0])) == nil)
    #expect(BodyExcerpt.text(Data()) == nil)
  }

  @Test(arguments: [("dumb", nil), ("xterm", 80)] as [(String, Int?)])
  func `moves the cursor only on a terminal`(terminal: String, width: Int?) {
    #expect(Console.boardWidth(["TERM": terminal], terminalWidth: 80) == width)
    #expect(Console.boardWidth(["TERM": terminal], terminalWidth: nil) == nil)
  }

  @Test func `a body is for one URL`() async throws {
    let result = try await Tool.run("fetch", "-d", "a=1", url, url)

    #expect(result.status == 2)
    #expect(server.requests.isEmpty)
  }

  @Test func `an error suggests a remedy`() async throws {
    let result = try await Tool.run("fetch", "--offline", "http://127.0.0.1:1/")

    #expect(result.status == 1)
    #expect(result.error.contains("(remove '--offline'"))
  }

  @Test(
    arguments: [
      ([:], true, true), (["NO_COLOR": "1"], true, false), (["NO_COLOR": ""], true, true),
      (["TERM": "dumb"], true, false), ([:], false, false),
    ] as [([String: String], Bool, Bool)]
  )
  func `colours are for terminals that support them`(
    environment: [String: String],
    isTerminal: Bool,
    isOn: Bool
  ) {
    #expect(Style.isOn(environment, isTerminal: isTerminal) == isOn)
    #expect(Style.bad("x", isOn: true) == "\u{1B}[31mx\u{1B}[0m")
    #expect(Style.bad("x", isOn: false) == "x")
  }
}
