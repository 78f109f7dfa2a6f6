import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct RouterTests {
  private func request(_ path: String, _ method: HTTPMethod = .get) throws -> Request {
    try Request(method, "https://a.org/\(path)")
  }

  private func response(_ status: Int = 200, _ body: String = "{}") -> Response<Data> {
    let url = URL(filePath: "/elsewhere")
    let head = ResponseHead(status: HTTPStatus(status), headers: [:], url: url)
    return Response(head: head, value: Data(body.utf8))
  }

  private func route(_ router: Router, _ path: String) throws -> String? {
    try router.route(for: request(path), response: response())?.pattern
  }

  private func router(_ patterns: [String], basePath: String = "") throws -> Router {
    try Router(basePath: basePath, patterns.map { Route($0, JSONValue.self) })
  }

  @Test(
    arguments: [
      ("users/me", "users/me"), ("users/7", "users/#"), ("users/007", "users/#"),
      ("users/anna", "users/*"), ("users/7a", "users/*"), ("users/٣", "users/*"),
      ("users/7/files", "users/**"), ("users/me/x", "users/**"), ("users", "users"),
      ("x", "*"), ("7", "#"), ("x/y", "**"), ("", ""),
    ]
  )
  func `the most specific pattern matches, in any order`(path: String, pattern: String) throws {
    let patterns = ["**", "users/**", "*", "users/*", "#", "users/#", "users/me", "users", ""]

    #expect(try route(router(patterns), path) == pattern)
    #expect(try route(router(patterns.reversed()), path) == pattern)
  }

  @Test(
    arguments: [
      ("a/2/x", "a/#/x"), ("a/2/y", "a/*/y"), ("a/1/y", "a/1/*"), ("a/b/y", "a/*/y"),
      ("a/b/x", "a/b/x"),
      ("a/b/z", "*/b/z"), ("a/b/q", "**"), ("a/1/q", "a/1/*"), ("a/1/q/r", "**"),
    ]
  )
  func `a branch without a match yields to the next`(path: String, pattern: String) throws {
    let patterns = ["a/b/x", "a/#/x", "a/*/y", "*/b/z", "**", "a/1/*"]

    #expect(try route(router(patterns), path) == pattern)
  }

  @Test(
    arguments: [
      ("", nil), ("a", "a/"), ("a/", "a/"), ("a//", nil), ("/a", nil), ("a//b", nil),
      ("b/c", "/b/*"), ("b/c/", "/b/*"), ("b/", nil), ("b//", nil), ("b", nil), ("c/x/", "c/**"),
      ("c/x//y", nil), ("c", nil), ("c/", nil),
    ]
  )
  func `a trailing slash makes no difference, empty segments match nothing`(
    path: String,
    pattern: String?
  ) throws {
    #expect(try route(router(["a/", "/b/*", "c/**"]), path) == pattern)
  }

  @Test(
    arguments: [
      ("v1/users", "users"), ("v10/users", nil), ("users", nil), ("v1", ""), ("v1/", ""),
      ("V1/users", nil), ("v1/0/users", nil), ("x/v1/users", nil),
    ]
  )
  func `removes the base path by segments`(path: String, pattern: String?) throws {
    for base in ["v1", "/v1", "v1/", "/v1/"] {
      #expect(try route(router(["users", ""], basePath: base), path) == pattern)
    }
  }

  @Test(arguments: ["", "v1", "a/*"])
  func `two asterisks alone also match the base path itself`(base: String) throws {
    let path = base.replacing("*", with: "b")
    let router = try router(["**", "x/**"], basePath: base)
    let slash = path.isEmpty ? "" : "/"

    #expect(try route(router, path) == "**")
    #expect(try route(router, path + slash) == "**")
    #expect(try route(router, path + slash + "x") == "**")
    #expect(try route(router, path + slash + "x/") == "**")
    #expect(try route(router, path + slash + "x/y") == "x/**")
    #expect(try route(self.router(["**", ""], basePath: base), path)?.isEmpty == true)
    #expect(try route(self.router(["x/**"], basePath: base), path) == nil)
    #expect(try route(self.router(["a/b/**", "v1/**"]), path) == nil)
  }

  @Test func `the empty pattern yields to two asterisks if its conditions fail`() throws {
    let routes = [Route("", Int.self).on(.post), Route("**", Int.self)]
    let router = try Router(basePath: "v1", routes)

    #expect(
      try router.route(for: request("v1", .post), response: response())?.pattern?.isEmpty == true
    )
    #expect(try router.route(for: request("v1"), response: response())?.pattern == "**")
  }

  @Test(
    arguments: [
      ("a%2Fb", "*"), ("a/b", "a/b"), ("caf%C3%A9", "café"), ("caf%c3%a9", "café"),
      ("cafe%CC%81", "*"), ("%61/b", "a/b"), ("x%2Ay", "*"), ("%2A", "%2A"), ("%23", "*"),
      ("%31", "#"), ("a%20b", "a b"), ("a:b", "a%3Ab"), ("a%3ab", "a%3Ab"), ("a?b/c#d/e", "*"),
    ]
  )
  func `splits paths before decoding them`(path: String, pattern: String) throws {
    let patterns = ["*", "#", "a/b", "café", "%2A", "a b", "a%3Ab"]

    #expect(try route(router(patterns), path) == pattern)
  }

  @Test(
    arguments: [
      "a/**/b", "**/a", "a//b", "//", "a*", "*a", "a/#1", "***", "a#b", ":id", "a/:id", "a?b",
      "a/..", ".", "%2e", "100%", "%zz", "a\nb",
    ]
  )
  func `refuses patterns that never match or are ambiguous`(pattern: String) throws {
    let error = try #require(throws: Router.InvalidRoute.self) { try router(["x", pattern]) }

    #expect(error.pattern == pattern)
    #expect(error.description.contains("“\(Printable.line(pattern))”"))
    #expect(throws: Router.InvalidRoute.self) { try router([], basePath: pattern) }
  }

  @Test func `refuses a base path that takes everything`() {
    #expect(throws: Router.InvalidRoute.self) { try router(["a"], basePath: "v1/**") }
  }

  @Test func `refuses routes without precedence`() {
    let twins: [[Route]] = [
      [Route("a", Int.self), Route("/a/", String.self)],
      [Route("é", Int.self), Route("%C3%A9", Int.self)],
      [Route("a", Int.self).on(.get, .put), Route("a", Int.self).on(.put, .post)],
      [Route("a", Int.self).status(200...209), Route("a", Int.self).status(205...214)],
      [Route("a", Int.self).when("t", is: "x"), Route("a", Int.self).when("t", is: "x")],
      [Route("a", error: Int.self), Route("a", Int.self).error(String.self)],
      [Route(error: Int.self), Route(error: String.self)],
    ]

    for routes in twins {
      #expect(throws: Router.InvalidRoute.self) { try Router(routes) }
      #expect(throws: Router.InvalidRoute.self) { try Router(routes.reversed()) }
    }
  }

  @Test func `routes of one path differ by method, status and conditions`() throws {
    let routes = [
      Route("a", Int.self),
      Route("a", Int.self).on(.post),
      Route("a", Int.self).on(.put),
      Route("a", Int.self).on(.post).status(201),
      Route("a", Int.self).status(200...299),
      Route("a", Int.self).status(202, 203),
      Route("a", Int.self).when("t", is: "x"),
      Route("a", Int.self).when("t", is: "y"),
      Route("a", Int.self).error(String.self),
    ]

    #expect(throws: Never.self) { try Router(routes.dropLast()) }
    #expect(throws: Never.self) { try Router(routes.dropFirst()) }
    #expect(throws: Router.InvalidRoute.self) { try Router(routes) }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a named method takes precedence, then the narrowest status, then conditions`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let router = try Router(
      [
        Route("*", String.self),
        Route("*", Int8.self).status(200...299),
        Route("*", Int16.self).status(200...204),
        Route("*", Int32.self).status(201),
        Route("*", JSONValue.self).when("t", is: "x"),
        Route("*", UInt8.self).on(.post),
        Route("*", UInt32.self).on(.post).status(200...299),
      ]
      .shuffled(using: &generator)
    )
    #expect(try router.decode(Int32.self, from: response(201, "1"), for: request("a")) == 1)
    #expect(try router.decode(Int16.self, from: response(204, "1"), for: request("a")) == 1)
    #expect(try router.decode(Int8.self, from: response(206, "1"), for: request("a")) == 1)
    #expect(
      try router.decode(UInt32.self, from: response(200, "1"), for: request("a", .post)) == 1
    )
  }

  @Test func `a range of statuses can have any bounds, and yields to a narrower one`() throws {
    let router = try Router([
      Route("a", Int16.self).status(0...Int.max), Route("a", Int8.self).status(200...204),
      Route("a", Int.self),
    ])

    #expect(try router.decode(Int8.self, from: response(200, "1"), for: request("a")) == 1)
    #expect(try router.decode(Int16.self, from: response(206, "1"), for: request("a")) == 1)
    #expect(throws: Router.InvalidRoute.self) {
      try Router([
        Route("a", Int.self).status(0...Int.max), Route("a", Int.self).status(Int.min...Int.max),
      ])
    }
  }

  @Test func `a condition on the body takes precedence over none`() throws {
    let router = try Router([
      Route("*", JSONValue.self).when("t", is: "x"), Route("*", String.self),
    ])

    let json = try router.decode(
      JSONValue.self,
      from: response(200, #"{"t":"x"}"#),
      for: request("a")
    )

    #expect(json["t"] == .string("x"))
    #expect(try router.decode(String.self, from: response(200, #""t""#), for: request("a")) == "t")
  }

  @Test func `a route whose conditions fail yields to other patterns too`() throws {
    let router = try Router([
      Route("users/me", Int.self).on(.get),
      Route("users/*", Int.self).when { !$0.value.isEmpty },
      Route("users/**", Int.self),
    ])
    let found = { (method: HTTPMethod, body: String) in
      try router.route(for: request("users/me", method), response: response(200, body))?.pattern
    }

    #expect(try found(.get, "") == "users/me")
    #expect(try found(.put, "{}") == "users/*")
    #expect(try found(.put, "") == "users/**")
  }

  @Test func `two predicates that both accept are an error`() throws {
    let router = try Router([
      Route("a", Int.self).when { $0.value.count > 1 },
      Route("a", Int.self).when { $0.value.count > 2 },
    ])

    #expect(try router.route(for: request("a"), response: response(200, "12")) != nil)
    let error = try #require(throws: RouteError.self) {
      try router.route(for: request("a"), response: response(200, "123"))
    }
    guard case .ambiguous(let patterns, _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(patterns == ["a", "a"])
  }

  @Test func `uses the original URL and not the final one`() throws {
    var redirected = response()
    redirected.head.url = URL(filePath: "/b")

    #expect(try router(["a"]).route(for: request("a"), response: redirected)?.pattern == "a")
  }

  @Test(
    arguments: [
      "https://a.org", "https://a.org/", "https://a.org?x=/a", "https://a.org#/a",
    ]
  )
  func `a URL without a path is the empty pattern`(url: String) throws {
    let router = try router(["", "a", "**"])

    #expect(try router.route(for: Request(url), response: response())?.pattern?.isEmpty == true)
  }
}
