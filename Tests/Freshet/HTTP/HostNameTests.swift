import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Which hosts are asked, on every way that leads to a request.
@Suite(.timeLimit(.minutes(5))) struct HostNameTests {
  /// Hosts that a parser, libcurl or a resolver makes another host of, or none.
  static let refused = [
    "ex%61mple.org", "a%2eorg", "%65xample.org", "%25", "%2525", "%41.com", "a%00.org", "a%", "%",
    "%E4%BE%8B.jp", "a.org%2f.b.org", "a.org%40b.org", "a.org%3a80", "a%20b", "a%0ab", "a%5cb",
    "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0X7F.0.0.1", "0177.0.0.1",
    "017700000001",
    "127.0.0.01", "127.0.0.0x1", "127.0.0.1.", "1.2.3.4.5", "256.0.0.1", "1.2.3", "1", "0", "0x",
    "0x.",
    "a.1", "a.0x1", "a.0x", "a.09", "a.1.", "1..2", "00.0.0.0", "1.2.3.256",
    "999999999999999999999",
    "a..b", ".a.org", ".", "..", "a..", "a.org..",
    "[::%31]", "[::%2531]", "[::1%25eth0]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[v1.x]", "[]",
    "[:]",
    "[::1", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[::12345]", "[::g]", "[1::2::3]", "[::1]x",
    "[::1.2.3.256]", "[::01.2.3.4]", "[127.0.0.1]", "[a.org]",
    "a!b.org", "a$b.org", "a&b.org", "a'b.org", "a(b.org", "a)b.org", "a*b.org", "a+b.org",
    "a,b.org",
    "a;b.org", "a=b.org", "*", "*.a.org", "\\a.org", "a\\b.org", "a|b.org", "a^b.org", "a`b.org",
    "a\"b.org", "a<b.org", "a>b.org", "{a}.org", "a b.org", " a.org", "a\tb.org", "a\nb.org",
    "a\u{7F}b",
  ]

  /// Hosts in Unicode that stand for another one.
  static let ambiguous = [
    "ｅxample.org", "example．org", "example。org", "example｡org", "％４１.com", "％.com", "①.com",
    "ﬁ.org",
    "１２７.0.0.1", "exa\u{AD}mple.org", "a\u{200B}b.org", "a\u{FEFF}b.org", "a\u{2060}b.org",
    "\u{202E}a.org", "a\u{FE0F}.org", "℀.com", "𝐞xample.org", "ª.org", "²²².com", "\u{212A}.org",
    "ſ.org",
    "例え.テスト．jp", "[::１]", "a\u{3164}b.org",
  ]

  @Test(arguments: refused + ambiguous)
  func `no text leads to an ambiguous host`(host: String) throws {
    let error = #expect(throws: FreshetError.self) { try Request("https://\(host)/x") }

    #expect(error?.kind == "invalidRequest")
  }

  @Test(arguments: refused + ambiguous)
  func `no redirect and no link leads there`(host: String) throws {
    let request = try Request("http://a.test/")
    for target in ["http://\(host)/x", "//\(host)/x", "HTTP://\(host):8080/x"] {
      let head = ResponseHead(status: 302, headers: [.location: target], url: request.url)
      let decision = request.redirects.decision(for: request, head: head, visited: [])
      let page = Response(head: head, value: Data())

      guard case .fail(let error) = decision else {
        Issue.record("\(target.debugDescription) is followed")
        continue
      }
      #expect(error.kind == "redirect")
      #expect(throws: FreshetError.self) { try request.moved(to: target, from: page) }
    }
  }

  @Test(arguments: refused)
  func `no URL leads there or has such an origin`(host: String) throws {
    for text in ["https://\(host)/", "https://\(host):8443/?x"] {
      guard let url = URL(string: text) else { continue }

      #expect(throws: FreshetError.self) { try Request(url).validate() }
      #expect(URLOrigin(url) == nil)
      #expect(PinnedHosts(["a.org": ServerPins()]).problem(with: url) != nil)
    }
  }

  @Test(arguments: [
    ("a.org", "a.org"), ("A.Org", "a.org"), ("a.org.", "a.org."), ("localhost", "localhost"),
    ("a_b.c-d.e~f", "a_b.c-d.e~f"), ("1.2.3.4", "1.2.3.4"), ("255.255.255.255", "255.255.255.255"),
    ("0.0.0.0", "0.0.0.0"), ("3com.net", "3com.net"), ("x.3com", "x.3com"), ("1.2.3.a", "1.2.3.a"),
    ("0x1g.com", "0x1g.com"), ("a.0xg", "a.0xg"), ("xn--exmple-cua.org", "xn--exmple-cua.org"),
    ("exämple.org", "xn--exmple-cua.org"), ("EXÄMPLE.org", "xn--exmple-cua.org"),
    ("faß.de", "xn--fa-hia.de"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
    ("نامه\u{200C}ای.com", "xn--mgba3gch31f060k.com"),
    ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[0::0001]", "[::1]"),
    ("[2001:DB8::A]", "[2001:db8::a]"), ("[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]"),
    ("[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]"),
  ])
  func `all decisions by host use the requested host`(
    host: String,
    asked: String
  ) throws {
    for port in ["", ":8080"] {
      let request = try Request("https://\(host)\(port)/")

      #expect(URLOrigin(request.url)?.host == asked)
      #expect(CacheKey(request).text == "https://\(asked)\(port)/")
      let pins = PinnedHosts([asked: ServerPins(includesSubdomains: true)])
      #expect(pins.pins(for: request.url) != nil)
    }
  }

  @Test(arguments: [
    "ex%61mple.org", "[::%2531]", "127.1", "0x7f000001", "a..b", "127.0.0.1.",
  ])
  func `no stored plan and no base URL leads there`(host: String) async throws {
    let wire = ScriptedTransport { _ in .text("never") }
    let client = Client {
      $0.transport = wire
      $0.baseURL = URL(string: "http://\(host)/v1")
    }
    let plan = Data(
      #"{"items":[{"index":0,"request":{"url":"http:\/\/\#(host)\/"},"need":"unknown"}]}"#.utf8
    )
    let stored = try JSONDecoder().decode(BatchPlan.self, from: plan)
    let requests =
      stored.items.map(\.request) + [
        .get("users"), Request(try #require(URL(string: "http://\(host)/x"))),
      ]

    for request in requests {
      let error = await #expect(throws: FreshetError.self) {
        try await client.send(request).value
      }
      #expect(error?.kind == "invalidRequest")
    }
    #expect(wire.requests.isEmpty)
  }

  @Test func `a redirect to an encoded host fails with the reason`()
    async throws
  {
    let wire = ScriptedTransport { request in
      request.url.path() == "/"
        ? ScriptedResponse(302, headers: [.location: "http://ex%61mple.org/secret"])
        : .text("never")
    }

    let result = await wire.call(try Request(to: "http://a.test/"))

    #expect(
      result.error?.description
        == "The redirect from http://a.test/ was not followed: its Location is not requested: "
        + "its host contains a percent-encoded character."
    )
    #expect(wire.requests.count == 1)
  }

  #if !canImport(Darwin)
  @Test(arguments: ["loc%61lhost", "127.0.0.%31", "127.1", "0x7f000001", "[::ffff:7f00:1%2531]"])
  func `no redirect bypasses pins`(host: String) async throws {
    let server = try LoopbackServer(["/secret": .text("in clear")])
    let port = try #require(server.url("/").port)
    server.route("/", .status(302).headers([.location: "http://\(host):\(port)/secret"]))
    let client = Client {
      $0.transport = CurlTransport { $0.pins["localhost"] = ServerPins(keys: [.init(of: "key")]) }
    }

    let error = await #expect(throws: FreshetError.self) {
      try await client.send(Request(server.url("/"))).value
    }

    #expect(error?.kind == "redirect")
    #expect(server.requests.count == 1)
    await server.stop()
  }

  @Test func `the event loop itself refuses such a host`() async throws {
    let server = try LoopbackServer(["/": .text("hello")])
    let port = try #require(server.url("/").port)
    let url = try #require(URL(string: "http://127.0.0.%31:\(port)/"))
    let engine = CurlEngine(CurlTransport.Configuration())

    let error = await thrown { try await engine.exchange(Request(url)).next() }

    #expect(error?.kind == "invalidRequest")
    #expect(server.requests.isEmpty)
    await server.stop()
  }
  #endif
}

extension SHA256Checksum {
  fileprivate init(of text: String) {
    self = SHA256Hasher.digest(of: Data(text.utf8))
  }
}
