import Foundation
import Freshet
import Testing

@testable import FreshetCLI

@Suite struct FetchOptionsTests {
  @Test func `reads every option`() throws {
    let digest = String(repeating: "ab", count: 32)

    let options = try FetchOptions([
      "--store", "cache", "--json", "--policy", "after:1.5", "--revalidate", "head", "--stale",
      "--offline", "--sha256", digest, "--header", "Accept: text/html", "--header", "X-A:1",
      "--output", "page.html", "https://example.org/",
    ])

    #expect(options.store?.lastPathComponent == "cache")
    #expect(options.format == .json)
    #expect(options.policy.expiry == .after(.milliseconds(1_500)))
    #expect(options.policy.revalidation == .head)
    #expect(options.policy.stale == .beforeValidation)
    #expect(options.policy.network == .forbidden)
    #expect(options.policy.expected == SHA256Checksum(hex: digest).map { .sha256($0) })
    #expect(options.server.headers == [.accept: "text/html", "X-A": "1"])
    #expect(options.output?.lastPathComponent == "page.html")
    #expect(options.urls == ["https://example.org/"])
  }

  @Test func `takes options after URLs, and URLs that look like options after two hyphens`() throws
  {
    let options = try FetchOptions(["https://a.example/", "--json", "--", "--b"])

    #expect(options.format == .json)
    #expect(options.urls == ["https://a.example/", "--b"])
  }

  @Test func `takes values attached to a sign or a letter`() throws {
    let options = try FetchOptions([
      "-XPOST", "-HA: b", "--store=--x", "-d-1", "-d", "--2", "-o-", "https://example.org/",
    ])

    #expect(options.method == .post)
    #expect(options.server.headers == ["A": "b"])
    #expect(options.store?.lastPathComponent == "--x")
    #expect(options.data == [.text("-1"), .text("--2")])
    #expect(options.output == nil)
  }

  #if !canImport(Darwin)
  @Test func `takes the files of certificates, with every command that connects`() throws {
    let arguments = ["--cacert", "ca.pem", "-Ecert.pem", "--key", "key.pem", "u"]

    for server in try servers(arguments) {
      #expect(server.authority?.lastPathComponent == "ca.pem")
      #expect(server.certificate?.lastPathComponent == "cert.pem")
      #expect(server.key?.lastPathComponent == "key.pem")
    }
  }
  #endif

  private func servers(_ arguments: [String]) throws -> [ServerOptions] {
    [
      try FetchOptions(arguments).server, try SeedOptions(["--into", "s"] + arguments).server,
      try SocketOptions(arguments).server, try UploadCommandOptions(["f"] + arguments).server,
    ]
  }

  @Test func `takes short options in one word, the last with its value`() throws {
    let options = try FetchOptions(["-fsSLo", "page.html", "-iXPUT", "-m2", "https://example.org/"])

    #expect(options.isSilent && options.showsErrors && options.hidesErrorResponses)
    #expect(options.redirects == 50)
    #expect(options.output?.lastPathComponent == "page.html")
    #expect(options.heads == .included)
    #expect(options.method == .put)
    #expect(options.maximumTime == .seconds(2))
  }

  @Test(arguments: [
    (["-s"], false, false), (["-sS"], true, false), (["-S"], true, true), ([], true, true),
  ])
  func `is as silent as cURL`(arguments: [String], errors: Bool, notes: Bool) throws {
    let verbosity = try FetchOptions(arguments + ["u"]).verbosity

    #expect(verbosity.showsErrors == errors)
    #expect(verbosity.showsNotes == notes)
  }

  @Test func `retries as often and with the same pauses as cURL`() throws {
    let policy = try #require(try FetchOptions(["--retry", "5", "u"]).retryPolicy)
    let fixed = try #require(
      try FetchOptions(["--retry", "5", "--retry-delay", "3", "u"]).retryPolicy
    )
    let request = Request(.post, URL(filePath: "/"))
    let pause = { (policy: RetryPolicy, attempt: Int) in
      policy.decision(
        for: request,
        attempt: attempt,
        outcome: .failed(.timedOut(.idle, url: "")),
        elapsed: .zero,
        now: Date(),
        jitter: 0.5
      )
    }

