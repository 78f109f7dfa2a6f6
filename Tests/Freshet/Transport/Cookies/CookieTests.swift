import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CookieTests {
  private let clock = VirtualClock()

  private func jar() -> CookieJar {
    let clock = clock
    return CookieJar(now: { clock.date })
  }

  private func set(_ fields: String..., at url: String, in jar: CookieJar) throws {
    var headers = HTTPHeaders()
    for field in fields { headers.add(field, for: .setCookie) }
    jar.store(
      from: ResponseHead(status: 200, headers: headers, url: try #require(URL(string: url)))
    )
  }

  private func field(_ jar: CookieJar, at url: String) throws -> String? {
    jar.field(for: try #require(URL(string: url)))
  }

  /// One cookie set at a place, and whether it is sent to another.
  @Test(arguments: [
    ("a=1", "http://a.test/", "http://a.test/any", true),
    ("a=1", "http://a.test/", "http://sub.a.test/", false),
    ("a=1; Domain=a.test", "http://a.test/", "http://sub.a.test/", true),
    ("a=1; Domain=.A.test", "http://www.a.test/", "http://a.test/", true),
    ("a=1; Domain=a.test", "http://a.test/", "http://ba.test/", false),
    ("a=1; Domain=b.test", "http://a.test/", "http://b.test/", false),
    ("a=1; Domain=sub.a.test", "http://a.test/", "http://sub.a.test/", false),
    ("a=1; Domain=test", "http://a.test/", "http://a.test/", false),
    ("a=1; Domain=0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", false),
    ("a=1; Domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", true),
    ("a=1; Domain=0.0.0x1", "http://127.0.0.0x1/", "http://127.0.0.0x1/", false),
    ("a=1; Domain=0x1", "http://127.0x1/", "http://127.0x1/", false),
    ("a=1; Domain=0.1", "http://0177.0.0.1/", "http://0.0.0.1/", false),
    ("a=1; Domain=1", "http://[::1]/", "http://[::1]/", false),
    ("a=1; Domain=[::1]", "http://[::1]/", "http://[0:0::1]/", true),
    ("a=1; Domain=com.", "http://evil.com./", "http://bank.com./", false),
    ("a=1; Domain=.com.", "http://evil.com./", "http://evil.com./", false),
    ("a=1; Domain=co.uk.", "http://evil.co.uk./", "http://bank.co.uk./", false),
    ("a=1; Domain=com", "http://evil.com./", "http://bank.com/", false),
    ("a=1; Domain=com.", "http://evil.com/", "http://bank.com/", false),
    ("a=1; Domain=com..", "http://evil.com./", "http://evil.com./", false),
    ("a=1; Domain=a.test", "http://www.a.test./", "http://a.test/", false),
    ("a=1; Domain=a.test.", "http://www.a.test/", "http://a.test/", false),
    ("a=1; Domain=a.test.", "http://www.a.test./", "http://a.test./", true),
    ("a=1; Domain=test.", "http://test./", "http://test./", true),
    ("a=1; Domain=test.", "http://test./", "http://a.test./", false),
    ("a=1; Domain=", "http://a.test/", "http://a.test/", true),
    ("a=1", "http://a.test:8080/", "http://a.test/", true),
    ("a=1", "http://a.test/x/y", "http://a.test/x/z", true),
    ("a=1", "http://a.test/x/y", "http://a.test/", false),
    ("a=1; Path=/x", "http://a.test/", "http://a.test/x", true),
    ("a=1; Path=/x", "http://a.test/", "http://a.test/x/y", true),
    ("a=1; Path=/x", "http://a.test/", "http://a.test/xy", false),
    ("a=1; Path=/x/", "http://a.test/", "http://a.test/x", false),
    ("a=1; Path=x", "http://a.test/y/z", "http://a.test/y/", true),
    ("a=1; Secure", "https://a.test/", "https://a.test/", true),
    ("a=1; Secure", "https://a.test/", "http://a.test/", false),
    ("a=1; Secure", "http://a.test/", "https://a.test/", false),
    ("a=1; Secure", "http://127.0.0.1/", "http://127.0.0.1:8080/", true),
    ("__Host-a=1; Secure; Path=/", "http://localhost/", "http://localhost/", true),
    ("a=1", "https://a.test/", "http://a.test/", true),
    ("a=1; Max-Age=60", "http://a.test/", "http://a.test/", true),
    ("a=1; Max-Age=0", "http://a.test/", "http://a.test/", false),
    ("a=1; Max-Age=-5", "http://a.test/", "http://a.test/", false),
    ("a=1; Max-Age=x", "http://a.test/", "http://a.test/", true),
    ("a=1; Max-Age=0; Max-Age=x", "http://a.test/", "http://a.test/", false),
    (
      "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Expires=never", "http://a.test/",
      "http://a.test/", false
    ),
    ("a=1; Max-Age=99999999999999999999", "http://a.test/", "http://a.test/", true),
    ("a=1; Expires=Thu, 01 Jan 2026 00:00:01 GMT", "http://a.test/", "http://a.test/", true),
    ("a=1; Expires=Wed, 31-Dec-25 23:59:59 GMT", "http://a.test/", "http://a.test/", false),
    ("a=1; Expires=Thu Jan  1 00:00:01 2026", "http://a.test/", "http://a.test/", true),
    ("a=1; Expires=Wed Dec 31 23:59:59:1 2025", "http://a.test/", "http://a.test/", false),
    ("a=1; Expires=never", "http://a.test/", "http://a.test/", true),
    (
      "a=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://a.test/", "http://a.test/",
      true
    ),
    ("__Host-a=1; Secure; Path=/", "https://a.test/", "https://a.test/", true),
    ("__Host-a=1; Secure; Path=/; Domain=a.test", "https://a.test/", "https://a.test/", false),
    ("__Secure-a=1", "https://a.test/", "https://a.test/", false),
    ("__Host-\u{301}a=1; Secure; Domain=a.test", "https://a.test/", "https://a.test/", false),
    ("a", "http://a.test/", "http://a.test/", false),
    ("=1", "http://a.test/", "http://a.test/", false),
    ("a=\u{301}1", "http://a.test/", "http://a.test/", true),
  ])
  func `stores and sends by RFC 6265`(
    cookie: String,
    from: String,
    to: String,
    isSent: Bool
  ) throws {
    let jar = jar()

    try set(cookie, at: from, in: jar)

    #expect((try field(jar, at: to) != nil) == isSent)
  }

  @Test func `reads names and values unchanged`() throws {
    let jar = jar()

    try set(
      " a = \"x y\" ; HttpOnly",
      "b=k=v; SameSite=Strict",
      "c=",
      at: "http://a.test/",
      in: jar
    )

    #expect(try field(jar, at: "http://a.test/") == "a=\"x y\"; b=k=v; c=")
    #expect(jar.cookies.map(\.isHTTPOnly) == [true, false, false])
  }

  @Test(arguments: [(4_095, true), (4_096, false)])
  func `the attributes of a cookie do not count towards its size`(
    length: Int,
    isStored: Bool
  ) throws {
    let jar = jar()
    let attributes = "; Path=/; HttpOnly; Comment=\(String(repeating: "c", count: 2_000))"
    let cookie = "a=" + String(repeating: "v", count: length)

    try set(cookie + attributes, at: "http://a.test/", in: jar)

    #expect(try field(jar, at: "http://a.test/") == (isStored ? cookie : nil))
  }

  @Test func `an attribute with a value of more than 1,024 bytes is ignored`() throws {
    let jar = jar()

    try set(
      "a=1; Path=/\(String(repeating: "x", count: 1_024))",
      at: "http://a.test/y/z",
      in: jar
    )

    #expect(jar.cookies.map(\.path) == ["/y"])
  }

  @Test func `longer paths come first, then older cookies`() throws {
    let jar = jar()
    try set("old=1; Path=/", at: "http://a.test/", in: jar)
    try set("new=2; Path=/", "deep=3; Path=/x/y", at: "http://a.test/", in: jar)

    try set("old=4; Path=/", at: "http://a.test/", in: jar)

    #expect(try field(jar, at: "http://a.test/x/y") == "deep=3; old=4; new=2")
  }

  @Test func `expires with the clock, and is removed by its server`() throws {
    let jar = jar()
    try set("a=1; Max-Age=60", "b=2", at: "http://a.test/", in: jar)

    clock.advance(by: .seconds(60))
    #expect(try field(jar, at: "http://a.test/") == "b=2")
    try set("b=; Max-Age=0", at: "http://a.test/", in: jar)

    #expect(jar.cookies.isEmpty)
  }

  @Test func `what is removed may depend on the other cookies of the jar`() throws {
    let jar = jar()
    try set("a=1; Path=/", "a=2; Path=/x", "b=3; Path=/", at: "http://a.test/", in: jar)

    jar.remove { cookie in jar.cookies.contains { $0.name == cookie.name && $0 != cookie } }

    #expect(jar.cookies.map(\.name) == ["b"])
  }

  @Test func `a cookie that is replaced while those to remove are chosen stays`() throws {
    let jar = jar()
    try set("a=1", "b=2", at: "http://a.test/", in: jar)

    jar.remove { cookie in
      if cookie.name == "a" { try? set("a=3", at: "http://a.test/", in: jar) }
      return true
    }

    #expect(try field(jar, at: "http://a.test/") == "a=3")
  }

  @Test func `a secure cookie is not replaced from outside of https`() throws {
    let jar = jar()
    try set("a=1; Secure; Path=/", at: "https://a.test/", in: jar)

    try set("a=2; Path=/", at: "http://a.test/", in: jar)

    #expect(try field(jar, at: "https://a.test/") == "a=1")
  }

  @Test(arguments: [
    ("a=1; Secure; Path=/; Domain=a.test", "a=2; Path=/x", "http://sub.a.test/", 1),
    ("a=1; Secure; Path=/", "a=2; Path=/; Domain=a.test", "http://sub.a.test/", 1),
    ("a=1; Secure; Path=/x", "a=2; Path=/", "http://a.test/", 2),
    ("a=1; Secure; Path=/", "b=2; Path=/", "http://a.test/", 2),
    ("a=1; Path=/", "a=2; Path=/; Domain=a.test", "http://a.test/", 2),
    ("a=1; Secure; Path=/", "a=2; Path=/", "http://b.test/", 2),
  ])
  func `an insecure origin leaves secure cookies alone`(
    stored: String,
    new: String,
    url: String,
    count: Int
  ) throws {
    let jar = jar()
    try set(stored, at: "https://a.test/", in: jar)

    try set(new, at: url, in: jar)

    #expect(jar.cookies.count == count)
  }

  @Test func `an expired secure cookie does not block an insecure one`() throws {
    let jar = jar()
    try set("a=1; Secure; Path=/; Max-Age=5", at: "https://a.test/", in: jar)
    clock.advance(by: .seconds(6))

    try set("a=2; Path=/", at: "http://a.test/", in: jar)

    #expect(try field(jar, at: "http://a.test/") == "a=2")
  }

  @Test func `a cookie of the host and one of its domain are two`() throws {
    let jar = jar()

    try set("a=1", "a=2; Domain=a.test", at: "https://a.test/", in: jar)

    #expect(try field(jar, at: "https://a.test/") == "a=1; a=2")
    #expect(try field(jar, at: "https://sub.a.test/") == "a=2")
  }

  @Test func `holds at most its limit, the newest`() throws {
    let jar = jar()

    for number in 0..<200 { try set("c\(number)=1", at: "http://a.test/", in: jar) }

    #expect(jar.cookies.count == 180)
    #expect(jar.cookies.first?.name == "c20")
  }

  @Test func `of a response with a thousand cookies the last are held, beside those of others`()
    throws
  {
    let jar = jar()
    try set("old=1", at: "http://a.test/", in: jar)
    try set("id=1", at: "http://b.test/", in: jar)
    let lines = (0..<1_000).map { HTTPHeaders.Field(name: .setCookie, value: "c\($0)=1") }
    let url = try Request(.get, "http://a.test/").url

    jar.store(from: ResponseHead(status: .ok, headers: HTTPHeaders(lines), url: url))

    #expect(jar.cookies.map(\.name) == ["id"] + (820..<1_000).map { "c\($0)" })
  }

  @Test func `a site with many hosts does not displace the cookies of others`() throws {
    let jar = CookieJar(isPublicSuffix: { $0 == "com" })
    try set("id=1", at: "https://bank.com/", in: jar)

    for number in 0..<4_000 { try set("a=1", at: "https://h\(number).evil.com/", in: jar) }

    #expect(try field(jar, at: "https://bank.com/") == "id=1")
    #expect(jar.cookies.count == 181)
    #expect(CookieJar(jar.cookies, isPublicSuffix: { $0 == "com" }).cookies == jar.cookies)
  }

  @Test func `a saved cookie for all of a public suffix is left out`() throws {
    let data = Data(
      """
      [{"name": "a", "value": "1", "domain": "com", "isHostOnly": false, "path": "/",
        "isSecure": false, "isHTTPOnly": false, "created": 0}]
      """
      .utf8
    )

    let jar = CookieJar(try JSONDecoder().decode([Cookie].self, from: data))

    #expect(jar.cookies.isEmpty)
    #expect(try field(jar, at: "https://bank.com/") == nil)
  }

  @Test func `a jar of given cookies holds at most its limits, the newest`() throws {
    var cookies: [Cookie] = []
    for host in 0..<20 {
      let jar = jar()
      for number in 0..<180 { try set("c\(number)=1", at: "http://h\(host).test/", in: jar) }
      cookies += jar.cookies
    }
    let other = jar()
    for number in 180..<200 { try set("c\(number)=1", at: "http://h19.test/", in: other) }

    let limited = CookieJar(cookies + other.cookies).cookies

    #expect(limited.count == 3_000)
    #expect(limited.last?.name == "c199")
    #expect(limited.count { $0.domain == "h19.test" } == 180)
    #expect(limited.first { $0.domain == "h19.test" }?.name == "c20")
    #expect(!limited.contains { $0.domain == "h0.test" })
  }

  @Test func `removes expired cookies before others`() throws {
    let jar = jar()
    try set("live=1", at: "http://a.test/", in: jar)
    for number in 0..<179 { try set("c\(number)=1; Max-Age=5", at: "http://a.test/", in: jar) }

    clock.advance(by: .seconds(6))
    for number in 0..<179 { try set("d\(number)=1", at: "http://a.test/", in: jar) }

    #expect(jar.cookies.count == 180)
    #expect(jar.cookies.first?.name == "live")
  }

  @Test(arguments: [
    ("a=1; Domain=co.uk", "http://a.co.uk/", false),
    ("a=1; Domain=com.au", "http://a.com.au/", false),
    ("a=1; Domain=a.co.uk", "http://x.a.co.uk/", true),
    ("a=1; Domain=t.co", "http://x.t.co/", true),
    ("a=1; Domain=co.com", "http://x.co.com/", true),
  ])
  func `refuses cookies for the usual names below a country's`(
    text: String,
    url: String,
    isKept: Bool
  ) throws {
    let jar = CookieJar(isPublicSuffix: CookieJar.isUsualSuffix)

    try set(text, at: url, in: jar)

    #expect(jar.cookies.isEmpty != isKept)
  }

  @Test func `without a jar no cookie is stored or sent`() async throws {
    let server = try LoopbackServer([
      "/login": .text("in").headers([.setCookie: "a=1; Path=/"]), "/x": .text("x"),
    ])
    let client = Client()

    for path in ["/login", "/x"] {
      let request = try Request(to: server.url(path).absoluteString)
      _ = try await client.send(request).value
      _ = try await client.resource(request).value
    }

    #expect(server.requests.count >= 3)
    #expect(server.requests.allSatisfy { !$0.headers.contains(.cookie) })
    await server.stop()
  }

  @Test func `uses public suffixes on request`() throws {
    let jar = CookieJar(isPublicSuffix: { $0 == "co.test" })

    try set("a=1; Domain=co.test", "b=2", at: "http://a.co.test/", in: jar)

    #expect(jar.cookies.map(\.name) == ["b"])
  }

  @Test func `of two given cookies of one place, the later one counts`() throws {
    let (old, new) = (jar(), jar())
    try set("sid=1", at: "http://a.test/", in: old)
    try set("sid=2", at: "http://a.test/", in: new)

    let both = CookieJar(old.cookies + new.cookies, now: { clock.date })

    #expect(both.cookies.map(\.value) == ["2"])
  }

  @Test func `can be stored and restored`() throws {
    let jar = jar()
    try set("a=1; Max-Age=60; Secure", at: "https://a.test/x/y", in: jar)

    let data = try JSONEncoder().encode(jar.cookies)
    let again = CookieJar(try JSONDecoder().decode([Cookie].self, from: data), now: { clock.date })

    #expect(again.cookies == jar.cookies)
  }

  @Test func `no description shows a value`() throws {
    let jar = jar()
    try set("a=s3cret", at: "http://a.test/", in: jar)
    let cookie = try #require(jar.cookies.first)
    var dumped = ""
    dump(cookie, to: &dumped)

    #expect(cookie.description == "a=<redacted>; a.test/")
    #expect(!"\(jar.cookies) \(dumped)".contains("s3cret"))
  }

  @Test func `a login that sets its cookie on a redirect works`() async throws {
    let jar = jar()
    let wire = ScriptedTransport { request in
      guard request.url.path() == "/login" else { return .text(request.headers[.cookie] ?? "-") }
      return ScriptedResponse(302, headers: [.location: "/home", .setCookie: "id=7; Path=/"])
    }
    let transport = wire.storingCookies(in: jar)

    let first = await transport.call(try Request(to: "http://a.test/login"))
    let own = await transport.call(try Request { $0.headers[.cookie] = "mine=1" })
    let elsewhere = await transport.call(try Request(to: "http://b.test/"))

    #expect(first.text == "id=7")
    #expect(own.text == "mine=1")
    #expect(elsewhere.text == "-")
  }

  // MARK: - Redirects to the same URL

  /// A server that redirects to a path until it gets a cookie, and sets one on each redirect from `/door`.
  private func door(
    to path: String,
    until wanted: String = "id=7",
    setting cookie: @escaping @Sendable (_ count: Int) -> String?
  ) -> ScriptedTransport {
    let count = Mutex(0)
    return ScriptedTransport { request in
      if request.headers[.cookie] == wanted { return .text("in") }
      guard request.url.path() == "/door" else {
        return ScriptedResponse(302, headers: [.location: "/door"])
      }
      var headers: HTTPHeaders = [.location: path]
      headers[.setCookie] = cookie(
        count.withLock { count in
          count += 1
          return count
        }
      )
      return ScriptedResponse(302, headers: headers)
    }
  }

  @Test(arguments: ["/door", "/other"])
  func `a redirect to the same URL is followed if it changes the cookies`(path: String) async throws
  {
    let wire = door(to: path) { _ in "id=7; Path=/door" }

    let result = await wire.storingCookies(in: jar()).call(try Request(to: "http://a.test/door"))

    #expect(result.text == "in")
    #expect(wire.requests.last?.headers[.cookie] == "id=7")
  }

  @Test(arguments: [("/door", "id=1", 2), ("/other", "id=1", 3), ("/door", nil, 1)])
  func `a redirect to the same URL that leaves the cookies as they were is a loop`(
    path: String,
    cookie: String?,
    count: Int
  ) async throws {
    let wire = door(to: path) { _ in cookie.map { "\($0); Path=/door" } }

    let result = await wire.storingCookies(in: jar()).call(try Request(to: "http://a.test/door"))

    #expect(result.error.map { "\($0)" }?.contains("loops back") == true)
    #expect(wire.requests.count == count)
  }

  @Test func `redirects to the same URL with ever new cookies end at the limit`() async throws {
    let wire = door(to: "/door") { "id=x\($0)" }

    let result = await wire.storingCookies(in: jar()).call(try Request(to: "http://a.test/door"))

    #expect(result.error.map { "\($0)" }?.contains("more than the 10 redirects") == true)
    #expect(wire.requests.count == 11)
  }

  @Test func `without a jar, and with the caller's own field, cookies make no difference`()
    async throws
  {
    let wire = door(to: "/door") { "id=x\($0)" }
    let request = try Request(to: "http://a.test/door")
    let own = try Request(to: "http://a.test/door") { $0.headers[.cookie] = "mine=1" }

    let results = [
      await wire.call(request), await wire.storingCookies(in: jar()).call(own),
    ]

    #expect(results.allSatisfy { "\($0.error as Any)".contains("loops back") })
    #expect(wire.requests.count == 2)
  }
}
