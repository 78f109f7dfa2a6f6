import Foundation
import Freshet
import Synchronization
import Testing

@Suite struct EndpointTests {
  private struct ShowUser: Endpoint {
    typealias Output = User
    typealias Failure = APIError
    var id: Int
    var path: RequestPath { "users/\(id)" }
  }

  private struct Rename: Endpoint {
    typealias Output = EmptyResponse
    var method: HTTPMethod { .put }
    var path: RequestPath { "users/7?x=1" }
    var query: ParameterList { ["a b": "c&d=é", "tags": [1, 2], "none": nil as Int?, "on": true] }
    var queryEncoding: QueryEncoding { QueryEncoding { $0.arrays = .commas } }
    var headers: HTTPHeaders { ["X-Own": "1"] }
    var body: RequestBody? { get throws(FreshetError) { try .json(["name": "Ann"]) } }
    var options: CallOptions {
      CallOptions {
        $0.timeouts.total = .seconds(5)
        $0.priority = .high
        $0.tags = ["rename"]
        $0.omittedHeaders = ["X-Unwanted"]
        $0.bodyLimit = 4
      }
    }
  }

  private struct Wrapped<Output: Decodable & Sendable>: Endpoint {
    var path: RequestPath { "users" }
    var payload: PayloadPath { "data.user" }
    func isError(_ response: Response<Data>) -> Bool { response.hasValue(at: "error") }
  }

  private struct Raw: Endpoint {
    typealias Output = Data
    var path: RequestPath { "raw" }
  }

  private static let ann = #"{"id":7,"name":"Ann"}"#

  @Test func `two lines make a GET`() async throws {
    let script = ServiceScript(.json(Self.ann))

    let response = try await Client(script).call(ShowUser(id: 7)).value

    #expect(response.value == User(id: 7, name: "Ann"))
    #expect(response.status == 200)
    #expect(script.requests.map(\.method) == [.get])
    #expect(script.urls == ["https://api.test/v1/users/7"])
    #expect(try await Client(script).call(ShowUser(id: 7)).output.name == "Ann")
  }

