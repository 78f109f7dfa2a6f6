import Foundation
import Freshet
import Testing

@Suite struct RouterDecodingTests {
  struct User: Codable, Equatable { var name: String }
  struct Org: Codable, Equatable { var title: String }
  struct Problem: Codable, Equatable { var message: String }

  private func request(_ path: String, _ method: HTTPMethod = .get) throws -> Request {
    try Request(method, "https://a.org/\(path)?token=s3cret")
  }

  private func response(_ body: String, _ status: Int = 200) throws -> Response<Data> {
    let url = try #require(URL(string: "https://a.org/"))
    let head = ResponseHead(status: HTTPStatus(status), headers: ["X-Id": "7"], url: url)
    return Response(head: head, value: Data(body.utf8))
  }

  @Test func `decodes the requested model`() throws {
    let router = try Router([Route("users/*", User.self), Route("users", [User].self)])

    let one: User = try router.decode(from: response(#"{"name":"A"}"#), for: request("users/7"))
    let all = try router.decode(
      [User].self,
      from: response(#"[{"name":"A"}]"#),
      for: request("users")
    )

    #expect(one == User(name: "A"))
    #expect(all == [one])
  }

  @Test func `accepts a model that can be cast to the requested type`() throws {
    let router = try Router([Route("users/*", User.self)])
    let answer = try response(#"{"name":"A"}"#)

    #expect(try router.decode(User?.self, from: answer, for: request("users/7")) == User(name: "A"))
    let any = try router.decode((any Sendable).self, from: answer, for: request("users/7"))
    #expect(any is User)
  }

  @Test func `a mismatch names both types`() throws {
    let router = try Router([Route("users/*", User.self)])

    let error = try #require(throws: RouteError.self) {
      try router.decode(Org.self, from: response(#"{"name":"A"}"#), for: request("users/7"))
    }

    guard case .mismatch("Org", "User", "users/*") = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.contains("Org") && error.description.contains("User"))
  }

  @Test(
    arguments: [
      ("data", #"{"data":{"name":"A"},"meta":1}"#),
      ("data.items.1", #"{"data":{"items":[0,{"name":"A"}]}}"#),
      ("0", #"[{"name":"A"}]"#), ("a.0.b", #"{"a":[{"b":{"name":"A"}}]}"#),
    ]
  )
  func `takes the payload from its envelope`(path: PayloadPath, body: String) throws {
    let router = try Router([Route("users/*", User.self).unwrap(path)])

    #expect(
      try router.decode(User.self, from: response(body), for: request("users/7")) == User(name: "A")
    )
  }

  @Test(
    arguments: [
      "{}", #"{"data":null}"#, #"{"data":{}}"#, #"{"data":{"items":null}}"#,
      #"{"data":{"items":[]}}"#, #"{"data":[]}"#, #"{"data":7}"#, "[]",
      #"{"data":{"items":[null]}}"#,
    ]
  )
  func `a payload that is missing or null is an error unless it is optional`(body: String) throws {
    let strict = try Router([Route("*", User.self).unwrap("data.items.0")])
    let lenient = try Router([Route("*", User?.self).unwrap("data.items.0")])

    let error = #expect(throws: RouteError.self) {
      try strict.decode(User.self, from: response(body), for: request("x"))
    }
    #expect(error?.description.contains("data") == true || body == "[]")
    #expect(try lenient.decode(User?.self, from: response(body), for: request("x")) == nil)
  }

  @Test(arguments: [("", HTTPMethod.head), ("", .get), (" \n", .get), ("null", .get)])
  func `a response without a body is nil for an optional model`(
    body: String,
    method: HTTPMethod
  ) throws {
    let router = try Router([
      Route("users/*", User.self), Route("users", [User].self),
      Route("data", User.self).unwrap("data"), Route("page", [User].self, as: .lenient()),
    ])
    let status = body.isEmpty && method == .get ? 204 : 200
    let answer = try response(body, status)
    let one = try request("users/7", method)

    #expect(try router.decode(User?.self, from: answer, for: one) == nil)
    #expect(try router.decode([User]?.self, from: answer, for: request("users", method)) == nil)
    #expect(try router.decode(User?.self, from: answer, for: request("data", method)) == nil)
    #expect(try router.decode([User]?.self, from: answer, for: request("page", method)) == nil)
    #expect(try router.decode(EmptyResponse.self, from: answer, for: one) == EmptyResponse())
    #expect(throws: RouteError.self) { try router.decode(User.self, from: answer, for: one) }
  }

  @Test(arguments: ["{}", #"{"data":null}"#, #"{"data":{}}"#])
  func `a missing payload is nil for an optional model`(
    body: String
  ) throws {
    let router = try Router([Route("*", User.self).unwrap("data.user")])

    #expect(try router.decode(User?.self, from: response(body), for: request("x")) == nil)
  }

  @Test(arguments: ["[]", "7", #"{"nam":"A"}"#, "nul", #"{"name":null}"#])
  func `a body of another model is not a missing one`(body: String) throws {
    let router = try Router([Route("*", User.self)])

    #expect(throws: RouteError.self) {
      try router.decode(User?.self, from: response(body), for: request("x"))
    }
  }

  @Test func `a missing payload is nil for neither another model nor an error response`() throws {
    let router = try Router([Route("users/*", User.self)])
    let one = try request("users/7", .head)

    #expect(throws: RouteError.self) {
      try router.decode(Org?.self, from: response(""), for: one)
    }
    #expect(throws: RouteError.self) {
      try router.decode(User?.self, from: response("", 404), for: one)
    }
  }

  @Test func `reads dates in an envelope as the decoder does`() throws {
    let router = try Router([Route("*", Date.self).unwrap("a.0")]) { options in
      options.decoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
      }
    }

    let date = try router.decode(Date.self, from: response(#"{"a":[7]}"#), for: request("x"))

    #expect(date == Date(timeIntervalSince1970: 7))
  }

  @Test func `a decoding error names the place and keeps the response`() throws {
    let router = try Router([Route("*", [User].self).unwrap("data")])
    let answer = try response(#"{"data":[{"name":"A"},{"name":42}]}"#)

    let error = try #require(throws: RouteError.self) {
      try router.decode([User].self, from: answer, for: request("x"))
    }

    guard case .undecodable(let failure) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(failure.failure.keyPath == "data[1].name" && failure.failure.target == "Array<User>")
    #expect(failure.response.value == answer.value)
    #expect(error.description.contains("data[1].name"))
  }

  @Test func `an error response is a rejection with the model of its route`() throws {
    let router = try Router([
      Route("users/*", User.self).error(Problem.self),
      Route(error: Org.self),
      Route("orgs/*", Org.self).unwrap("data"),
    ])
    let rejection = { (path: String, body: String) throws -> RouteError.Rejection in
      let error = try #require(throws: RouteError.self) {
        try router.decode(User.self, from: response(body, 404), for: request(path))
      }
      guard case .rejected(let rejection) = error else { throw error }
      return rejection
    }

    let user = try rejection("users/7", #"{"message":"none"}"#)
    #expect(user.model(as: Problem.self) == Problem(message: "none"))
    #expect(user.response.status == .notFound && user.response.headers["X-Id"] == "7")
    #expect(try rejection("orgs/7", #"{"title":"x"}"#).model(as: Org.self) == Org(title: "x"))
    #expect(try rejection("none", #"{"title":"x"}"#).model(as: Org.self) == Org(title: "x"))
    #expect(try rejection("", #"{"title":"x"}"#).model(as: Org.self) == Org(title: "x"))
    let broken = try rejection("users/7", "<html>")
    #expect(broken.model == nil && broken.decodingFailure != nil)
    #expect(broken.response.value == Data("<html>".utf8))
  }

  @Test func `an error without any model is that error`() throws {
    let router = try Router([Route("users/*", User.self)])

    let error = try #require(throws: RouteError.self) {
      try router.decode(User.self, from: response("x", 500), for: request("users/7"))
    }

    guard case .rejected(let rejection) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(rejection.model == nil && rejection.decodingFailure == nil)
    #expect(rejection.response.status.rawValue == 500)
  }

  @Test func `a route for the status makes it a success`() throws {
    let router = try Router([
      Route("users/*", User.self).error(Problem.self),
      Route("**", Problem.self).status(409),
    ])

    let problem = try router.decode(
      Problem.self,
      from: response(#"{"message":"x"}"#, 409),
      for: request("users/7")
    )

    #expect(problem == Problem(message: "x"))
  }

  @Test func `a predicate, also on the body, decides about errors`() throws {
    let router = try Router([Route("*", User.self).error(Problem.self)]) { options in
      options.isError = { $0.value.starts(with: Data(#"{"message"#.utf8)) }
    }

    #expect(throws: RouteError.self) {
      try router.decode(User.self, from: response(#"{"message":"x"}"#), for: request("a"))
    }
    #expect(
      try router.decode(User.self, from: response(#"{"name":"A"}"#, 404), for: request("a"))
        == User(name: "A")
    )
  }

  @Test func `a field of the body chooses the model`() throws {
    let router = try Router([
      Route("accounts/*", User.self).when("meta.type", is: "user"),
      Route("accounts/*", Org.self).when("meta.type", is: "org"),
      Route("accounts/*", JSONValue.self),
    ])
    let decode = { (body: String) in
      try router.decode((any Sendable).self, from: response(body), for: request("accounts/7"))
    }

    #expect(try decode(#"{"meta":{"type":"user"},"name":"A"}"#) is User)
    #expect(try decode(#"{"meta":{"type":"org"},"title":"A"}"#) is Org)
    #expect(try decode(#"{"meta":{"type":7}}"#) is JSONValue)
    #expect(try decode("[]") is JSONValue)
  }

  @Test func `the method and the status choose the model`() throws {
    let router = try Router([
      Route("users", [User].self),
      Route("users", User.self).on(.post).status(201),
      Route("users", Org.self).on(.post).status(202...299),
    ])
    let user = try response(#"{"name":"A"}"#, 201)
    let org = try response(#"{"title":"A"}"#, 202)

    #expect(try router.decode(User.self, from: user, for: request("users", .post)).name == "A")
    #expect(try router.decode(Org.self, from: org, for: request("users", .post)).title == "A")
  }

  @Test func `unmatched is an error that shows no query`() throws {
    let error = try #require(throws: RouteError.self) {
      try Router([]).decode(User.self, from: response("{}"), for: request("users/7"))
    }

    guard case .unmatched(.get, "https://a.org/users/7") = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test func `unmatched is raw JSON by choice`() throws {
    let router = try Router([]) { $0.unmatched = .raw }
    let answer = try response(#"{"a":[1,2.5,"x",true,null]}"#)

    let json = try router.decode(JSONValue.self, from: answer, for: request("x"))

    #expect(
      json
        == .object(["a": .array([.integer(1), .number(2.5), .string("x"), .boolean(true), .null])])
    )
    #expect(json["a"]?[2] == .string("x"))
    #expect(try router.decode(Data.self, from: answer, for: request("x")) == answer.value)
    #expect(throws: RouteError.self) {
      try router.decode(User.self, from: answer, for: request("x"))
    }
    #expect(throws: RouteError.self) {
      try router.decode(JSONValue.self, from: response("<html>"), for: request("x"))
    }
  }

  @Test func `a JSON value says what is wrong with a part of it`() throws {
    let text = #"[{"a":[[1e400]]}]"#

    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    #expect(!String(describing: error).contains("Dictionary"))
  }

  @Test func `unmatched and without a body is null by choice`() throws {
    let router = try Router([]) { $0.unmatched = .raw }

    #expect(try router.decode(JSONValue.self, from: response("", 204), for: request("x")) == .null)
  }

  @Test func `a payload is not looked for in an empty body`() throws {
    let router = try Router([
      Route("users", User?.self).unwrap("data"), Route("none", EmptyResponse.self).unwrap("data"),
      Route("must", User.self).unwrap("data"),
    ])

    #expect(try router.decode(User?.self, from: response("", 204), for: request("users")) == nil)
    #expect(
      try router.decode(EmptyResponse.self, from: response("", 204), for: request("none"))
        == EmptyResponse()
    )
    #expect(throws: RouteError.self) {
      try router.decode(User.self, from: response("", 204), for: request("must"))
    }
  }

  @Test func `a route has a decoding of its own: text, property lists, lenient, an envelope`()
    async throws
  {
    struct Page: Envelope {
      var data: [Int]
      var next: String
      var payload: [Int] { data }
    }
    let router = try Router([
      Route("motd", String.self, as: .text),
      Route("list", [String: Int].self, as: .propertyList),
      Route("some", [Int].self, as: .lenient()).unwrap("data"),
      Route("page", [Int].self, as: .unwrapping(Page.self)),
    ])
    let list = try PropertyListEncoder().encode(["a": 1])

    #expect(try router.decode(String.self, from: response("hi"), for: request("motd")) == "hi")
    let plist = try response(String(decoding: list, as: UTF8.self))
    let text = plist.map { _ in list }
    #expect(try router.decode([String: Int].self, from: text, for: request("list")) == ["a": 1])

    let script = ServiceScript(.json(#"{"data":[1,"x",3]}"#), .json(#"{"data":[1],"next":"b"}"#))
    let some = try await Client(script).send(.get("https://a.test/some"))
      .decode([Int].self, by: router).value
    let page = try await Client(script).send(.get("https://a.test/page"))
      .decode([Int].self, by: router).value
    #expect(some.value == [1, 3] && some.skipped.map(\.keyPath) == ["data[1]"])
    #expect(page.value == [1] && page.envelope(as: Page.self)?.next == "b")
  }

  @Test(arguments: [#"{"id":7,"name":"Ann"}"#, "x"])
  func `a router's promise and stream are the same, by value and by failure`(
    body: String
  )
    async throws
  {
    let router = try Router([Route("users/#", User.self)])
    let client = Client(ServiceScript(.json(body)), base: "https://a.test")
    let call = client.send(.get("users/7")).decode(User.self, by: router)

    var streamed: Result<User?, RouteError> = .success(nil)
    do throws(RouteError) {
      var iterator = call.values.makeAsyncIterator()
      while let next = try await iterator.next(isolation: #isolation) {
        streamed = .success(next.value)
      }
    } catch {
      streamed = .failure(error)
    }
    let awaited: Result<User?, RouteError>
    do throws(RouteError) {
      awaited = .success(try await call.value.value)
    } catch {
      awaited = .failure(error)
    }

    #expect("\(streamed)" == "\(awaited)")
  }

  @Test func `bytes are the received ones, and a missing body is empty`() throws {
    let router = try Router([
      Route("avatar", Data.self),
      Route("users/*", User?.self).on(.delete),
    ])

    #expect(
      try router.decode(Data.self, from: response("\u{1}\u{2}"), for: request("avatar"))
        == Data([1, 2])
    )
    #expect(
      try router.decode(User?.self, from: response("", 204), for: request("users/7", .delete))
        == nil
    )
  }
}
