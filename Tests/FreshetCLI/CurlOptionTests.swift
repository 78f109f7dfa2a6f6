import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetCLI

/// The options that have cURL's names, which do what they do there.
@Suite struct CurlOptionTests: ToolSuite {
  let server: LoopbackServer
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer([
      "/a": .text("hello").headers(["X-A": "1"]), "/moved": .redirect(to: "/a"),
      "/missing": .status(404, body: "nothing"),
    ])
  }

  private func fetch(_ arguments: String...) async throws -> ProgramRun {
    try await Tool.run(["fetch"] + arguments)
  }

  // MARK: Heads

  @Test func `-I sends HEAD and writes the head`() async throws {
    let result = try await fetch("-sI", url("/a"))

    #expect(result.status == 0)
    #expect(result.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(result.text.contains("\r\nX-A: 1\r\n"))
    #expect(result.text.hasSuffix("\r\n\r\n"))
    #expect(!result.text.contains("hello"))
    #expect(server.requests.map(\.method) == [.head])
  }

  @Test func `-I of several URLs asks each once`() async throws {
    server.route("/b", .text("b").headers(["X-B": "2"]))

    let result = try await fetch("-sI", url("/a"), url("/b"))

    #expect(server.requests.map(\.method) == [.head, .head])
    let (first, second) = (result.text.range(of: "X-A: 1"), result.text.range(of: "X-B: 2"))
    #expect(try #require(first).upperBound < #require(second).lowerBound)
  }

  @Test func `-i writes the heads, redirects included, and then the body`() async throws {
    let result = try await fetch("-siL", url("/moved"))

    let parts = result.text.components(separatedBy: "\r\n\r\n")
    #expect(parts.count == 3)
    #expect(parts[0].hasPrefix("HTTP/1.1 302 Found\r\n") && parts[0].contains("Location: /a"))
    #expect(parts[1].hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(parts.last == "hello")
  }

  @Test func `-i writes into the file completely or not at all`() async throws {
    let file = folder.file("file")

    _ = try await fetch("-i", "-o", file.path, url("/a"))
    let first = try String(contentsOf: file, encoding: .utf8)
    chmod(file.path, 0o600)
    _ = try await fetch("-i", "-o", file.path, url("/a"))

    #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n") && first.hasSuffix("\r\n\r\nhello"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test func `writes the head of an error, except with -f`() async throws {
    let shown = try await fetch("-si", url("/missing"))
    let hidden = try await fetch("-sif", url("/missing"))

    #expect(shown.status == 1 && shown.text.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    #expect(shown.text.hasSuffix("\r\n\r\nnothing"))
    #expect(hidden.status == 1 && hidden.output.isEmpty)
  }

  @Test func `-i of a stored response writes the stored head`() async throws {
    server.route("/kept", .content(Data("k".utf8), cacheControl: "max-age=3600"))
    let store = folder.file("store").path
    _ = try await fetch("--store", store, url("/kept"))

    let result = try await fetch("-si", "--store", store, url("/kept"))

    #expect(result.text.contains("Cache-Control: max-age=3600") && result.text.contains("Age: "))
    #expect(server.requestCount == 1)
  }

  @Test func `knows the protocol of an error response`() async throws {
    let log = HeadLog(isRecording: true) { _ in }
    let request = try Request("http://a.test/")

    let transfer = log.intercept(request) { request in
      Transfer(response: ResponseHead(status: 404, headers: [:], url: request.url))
        .mapEvents { event in
          guard case .finished = event else { return event }
          return .finished(TransferMetrics(networkProtocol: "h2"))
        }
    }
    for try await _ in transfer {}

    #expect(log.take(request).version == "h2")
    #expect(log.take(request).version == nil)
  }

  @Test func `no heads are kept that are not asked for, nor those of a plan`() async throws {
    let request = try Request("http://a.test/")
    func ask(_ log: HeadLog) async throws {
      let transfer = log.intercept(request) { request in
        Transfer(response: ResponseHead(status: 200, headers: [:], url: request.url))
          .mapEvents { event in
            guard case .head(let head) = event else { return event }
            return .interim(head)
          }
      }
      for try await _ in transfer {}
    }
    let (silent, log) = (HeadLog(isRecording: false) { _ in }, HeadLog(isRecording: true) { _ in })

    try await ask(silent)
    try await ask(log)
    #expect(silent.take(request).heads.isEmpty && log.take(request).heads.count == 1)
    try await ask(log)
    log.removeAll()
    #expect(log.take(request).heads.isEmpty)
  }

  @Test func `a 304 to the condition of a header field is a success without a body`() async throws {
    server.route("/e", .content(Data("e".utf8), eTag: "\"e1\""))
    let file = folder.file("file")
    try Data("mine".utf8).write(to: file)
    let condition = ["-H", "If-None-Match: \"e1\"", url("/e")]

    let text = try await Tool.run(["fetch", "-i"] + condition)
    let json = try await Tool.run(["fetch", "--json"] + condition)
    let output = try await Tool.run(["fetch", "-o", file.path] + condition)

    #expect([text, json, output].map(\.status) == [0, 0, 0])
    #expect(text.text.hasPrefix("HTTP/1.1 304 Not Modified\r\n"))
    #expect(text.text.hasSuffix("\r\n\r\n"))
    let value = try #require(try json.jsonLines.last)
    #expect(value["event"] as? String == "value" && value["status"] as? Int == 304)
    #expect(value["final"] as? Bool == true && value["bytes"] as? Int == 0)
    #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
  }

  // MARK: Credentials

  #if !canImport(Darwin)
  @Test(.enabled(if: Program.path("openssl") != nil))
  func `--cacert trusts the authorities of a file, and no others`() async throws {
    try await withSecureServer { address in
      let trusted = try await fetch("--cacert", folder.file("server.pem").path, address)
      let other = try await fetch("--json", "--cacert", folder.file("other.pem").path, address)

      #expect(trusted.status == 0, "\(trusted.error)")
      #expect(other.status == 1)
      #expect(try other.json["kind"] as? String == "insecure")
    }
  }

  @Test(.enabled(if: Program.path("openssl") != nil))
  func `--cert shows a client certificate, whose key may be in the same file`() async throws {
    try await withSecureServer(["-Verify", "1", "-verify_return_error", "-CAfile", "other.pem"]) {
      address in
      let usual = ["fetch", "--retry", "0", "--cacert", folder.file("server.pem").path, address]
      let (certificate, key) = (folder.file("other.pem"), folder.file("other.key"))
      let both = folder.file("both.pem")
      try (Data(contentsOf: certificate) + Data(contentsOf: key)).write(to: both)

      let without = try await Tool.run(usual)
      let apart = try await Tool.run(usual + ["--cert", certificate.path, "--key", key.path])
      let together = try await Tool.run(usual + ["-E", both.path])

      #expect(without.status == 1)
      #expect(apart.status == 0, "\(apart.error)")
      #expect(together.status == 0, "\(together.error)")
    }
  }

  /// Runs a server with a certificate of its own, beside which there is another one.
  private func withSecureServer(
    _ options: [String] = [],
    _ body: (_ address: String) async throws -> Void
  ) async throws {
    let openssl = try #require(Program.path("openssl"))
    for name in ["server", "other"] {
      let made = try await ProgramRun(
        openssl,
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
          "-keyout", "\(name).key", "-out", "\(name).pem", "-days", "2", "-subj", "/CN=localhost",
          "-addext", "subjectAltName=DNS:localhost",
        ],
        in: folder.url
      )
      try #require(made.status == 0, "\(made.error)")
    }
    let port = try FreePorts.take(1)[0]
    let (input, output) = (Pipe(), Pipe())
    let peer = try ChildProcess(
      openssl,
      ["s_server", "-www", "-accept", "\(port)", "-cert", "server.pem", "-key", "server.key"]
        + options,
      in: folder.url,
      standards: Standards(input: .pipe(input), output: .pipe(output))
    )
    defer { peer.signal(SIGKILL) }
    let lines = PipeLines(output)
    while let line = await lines.next(), line != "ACCEPT" {}

    try await body("https://localhost:\(port)/")
  }
  #endif

  @Test func `-u sends Basic credentials, and to no other origin`() async throws {
    let other = try LoopbackServer(["/": .text("other")])
    server.route("/away", .redirect(to: other.url("/").absoluteString))

    _ = try await fetch("-u", "ann:se:cret", url("/away"))

    let basic = "Basic " + Data("ann:se:cret".utf8).base64EncodedString()
    #expect(server.requests.map { $0.headers[.authorization] } == [basic])
    #expect(other.requests.map { $0.headers[.authorization] } == [nil])
  }

  @Test func `an explicit field takes precedence over -u`() async throws {
    _ = try await fetch("-u", "ann:x", "-H", "Authorization: Bearer y", url("/a"))

    #expect(server.requests.first?.headers[values: .authorization] == ["Bearer y"])
  }

  // MARK: What is told

  @Test func `-s writes nothing, and -sS errors only`() async throws {
    let fine = try await fetch("-s", url("/a"))
    let silent = try await fetch("-s", url("/missing"))
    let errors = try await fetch("-sS", url("/a"), url("/missing"))
    let noStore = try await fetch("-s", "--offline", "--store", "/missing", url("/a"))

    #expect(fine.status == 0 && fine.error.isEmpty && fine.text == "hello")
    #expect(silent.status == 1 && silent.error.isEmpty && silent.output.isEmpty)
    #expect(noStore.status == 1 && noStore.error.isEmpty && noStore.output.isEmpty)
    #expect(errors.status == 1 && errors.text == "hello")
    #expect(
      errors.error.hasPrefix("\(url("/missing")): ") && errors.error.hasSuffix("\n  nothing\n")
    )
  }

  #if !canImport(Darwin)
  @Test func `-v shows the network traffic, with secrets hidden`() async throws {
    server.route("/a", .text("hello").headers(["Set-Cookie": "id=hidden2"]))

    let result = try await fetch("-sv", "-u", "ann:hidden1", url("/a") + "?token=hidden3&b=1")

    let lines = result.error.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.hasPrefix("* Connected to 127.0.0.1") })
    #expect(lines.contains { $0.hasPrefix("> GET /a?token=") && $0.hasSuffix("&b=1 HTTP/1.1") })
    #expect(lines.contains("> Authorization: <redacted>"))
    #expect(lines.contains("< HTTP/1.1 200 OK"))
    #expect(lines.contains("< Set-Cookie: <redacted>"))
    #expect(lines.contains("{ [5 bytes data]"))
    let secrets = ["hidden1", "hidden2", "hidden3", Data("ann:hidden1".utf8).base64EncodedString()]
    #expect(!secrets.contains { result.error.contains($0) })
    #expect(result.text == "hello")
  }
  #endif

  // MARK: Limits

  @Test func `-L follows more redirects than the default`() async throws {
    for index in 0..<20 { server.route("/hop/\(index)", .redirect(to: "/hop/\(index + 1)")) }
    server.route("/hop/20", .text("there"))

    let usual = try await fetch(url("/hop/0"))
    let location = try await fetch("-L", url("/hop/0"))

    #expect(usual.status == 1)
    #expect(location.status == 0 && location.text == "there")
  }

  @Test(arguments: [[], ["--limit-rate", "1K"]])
  func `--max-time ends a transfer that takes longer`(options: [String]) async throws {
    server.route("/slow", .text(String(repeating: "x", count: 20_000)).stalled(after: 10_000))

    let result = try await Tool.run(["fetch", "--max-time", "0.5"] + options + [url("/slow")])

    #expect(result.status == 1)
    #expect(result.error.contains("timed out") && result.error.contains("--max-time"))
  }

  @Test func `--limit-rate slows the transfer down`() async throws {
    server.route("/large", .text(String(repeating: "x", count: 30_000)))

    let clock = ContinuousClock()
    let start = clock.now
    let result = try await fetch("-s", "--limit-rate", "30K", url("/large"))

    #expect(result.output.count == 30_000)
    #expect(clock.now - start >= .milliseconds(950))
  }

  @Test func `--retry retries, a POST too, and reports it`() async throws {
    server.route("/busy", .sequence([.status(503), .status(429), .text("done")]))

    let result = try await fetch("--retry", "2", "--retry-delay", "0.05", "-d", "x", url("/busy"))

    #expect(result.status == 0 && result.text == "done")
    #expect(server.requests.map(\.method) == [.post, .post, .post])
    #expect(result.error.contains("status 503; retrying in 0.05 s"))
  }

  @Test func `a delay of 0 is the usual one, as with cURL`() async throws {
    server.route("/busy", .sequence([.status(503), .text("done")]))

    let result = try await fetch("--retry", "1", "--retry-delay", "0", url("/busy"))

    #expect(result.status == 0 && result.text == "done")
    #expect(result.error.contains("status 503; retrying in 1 s"))
  }

  @Test func `--silent does not tell that a list cannot be read`() async throws {
    let result = try await fetch("-s", "--from", folder.file("missing").path)

    #expect(result.status == 2)
    #expect(result.error.isEmpty)
  }

  @Test func `--retry ends after the given number of attempts`() async throws {
    server.route("/busy", .status(503))

    let result = try await fetch("-sS", "--retry", "1", "--retry-delay", "0.01", url("/busy"))

    #expect(result.status == 1)
    #expect(server.requestCount == 2)
  }

  // MARK: Words

  @Test(arguments: [["fetch", "none"], ["explain", "/path"], ["seed", "--into", "s", "none"]])
  func `errors do not mention a base URL, which the tool does not have`(
    arguments: [String]
  ) async throws {
    let result = try await ProgramRun(Program.built("freshet"), arguments, in: folder.url)

    #expect(result.status == 1)
    #expect(result.error.contains("begins with https:// or http://"))
    #expect(!result.error.contains("baseURL"))
  }

  @Test(arguments: ["http://127.0.0.1:1/", "none", "example.org/x.", "http://nobody.invalid/"])
  func `no sentence ends with two full stops`(url: String) async throws {
    let result = try await fetch(url)

    #expect(result.status == 1)
    #expect(!result.error.isEmpty)
    #expect(!result.error.contains(".."))
    #expect(!result.error.contains(". ("), "\(result.error)")
  }

  @Test func `standard error hides the secrets of a URL, and JSON a user`() async throws {
    let secret = url("/a") + "?token=hidden1&b=1"
    let login = "http://ann:hidden2@example.org/?b=1"

    let text = try await fetch(secret)
    let json = try await fetch("--json", secret)
    let refused = [
      try await fetch(login), try await Tool.run("explain", login),
      try await fetch("--json", login), try await Tool.run("explain", "--json", login),
      try await fetch("ann.lee:1hidden2@example.org/x"),
      try await fetch("a.example/?token=hidden2"),
    ]
    let seed = try await Tool.run("seed", "--into", folder.file("seeds").path, secret)

    #expect(text.error.contains("/a?token=redacted&b=1: 200"))
    #expect(seed.error.contains("/a?token=redacted&b=1: "))
    #expect(!(text.error + seed.error).contains("hidden1"))
    #expect(try json.jsonLines.allSatisfy { $0["url"] as? String == secret })
    for run in refused {
      #expect(run.status != 0 && !(run.error + run.text).contains("hidden2"), "\(run.error)")
    }
    #expect(try refused[2].json["url"] as? String == "http://redacted@example.org/?b=1")
  }

  @Test func `an error for a user in a URL names --user`() async throws {
    let result = try await fetch("http://ann:x@example.org/")

    #expect(result.error.contains("pass them with --user"))
  }
}
