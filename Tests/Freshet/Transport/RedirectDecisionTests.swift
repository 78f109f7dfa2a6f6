import Foundation
import Testing

@testable import Freshet

@Suite struct RedirectDecisionTests {
  @Test(arguments: [
    (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "HEAD", "HEAD"),
    (302, "POST", "GET"), (302, "DELETE", "DELETE"),
    (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
    (307, "POST", "POST"), (308, "POST", "POST"), (308, "PATCH", "PATCH"),
  ])
  func `changes the method as the status says`(status: Int, before: String, after: String) throws {
    let request = try Request(HTTPMethod(before), "http://a.test/x")

    let (next, redirect) = try #require(decide(request, status, "/y").followed)

    #expect(next.method.rawValue == after)
    #expect(redirect.method == next.method)
    #expect(redirect.target == next.url)
  }

  @Test(arguments: [
    ("/y", "http://a.test/y"), ("y", "http://a.test/d/y"), ("../y", "http://a.test/y"),
    ("?q=1", "http://a.test/d/x?q=1"), ("//b.test/y", "http://b.test/y"),
    ("http://b.test:81/z", "http://b.test:81/z"), ("/y#there", "http://a.test/y#there"),
  ])
  func `resolves the location against the request`(location: String, target: String) throws {
    let request = try Request(.get, "http://a.test/d/x")

    let (next, _) = try #require(decide(request, 302, location).followed)

    #expect(next.url.absoluteString == target)
  }

  @Test(arguments: [("WS://b.test/y", "http://b.test/y"), ("wss://b.test/y", "https://b.test/y")])
  func `a socket follows a location with the scheme of sockets`(
    location: String,
    target: String
  ) throws {
    var request = try Request(.get, "http://a.test/x")
    #expect(decide(request, 302, location).followed == nil)
    request.messageBytes = 1

    let (next, _) = try #require(decide(request, 302, location).followed)

    #expect(next.url.absoluteString == target)
  }

  @Test func `a socket does not follow a location from wss to ws`() throws {
    var request = try Request(.get, "https://a.test/x")
    request.messageBytes = 1

    #expect(decide(request, 302, "ws://a.test/x").followed == nil)
  }

  @Test(arguments: [
    ("?filter[title]=a%20b", "http://a.test/d/x?filter%5Btitle%5D=a%20b"),
    ("y 1:2%20z", "http://a.test/d/y%201%3A2%20z"),
    ("/caf%C3%A9 é?a|b=%26#c%2F d", "http://a.test/caf%C3%A9%20%C3%A9?a%7Cb=%26#c%2F%20d"),
    ("//b.test/{y}%2Fz", "http://b.test/%7By%7D%2Fz"),
    ("/100%-sure%20y", "http://a.test/100%25-sure%20y"),
    (
      "http://[::1]:81/y[1]?to=http://b.test/%20#a#b",
      "http://[::1]:81/y%5B1%5D?to=http://b.test/%20#a%23b"
    ),
  ])
  func `a location has its characters encoded, and no encoded one again`(
    location: String,
    target: String
  ) throws {
    let request = try Request(.get, "http://a.test/d/x")

    let (next, _) = try #require(decide(request, 302, location).followed)

    #expect(next.url.absoluteString == target)
  }

  @Test func `a location without a fragment inherits it`() throws {
    let request = try Request(.get, "http://a.test/x#part")

    let (next, _) = try #require(decide(request, 302, "/y").followed)

    #expect(next.url.absoluteString == "http://a.test/y#part")
  }

  @Test(arguments: [(200, "/y"), (300, "/y"), (304, "/y"), (305, "/y"), (302, ""), (302, nil)])
  func `forwards all other responses`(status: Int, location: String?) throws {
    let request = try Request(.get, "http://a.test/x")

    #expect(decide(request, status, location).isPass)
  }

  @Test func `a maximum of zero makes the redirect the response`() throws {
    var request = try Request(.get, "http://a.test/x")
    request.redirects = .none

    #expect(decide(request, 302, "/y").isPass)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://a.test/", "javascript:alert(1)", "http:///x"])
  func `refuses other schemes than http and https`(location: String) throws {
    let reason = decide(try Request(.get, "http://a.test/x"), 302, location).reason

    #expect(reason != nil)
  }

  @Test(arguments: ["http://ann:hunter2@a.test/y", "//ann@a.test/y", "http://a.test:99999/y"])
  func `refuses a URL with a user or an impossible port`(location: String) throws {
    let reason = decide(try Request(.get, "http://a.test/x"), 302, location).reason

    #expect(reason != nil)
    #expect(reason?.contains("hunter2") == false)
  }

  @Test func `refuses a downgrade unless it is allowed`() throws {
    var request = try Request(.get, "https://a.test/x")

    #expect(decide(request, 302, "http://a.test/x").reason?.contains("https to http") == true)
    request.redirects.allowsDowngrade = true
    #expect(decide(request, 302, "http://a.test/x").followed != nil)
  }

  @Test(arguments: [
    ("http://a.test/y", true), ("http://A.TEST:80/y", true), ("http://a.test:81/y", false),
    ("https://a.test/y", false), ("http://b.test/y", false), ("http://sub.a.test/y", false),
  ])
  func `keeps secrets within their origin`(location: String, keeps: Bool) throws {
    var request = try Request(.get, "http://a.test/x")
    request.headers = [
      .authorization: "Bearer 1", .cookie: "a=1", .proxyAuthorization: "Basic 2",
      "X-API-Key": "3", "X-Auth-Token": "4", "Host": "a.test", .accept: "text/plain",
      "Ocp-Apim-Subscription-Key": "5", "X-Tenant": "6",
    ]
    request.redirects.secretHeaders = ["x-tenant"]

    let (next, _) = try #require(decide(request, 307, location).followed)

    #expect(next.headers.count == (keeps ? 9 : 1))
    #expect(next.headers[.accept] == "text/plain")
  }

  @Test func `removes the body and its fields when the method becomes GET`() throws {
    var request = try Request(.post, "http://a.test/x")
    request.body = .text("hello")
    request.headers = ["Content-Type": "text/plain", "content-language": "en", "X-Kept": "1"]
    request.headers["Expect"] = "100-continue"
    for name in ["Digest", "Repr-Digest", "content-digest", "last-modified"] {
      request.headers[HTTPHeaders.Name(name)] = "x"
    }

    let (next, _) = try #require(decide(request, 303, "/y").followed)

    #expect(next.body == nil)
    #expect(next.headers.map(\.name) == ["X-Kept"])
  }

  @Test func `a 303 removes the body of a GET as well`() throws {
    var request = try Request(.get, "http://a.test/x")
    request.body = .text("query")

    let (next, _) = try #require(decide(request, 303, "http://b.test/y").followed)

    #expect(next.body == nil)
    #expect(decide(request, 302, "/y").followed?.0.body != nil)
  }

  @Test(arguments: [(307, false), (308, false), (303, true)])
  func `a one-time body is not sent again`(status: Int, follows: Bool) throws {
    var request = try Request(.post, "http://a.test/x")
    request.body = .stream { AsyncThrowingStream { $0.finish() } }

    let decision = decide(request, status, "/y")

    #expect((decision.followed != nil) == follows)
    #expect((decision.reason?.contains("can be sent only once") == true) == !follows)
  }

  @Test func `counts redirects and names the limit`() throws {
    var request = try Request(.get, "http://a.test/2")
    request.redirects.maximumCount = 2
    let visited = try ["0", "1"].map { try visit("http://a.test/" + $0) }

    #expect(decide(request, 302, "/3", visited).reason?.contains("the 2 redirects allowed") == true)
    #expect(decide(request, 302, "/3", [visited[0]]).followed != nil)
  }

  @Test func `names an exact loop`() throws {
    let request = try Request(.get, "http://a.test/b?secret=1")
    let visited = [try visit("http://a.test/a")]

    #expect(decide(request, 302, "/a#x", visited).reason?.contains("loop") == true)
    #expect(decide(request, 302, "/b?secret=1").reason?.contains("loop") == true)
    #expect(decide(request, 302, "/b?secret=1").reason?.contains("secret") == false)
  }

  @Test func `a GET after a POST to the same URL is no loop`() throws {
    let request = try Request(.post, "http://a.test/form")

    #expect(decide(request, 303, "/form").followed != nil)
  }
}

private func visit(_ url: String) throws -> RedirectPolicy.Visit {
  RedirectPolicy.Visit(.get, try #require(URL(string: url)))
}

private func decide(
  _ request: Request,
  _ status: Int,
  _ location: String?,
  _ visited: [RedirectPolicy.Visit] = []
) -> RedirectPolicy.Decision {
  var headers = HTTPHeaders()
  headers[.location] = location
  let head = ResponseHead(status: HTTPStatus(status), headers: headers, url: request.url)
  return request.redirects.decision(for: request, head: head, visited: visited)
}

extension RedirectPolicy.Decision {
  fileprivate var followed: (Request, Redirect)? {
    if case .follow(let request, let redirect) = self { (request, redirect) } else { nil }
  }

  fileprivate var isPass: Bool {
    if case .pass = self { true } else { false }
  }

  fileprivate var reason: String? {
    if case .fail(.redirect(let reason, _)) = self { reason } else { nil }
  }
}