    #expect(
      (1...3).map { pause(policy, $0) } == [
        .after(.seconds(1)), .after(.seconds(2)), .after(.seconds(4)),
      ]
    )
    #expect(pause(policy, 6) == .stop)
    #expect(pause(fixed, 4) == .after(.seconds(3)))
    #expect(try FetchOptions(["u"]).retryPolicy == nil)
  }

  @Test func `--max-time also applies to the first byte`() throws {
    let long = try FetchOptions(["-m", "600", "u"]).request("http://a.example/")
    let short = try FetchOptions(["-m", "5", "u"]).request("http://a.example/")

    #expect(long.timeouts.total == .seconds(600) && long.timeouts.firstByte == .seconds(600))
    #expect(short.timeouts.total == .seconds(5) && short.timeouts.firstByte == .seconds(60))
    #expect(try FetchOptions(["-m", "0", "u"]).request("http://a.example/").timeouts.total == nil)
  }

  @Test func `a rate of 0 is no limit`() throws {
    #expect(try FetchOptions(["--limit-rate", "0", "u"]).rate == nil)
    #expect(try FetchOptions(["--limit-rate", "2K", "u"]).rate?.bytesPerSecond == 2_048)
  }

  @Test(arguments: [
    ([], "URL"),
    (["--nonsense", "u"], "--nonsense"),
    (["u", "--policy"], "--policy needs a value"),
    (["--policy", "sometimes", "u"], "after:SECONDS"),
    (["--policy", "after:-1", "u"], "after:SECONDS"),
    (["--policy", "after:soon", "u"], "after:SECONDS"),
    (["--revalidate", "maybe", "u"], "conditional"),
    (["--sha256", "12", "u"], "64"),
    (["--header", "no colon", "u"], "Name: value"),
    (["--header", ": value", "u"], "Name: value"),
    (["--output", "file", "u", "v"], "--output"),
    (["--store", "--json", "u"], "--store needs a value"),
    (["--store", "", "u"], "--store needs a value"),
    (["--store=", "u"], "--store needs a value"),
    (["-o", "-v", "u"], "./-v"),
    (["--json=yes", "u"], "--json takes no value"),
    (["--output", "-", "--json", "u"], "--output - and --json"),
    (["-sQ", "u"], "no option '-Q' in '-sQ'"),
    (["--ouput", "f", "u"], "did you mean --output?"),
    (["--max-tme=1", "u"], "did you mean --max-time?"),
    (["-json", "u"], "did you mean --json?"),
    (["-O", "u"], "--into DIR"),
    (["-k", "u"], "certificates are always verified, install the server's authority"),
    (["-sO", "u"], "no option '-O' in '-sO'"),
    (["-sAname", "u"], "no option '-A' in '-sA'; write -H 'User-Agent: …'"),
    (["--key", "f", "u"], "--key needs --cert"),
    (["--netrc", "u"], "use --user"),
    (["-F", "a=b", "u"], "-d @FILE"),
    (["-w", "x", "u"], "use --json"),
    (["--into", "d", "-o", "f", "u"], "--into and --output"),
    (["--into", "d", "-o-", "u"], "--into and --output"),
    (["-I", "-d", "x", "u"], "--head"),
    (["-I", "-XPUT", "u"], "--head"),
    (["-i", "--json", "u"], "--include and --json"),
    (["--retry-delay", "1", "u"], "needs --retry"),
    (["--retry", "often", "u"], "--retry takes a number"),
    (["-m", "soon", "u"], "seconds"),
    (["--limit-rate", "0.5", "u"], "--limit-rate"),
    (["--limit-rate", "fast", "u"], "--limit-rate"),
    (["--offline", "--force", "u"], "--offline and --force"),
    (["--force", "--offline", "u"], "--offline and --force"),
    (["-o", "ex/", "u"], "ex/ is a directory"),
    (["--silent=yes", "u"], "--silent takes no value"),
  ])
  func `explains invalid arguments`(arguments: [String], hint: String) {
    let error = #expect(throws: UsageError.self) { try FetchOptions(arguments) }

    #expect(error?.message.contains(hint) == true)
  }

  @Test(arguments: [
    ["fetch", "-bsid=hush", "u"], ["stats", "-uann:hush"], ["fetch", "-sQhush", "u"],
    ["stats", "--store", "d", "http://ann:hush@a.example/"],
    ["http://ann:hush@a.example/"], ["store", "http://ann:hush@a.example/"],
    ["--version", "http://ann:hush@a.example/"],
  ])
  func `a message about invalid arguments has no password`(arguments: [String]) {
    let error = #expect(throws: UsageError.self) { try Command(arguments) }

    #expect(error?.message.contains("hush") == false)
  }

  @Test func `takes a user, with every command that sends requests`() throws {
    let arguments = ["-u", "ann:hush", "u"]
    let explained = try FetchOptions(explaining: arguments).server

    for server in try servers(arguments) + [explained] {
      #expect(server.headers == [.authorization: "Basic YW5uOmh1c2g="])
    }
  }

  @Test func `credentials in a URL are sent to the option for them`() {
    let text = "http://ann:hush@a.example/"
    let fetched = #expect(throws: FreshetError.self) { try FetchOptions([text]).request(text) }

    #expect(fetched?.description.contains("-u USER:PASSWORD") == true)
  }

  @Test(arguments: [[0xFF], [0xFF, 0xCC, 0x81]] as [[UInt8]])
  func `a URL whose bytes are not UTF-8 is no request for another one`(bytes: [UInt8]) {
    let text = String(decoding: Array("http://a.example/".utf8) + bytes, as: UTF8.self)
    let error = #expect(throws: FreshetError.self) { try FetchOptions(["u"]).request(text) }

    #expect(error?.description.contains("it is not UTF-8") == true)
  }

  #if !canImport(Darwin)
  @Test func `a refused connection may be that of a proxy`() {
    let error = FreshetError.connection(.refused, url: "http://a.example/")

    #expect(Advice.text(for: error, [:]) == nil)
    #expect(Advice.text(for: error, ["http_proxy": ""]) == nil)
    #expect(Advice.text(for: error, ["all_proxy": "x"])?.contains("proxy of all_proxy") == true)
  }
  #endif

  @Test func `a port that does not speak TLS is not a matter of clock or authority`() {
    let plain = FreshetError.insecure(
      "OpenSSL/3.0.22: error:0A00010B:SSL routines::wrong version number",
      url: "https://a.example/"
    )
    let expired = FreshetError.insecure("certificate has expired", url: "https://a.example/")

    #expect(Advice.text(for: plain, [:])?.contains("may not speak TLS") == true)
    #expect(Advice.text(for: plain, [:])?.contains("clock") == false)
    #expect(Advice.text(for: expired, [:])?.contains("check the clock") == true)
  }

  @Test(arguments: [
    "SSL: no alternative certificate subject name matches target host name '127.0.0.1'",
    "SSL: certificate subject name 'a' does not match target host name 'b'",
  ])
  func `a certificate for another host is no matter of clock or authority`(reason: String) {
    let error = FreshetError.insecure(reason, url: "https://a.example/")

    #expect(Advice.text(for: error, [:])?.contains("for another host") == true)
    #expect(Advice.text(for: error, [:])?.contains("clock") == false)
  }

  @Test func `a file of authorities that cannot be read is the one of the option`() {
    let error = FreshetError.insecure(
      "error setting certificate file: /nowhere",
      url: "https://a.example/"
    )

    #expect(Advice.text(for: error, [:]) == "check the file of --cacert")
  }
}