  @Test func `method, query, headers, body and options are sent as declared`() async throws {
    let script = ServiceScript(.init(status: 204))
    var client = Client(script)
    client = Client { [configuration = client.configuration] in
      $0 = configuration
      $0.headers = ["X-Own": "0", "X-Client": "2", "X-Unwanted": "3"]
    }

    _ = try await client.call(Rename()).value

    let request = try #require(script.requests.first)
    #expect(request.method == .put)
    #expect(
      script.urls == ["https://api.test/v1/users/7?x=1&a%20b=c%26d%3D%C3%A9&tags=1,2&on=true"]
    )
    #expect(request.headers["X-Own"] == "1")
    #expect(request.headers["X-Client"] == "2")
    #expect(request.headers["X-Unwanted"] == nil)
    #expect(request.body?.length == 14)
    #expect(request.body?.contentType == .json)
    #expect(request.timeouts.total == .seconds(5))
    #expect(request.priority == .high)
    #expect(request.tags == ["rename"])
  }

  @Test func `an empty response accepts a body of any type`() async throws {
    let script = ServiceScript(
      .init(headers: [.contentType: "text/plain"], chunks: [Data("OK".utf8)])
    )

    let response = try await Client(script).call(Rename()).value

    #expect(response.value == EmptyResponse())
  }

  @Test func `the body's limit holds`() async throws {
    let call = Client(ServiceScript(.json("12345"))).call(Rename())

    let error = await #expect(throws: CallError<NoErrorModel>.self) { try await call.value }

    guard case .failed(.limitExceeded) = error else { throw try #require(error) }
  }

  @Test func `a switch in a plain catch covers all failures`() async throws {
    let client = Client(ServiceScript(.json(#"{"message":"No"}"#, status: 404)))
    do {
      _ = try await client.call(ShowUser(id: 7)).value
      Issue.record("it has a value")
    } catch {
      switch error {
      case .rejected(let rejection): #expect(rejection.model?.message == "No")
      case .failed(let error): Issue.record(error)
      }
    }
  }

  @Test func `an endpoint without an error model is rejected with status and body`() async throws {
    let call = Client(ServiceScript(.json("no", status: 403))).call(Raw())

    let error = await #expect(throws: CallError<NoErrorModel>.self) { try await call.value }

    guard case .rejected(let rejection) = error else { throw try #require(error) }
    #expect(rejection.status == 403)
    #expect(rejection.body == Data("no".utf8))
    #expect(rejection.decodingFailure == nil)
  }

  @Test func `the payload is unwrapped, and an error within a 200 rejected`() async throws {
    let found = Client(ServiceScript(.json(#"{"data":{"user":\#(Self.ann)},"meta":3}"#)))
    let response = try await found.call(Wrapped<User>()).value
    #expect(response.value.name == "Ann")
    #expect(try response.sibling(at: "meta", as: Int.self) == 3)

    let missing = Client(ServiceScript(.json(#"{"data":{}}"#)))
    #expect(try await missing.call(Wrapped<User?>()).output == nil)
    let error = await #expect(throws: CallError<NoErrorModel>.self) {
      try await missing.call(Wrapped<User>()).value
    }
    guard case .failed(.decoding(let failure, _, _)) = error else { throw try #require(error) }
    #expect(failure.keyPath == "data.user")

    let refused = Client(ServiceScript(.json(#"{"error":{"code":5}}"#)))
    let rejection = await #expect(throws: CallError<NoErrorModel>.self) {
      try await refused.call(Wrapped<User?>()).value
    }
    guard case .rejected = rejection else { throw try #require(rejection) }
  }

  @Test func `bytes are an output`() async throws {
    #expect(try await Client(ServiceScript(.json("{"))).call(Raw()).output == Data("{".utf8))
  }

  @Test(arguments: [
    ("https://api.test/v1", "users/7", "https://api.test/v1/users/7"),
    ("https://api.test/v1/", "users/7", "https://api.test/v1/users/7"),
    ("https://api.test", "users/7", "https://api.test/users/7"),
    ("https://api.test/v1", "/users/7", "https://api.test/v1/users/7"),
    ("https://api.test:8080/v1/", "/users", "https://api.test:8080/v1/users"),
    ("https://api.test/v1", "https://other.test/x?y=1", "https://other.test/x?y=1"),
    ("https://api.test/v1", "users:7", "https://api.test/v1/users:7"),
    ("https://api.test/v1", "users:7//x", "https://api.test/v1/users:7//x"),
    ("https://api.test/v1", "a b/%20?q=c d", "https://api.test/v1/a%20b/%20?q=c%20d"),
    ("https://api.test/v1", "", "https://api.test/v1"),
    ("https://api.test/v1/", "?page=2", "https://api.test/v1/?page=2"),
    ("https://api.test/v1?key=1#f", "users", "https://api.test/v1/users?key=1"),
  ])
  func `paths join the base URL as documented`(base: String, path: String, url: String) async throws
  {
    let script = ServiceScript(.json("{}"))

    _ = try await Client(script, base: base).send(.get(RequestPath(raw: path))).value

    #expect(script.urls == [url])
  }

  @Test(arguments: ["//evil.test/x", "users/%2e%2e/x", "ftp://b.test/", "a%zz"])
  func `refuses paths that lead elsewhere, with the reason`(path: String) async throws {
    let script = ServiceScript(.json("{}"))

    let error = await #expect(throws: FreshetError.self) {
      try await Client(script).send(.get(RequestPath(raw: path))).value
    }

    #expect(error?.kind == "invalidRequest")
    #expect(error?.description.contains("no baseURL") == false)
    #expect(script.requests.isEmpty)
  }

  @Test func `a value is one segment for any content`() async throws {
    let script = ServiceScript(.json("{}"))
    let name = "a/../b?c#d%2F"

    _ = try await Client(script).send(.get("files/\(name)")).value

    #expect(script.urls == ["https://api.test/v1/files/a%2F..%2Fb%3Fc%23d%252F"])
  }

  @Test func `a value that would disappear fails the call`() async throws {
    let script = ServiceScript(.json("{}"))
    let name = ""

    let error = await #expect(throws: FreshetError.self) {
      try await Client(script).send(.get("files/\(name)")).value
    }

    #expect(error?.description.contains("empty") == true)
    #expect(script.requests.isEmpty)
  }

  @Test func `every verb is relative, with query and body`() async throws {
    let script = ServiceScript(.json("{}"))
    let body = try RequestBody.form(["a": 1])
    let requests: [Request] = [
      .get("x", query: ["q": 1]), .head("x", query: ["q": 1]),
      .post("x", query: ["q": 1], body: body), .put("x", query: ["q": 1], body: body),
      .patch("x", query: ["q": 1], body: body), .delete("x", query: ["q": 1]),
    ]

    for request in requests { _ = try await Client(script).send(request).value }

    #expect(script.requests.map(\.method) == [.get, .head, .post, .put, .patch, .delete])
    #expect(Set(script.urls) == ["https://api.test/v1/x?q=1"])
    #expect(script.requests.map { $0.body?.length } == [nil, nil, 3, 3, 3, nil])
  }

  @Test func `a query that cannot be encoded fails the call`() async throws {
    let script = ServiceScript(.json("{}"))

    let error = await #expect(throws: FreshetError.self) {
      try await Client(script).send(.get("x", query: ["q": Double.nan])).value
    }

    #expect(error?.kind == "invalidRequest")
    #expect(error?.description.contains("“q”") == true)
    #expect(script.requests.isEmpty)
  }

  @Test func `adds parameters to a relative request`() async throws {
    let script = ServiceScript(.json("{}"))
    let request = try Request.get("users?a=1#f").with(parameters: ["b": 2])

    _ = try await Client(script).send(request).value

    #expect(script.urls == ["https://api.test/v1/users?a=1&b=2#f"])
  }

  @Test func `a request of any method is relative to the base`() async throws {
    let script = ServiceScript(.json("{}"))
    let body = RequestBody.text("<a/>", contentType: MediaType("application", "xml"))
    let request = Request(HTTPMethod("REPORT"), path: "a b/", query: ["q": 1], body: body)

    _ = try await Client(script).send(request).value

    #expect(script.urls == ["https://api.test/v1/a%20b/?q=1"])
    #expect(script.requests.map(\.method.rawValue) == ["REPORT"])
    #expect(script.requests.map(\.body?.contentType?.description) == ["application/xml"])
  }

  @Test func `credentials of the client go to the base's origin only`() async throws {
    let script = ServiceScript(.json("{}"))
    let client = Client {
      $0.transport = script
      $0.baseURL = URL(string: "https://api.test/v1")
      $0.headers = ["Authorization": "Bearer 1", "X-Api-Key": "2", "Accept": "text/plain"]
    }

    _ = try await client.send(.get("users")).value
    _ = try await client.send(.get("https://api.test/other")).value
    _ = try await client.send(.get("https://other.test/", headers: ["Cookie": "own"])).value

    #expect(script.requests.map { $0.headers["Authorization"] } == ["Bearer 1", "Bearer 1", nil])
    #expect(script.requests.map { $0.headers["X-Api-Key"] } == ["2", "2", nil])
    #expect(script.requests.map { $0.headers["Accept"] == "text/plain" } == [true, true, true])
    #expect(script.requests.last?.headers["Cookie"] == "own")
  }

  @Test(arguments: ["users/7", "/users", "ftp://api.test/", "file:///etc/passwd"])
  func `without a base URL, only http URLs are sent`(path: String) async throws {
    let script = ServiceScript(.json("{}"))

    let error = await #expect(throws: FreshetError.self) {
      try await Client(script, base: nil).send(.get(RequestPath(raw: path))).value
    }

    #expect(error?.kind == "invalidRequest")
    #expect(script.requests.isEmpty)
  }

  @Test func `an endpoint without a request fails the call`() async throws {
    struct Broken: Endpoint {
      typealias Output = EmptyResponse
      var path: RequestPath { "x" }
      var body: RequestBody? {
        get throws(FreshetError) { throw .invalidRequest("it has no name", url: "") }
      }
    }
    let script = ServiceScript(.json("{}"))
    var iterator = Client(script).call(Broken()).makeAsyncIterator()

    let error = await #expect(throws: CallError<NoErrorModel>.self) { try await iterator.next() }
    guard case .failed(.invalidRequest) = error else { throw try #require(error) }
    #expect(try await iterator.next() == nil)
    #expect(script.requests.isEmpty)
  }

  @Test func `members can throw any error, and their results are sent`() async throws {
    struct Save: Endpoint {
      typealias Output = EmptyResponse
      var method: HTTPMethod { .post }
      var path: RequestPath { get throws { "users" } }
      var query: ParameterList { get throws { ["page": 2] } }
      var body: RequestBody? { get throws { try .json(["name": "Ann"]) } }
    }
    let script = ServiceScript(.init(status: 204))

    _ = try await Client(script).call(Save()).value

    #expect(script.urls == ["https://api.test/v1/users?page=2"])
    #expect(script.requests.first?.body?.length == 14)
  }

  @Test func `a member's own error fails the call with the names of member and type`()
    async throws
  {
    struct Incomplete: Error {}
    struct Save: Endpoint {
      typealias Output = EmptyResponse
      var path: RequestPath { "x" }
      var body: RequestBody? { get throws { throw Incomplete() } }
    }
    let script = ServiceScript(.json("{}"))

    let error = await #expect(throws: CallError<NoErrorModel>.self) {
      try await Client(script).call(Save()).value
    }

    guard case .failed(.invalidRequest(let reason, _)) = error else { throw try #require(error) }
    #expect(reason.contains("body"))
    #expect(reason.contains("Incomplete"))
    #expect(script.requests.isEmpty)
  }

  @Test(arguments: [
    ServiceScript.Reply.json(#"{"id":7,"name":"Ann"}"#),
    .json(#"{"message":"No"}"#, status: 404),
    .json("<html>", status: 500),
    .json("<html>"),
    .failure(.connection(.refused, url: "")),
  ])
  func `promise, stream, started call and written chain agree`(reply: ServiceScript.Reply) async {
    let client = Client(ServiceScript(reply))
    let call = client.call(ShowUser(id: 7))
    let chain = client.send(.get("users/7")).reject(as: APIError.self).decode(User.self)

    let results = [
      await result(call),
      await result(chain),
      await Result { () async throws(CallError<APIError>) in try await call.value.value },
      await Result { () async throws(CallError<APIError>) in try await call.start().value.value },
    ]

    #expect(Set(results.map { "\($0)" }).count == 1)
  }

  private func result<Pipeline: AsyncSequence>(
    _ pipeline: Pipeline
  ) async -> Result<User, CallError<APIError>>
  where Pipeline.Element == Event<Response<User>>, Pipeline.Failure == CallError<APIError> {
    await Result { () async throws(CallError<APIError>) in
      var last: User?
      for try await event in pipeline {
        if case .value(let response) = event { last = response.value }
      }
      guard let last else { throw .failed(.noValue) }
      return last
    }
  }

  @Test func `cancelling ends the call once and the transfer with it`() async throws {
    let hang = Hang()
    let script = ServiceScript(.init(chunks: [Data("{".utf8)], hang: hang))
    let call = Client(script).call(ShowUser(id: 7))
    let task = Task {
      await #expect(throws: CallError<APIError>.self) { try await call.value }
    }
    await hang.arrived()

    task.cancel()

    #expect(await task.value == .failed(.cancelled))
    #expect(script.cancelled.withLock { $0 } == 1)
  }

  @Test func `ends after its failure`() async throws {
    var iterator = Client(ServiceScript(.json("{}", status: 400))).call(ShowUser(id: 7))
      .makeAsyncIterator()

    await #expect(throws: CallError<APIError>.self) {
      while (try await iterator.next()) != nil {}
    }

    #expect(try await iterator.next() == nil)
  }
}

extension Result {
  fileprivate init(_ body: () async throws(Failure) -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
