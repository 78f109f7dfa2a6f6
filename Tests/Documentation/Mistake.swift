import Testing

/// A mistake that somebody who has read the documentation makes, what the compiler says of it, and what
/// was meant.
struct Mistake: CustomTestStringConvertible, Sendable {
  let name: String
  /// Statements of a function that has a `client`, a `url` and a `draft`.
  let code: String
  /// A part of an error.
  let message: String
  /// The statements as they should be.
  let mend: String

  var testDescription: String { name }

  init(_ name: String, _ code: String, says message: String, write mend: String) {
    self.name = name
    self.code = code
    self.message = message
    self.mend = mend
  }

  static let all = members + stages + orders + streams + words

  /// Members of an endpoint that would be left out of its request without a word.
  private static let members = [
    member(
      "a method that is a text",
      "let method = \"POST\"",
      says: "`method` is not an HTTPMethod; write `var method: HTTPMethod { .post }`",
      write: "var method: HTTPMethod { .post }"
    ),
    member(
      "headers that are a dictionary",
      "let headers = [\"X-Key\": \"1\"]",
      says: "`headers` is not HTTPHeaders; write `var headers: HTTPHeaders { [\"X-Key\": key] }`",
      write: "let headers: HTTPHeaders = [\"X-Key\": \"1\"]"
    ),
    member(
      "a query that is a dictionary",
      "var query: [String: String] { [\"page\": \"2\"] }",
      says: "`query` is not a ParameterList; write `var query: ParameterList { [\"page\": page] }`",
      write: "var query: ParameterList { [\"page\": \"2\"] }"
    ),
    member(
      "a query of URL components",
      "var query: [URLQueryItem] { [URLQueryItem(name: \"page\", value: \"2\")] }",
      says: "`query` is not a ParameterList",
      write: "var query: ParameterList { [\"page\": 2] }"
    ),
    member(
      "a body that is not optional",
      "var body: RequestBody { .text(\"x\") }",
      says: "`body` is not an optional RequestBody",
      write: "var body: RequestBody? { .text(\"x\") }"
    ),
    member(
      "a body that is a model",
      "var body: User { User(id: 1, name: \"Ann\") }",
      says: "`body` is not an optional RequestBody; "
        + "write `var body: RequestBody? { get throws { try .json(draft) } }`",
      write: "var body: RequestBody? { get throws { try .json(User(id: 1, name: \"Ann\")) } }"
    ),
    member(
      "a payload that is a text",
      "let payload = \"data.user\"",
      says: "`payload` is not a PayloadPath; write `var payload: PayloadPath { \"data.user\" }`",
      write: "let payload: PayloadPath = \"data.user\""
    ),
    member(
      "content types that are an array of texts",
      "let contentTypes = [\"text/csv\"]",
      says: "`contentTypes` is not ContentTypes; write `var contentTypes: ContentTypes",
      write: "let contentTypes = ContentTypes([\"text/csv\"])"
    ),
    member(
      "options that are a policy",
      "var options: ResourcePolicy { ResourcePolicy() }",
      says: "`options` is not CallOptions",
      write: "var options: CallOptions { CallOptions { $0.useStores() } }"
    ),
    member(
      "an encoding of the query by its name",
      "let queryEncoding = \"commas\"",
      says: "`queryEncoding` is not a QueryEncoding",
      write: "var queryEncoding: QueryEncoding { QueryEncoding { $0.arrays = .commas } }"
    ),
    member(
      "a decoding that is a decoder",
      "let decoding = JSONDecoder()",
      says: "`decoding` is not a Decoding of the Output",
      write: "var decoding: Decoding<User> { .json { JSONDecoder() } }"
    ),
    member(
      "a decoding of something else",
      "var decoding: Decoding<[User]> { .json }",
      says: "`decoding` is not a Decoding of the Output",
      write: "var decoding: Decoding<User> { .json }"
    ),
    member(
      "an error's decoding that is a decoder",
      "let errorDecoding = JSONDecoder()",
      says: "`errorDecoding` is not a Decoding of the Failure",
      write: "var errorDecoding: Decoding<Failure> { .json { JSONDecoder() } }"
    ),
    member(
      "a judgement of the head",
      "func isError(_ head: ResponseHead) -> Bool { head.status == 418 }",
      says: "write `func isError(_ response: Response<Data>) -> Bool`",
      write: "func isError(_ response: Response<Data>) -> Bool { response.status == 418 }"
    ),
    member(
      "a judgement that throws",
      "func isError(_ response: Response<Data>) throws -> Bool { response.status == 418 }",
      says: "`isError(_:)` takes or returns something else, or throws",
      write: "func isError(_ response: Response<Data>) -> Bool { response.status == 418 }"
    ),
    member(
      "a path that is a text",
      "let path = \"users\"",
      path: "",
      says: "does not conform to protocol 'Endpoint'",
      write: "let path: RequestPath = \"users\""
    ),
  ]

  /// Functions of a stage that would never be called.
  private static let stages = [
    stage(
      "a stage that throws any error",
      "func reply(to step: Fetch) async throws -> Fetch.Reply { .pass }",
      says: "write `func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply`",
      write: "func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply { .pass }"
    ),
    stage(
      "a stage that always replies at once",
      "func replyNow(to step: Fetch) -> Fetch.Reply { .pass }",
      says: "write `func replyNow(to step: Fetch) throws(FreshetError) -> Fetch.Reply?`",
      write: "func replyNow(to step: Fetch) -> Fetch.Reply? { .pass }"
    ),
    stage(
      "a stage that handles failures and throws any error",
      "func reply(to failure: FreshetError) async throws -> Fetch.Reply { .nothing }",
      says: "`func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply`",
      write: "func reply(to failure: FreshetError) -> Fetch.Reply { .nothing }"
    ),
    stage(
      "a stage that always sends a request",
      "let url: URL; func request(for step: Fetch) -> Request { Request(url) }",
      says: "write `func request(for step: Fetch) -> Request?`",
      write: "func request(for step: Fetch) -> Request? { nil }"
    ),
    stage(
      "a stage whose name is a text",
      "let name = \"report\"",
      says: "write `var name: StageName { \"reportDownloads\" }`",
      write: "let name: StageName = \"report\""
    ),
    Mistake(
      "keys that are texts",
      "struct Row: KeyMapped { static let keys = [\"a\": \"b.c\"]; var a: Int }; _ = Row.self",
      says: "does not conform to protocol 'KeyMapped'",
      write: """
        struct Row: KeyMapped { static let keys: [String: PayloadPath] = ["a": "b.c"]; var a: Int }
        _ = Row.self
        """
    ),
  ]

  /// Stages in a wrong order.
  private static let orders = [
    Mistake(
      "decode before reject",
      "_ = try await client.send(.get(\"users/7\")).decode(User.self).reject(as: Fault.self).value",
      says: "write `.reject(as:)` once, and before `.decode(_:)`",
      write:
        "_ = try await client.send(.get(\"users/7\")).reject(as: Fault.self).decode(User.self).value"
    ),
    Mistake(
      "decode before reject with a predicate",
      """
      _ = client.send(.get("users/7")).decode(User.self)
        .reject(as: Fault.self) { $0.hasValue(at: "error") }
      """,
      says: "write `.reject(as:)` once, and before `.decode(_:)`",
      write: """
        _ = client.send(.get("users/7"))
          .reject(as: Fault.self) { $0.hasValue(at: "error") }
          .decode(User.self)
        """
    ),
    Mistake(
      "decode before unwrap",
      "_ = try await client.send(.get(\"users/7\")).decode(User.self).unwrap(at: \"data\").value",
      says: "write `.unwrap(at:)` before `.decode(_:)`",
      write:
        "_ = try await client.send(.get(\"users/7\")).unwrap(at: \"data\").decode(User.self).value"
    ),
    Mistake(
      "decode before validate",
      "_ = try await client.send(.get(\"users/7\")).decode(User.self).validate().value",
      says: "write `.validate()` before `.decode(_:)`",
      write: "_ = try await client.send(.get(\"users/7\")).validate().decode(User.self).value"
    ),
    Mistake(
      "two rejections",
      "_ = client.send(.get(\"users/7\")).reject(as: Fault.self).reject(as: Fault.self)",
      says: "write `.reject(as:)` once",
      write: "_ = client.send(.get(\"users/7\")).reject(as: Fault.self)"
    ),
    Mistake(
      "reject before a router",
      """
      let router = try Router([Route("users/#", User.self)])
      _ = client.send(.get("users/7")).reject(as: Fault.self).decode(User.self, by: router)
      """,
      says: "leave `.reject(as:)` out, and give the router `Route(error:)`",
      write: """
        let router = try Router([Route("users/#", User.self), Route(error: Fault.self)])
        _ = client.send(.get("users/7")).decode(User.self, by: router)
        """
    ),
    Mistake(
      "decoding what an endpoint has decoded",
      "_ = try await client.call(ShowUser()).decode(User.self).value",
      says: "the body has been decoded",
      write: "_ = try await client.call(ShowUser()).output"
    ),
    Mistake(
      "rejecting a resource",
      "_ = client.resource(at: url).reject(as: Fault.self)",
      says: "a resource has no error model",
      write: "_ = client.send(Request(url)) { $0.useStores() }.reject(as: Fault.self)"
    ),
    Mistake(
      "validating a resource",
      "_ = client.resource(at: url).validate()",
      says: "a resource is valid",
      write: "_ = client.resource(at: url)"
    ),
    Mistake(
      "unwrapping a resource",
      "_ = client.resource(at: url).unwrap(at: \"data\")",
      says: "a resource has no envelope",
      write:
        "_ = client.send(Request(url)) { $0.useStores() }.unwrap(at: \"data\")"
    ),
    Mistake(
      "a retry as a stage",
      "_ = client.send(.get(\"users/7\")).retry(3).decode(User.self)",
      says: "a call is retried by its client",
      write: "_ = client.send(.get(\"users/7\")) { $0.retry = .standard }.decode(User.self)"
    ),
  ]

  /// Operators of pipelines that streams, batches and chains do not have.
  private static let streams = [
    Mistake(
      "a value of a stream",
      "_ = try await client.stream(.get(\"log\")).value",
      says: "write `client.send(request).value`",
      write: "_ = try await client.send(.get(\"log\")).value"
    ),
    Mistake(
      "sharing a stream",
      "_ = client.stream(.get(\"log\")).share()",
      says: "write `client.resource(at: url).share()`",
      write: "_ = client.resource(at: url).share()"
    ),
    Mistake(
      "a stream after another",
      "_ = client.stream(.get(\"a\")).fallback(to: client.stream(.get(\"b\")))",
      says: "a stream may fail in its middle",
      write:
        "_ = client.send(.get(\"a\")).validate().fallback(to: client.send(.get(\"b\")).validate())"
    ),
    Mistake(
      "a value of events",
      "_ = try await client.events(.get(\"events\")).value",
      says: "write `for try await event in stream`",
      write: "for try await event in client.events(.get(\"events\")) { print(event) }"
    ),
    Mistake(
      "sharing events",
      "_ = client.events(.get(\"events\")).share()",
      says: "a stream has one reader",
      write: "for try await event in client.events(.get(\"events\")) { print(event) }"
    ),
    Mistake(
      "events after others",
      "_ = client.events(.get(\"a\")).fallback(to: client.events(.get(\"b\")))",
      says: "a stream connects again by itself",
      write: "for try await event in client.events(.get(\"a\")) { print(event) }"
    ),
    Mistake(
      "a value of a batch",
      "_ = try await client.batch([url]).value",
      says: "write `batch.run().value`",
      write: "_ = try await client.batch([url]).run().value"
    ),
    Mistake(
      "sharing a batch",
      "_ = client.batch([url]).share()",
      says: "write `batch.run().share()`",
      write: "_ = client.batch([url]).run().share()"
    ),
    Mistake(
      "a value of a chain",
      "_ = try await client.chain(for: Request(url)).value",
      says: "write `chain.settle().value`",
      write: "_ = try await client.chain(for: Request(url)).settle().value"
    ),
    Mistake(
      "sharing a chain",
      "_ = client.chain(for: Request(url)).share()",
      says: "write `chain.settle().share()`",
      write: "_ = client.chain(for: Request(url)).settle().share()"
    ),
    Mistake(
      "a chain after another",
      "let chain = client.chain(for: Request(url)); _ = chain.fallback(to: chain)",
      says: "write `chain.settle().fallback(to: other)`",
      write:
        "let chain = client.chain(for: Request(url)); _ = chain.settle().fallback(to: chain.settle())"
    ),
  ]

  /// Names and labels that are another library's, or a guess.
  private static let words = [
    Mistake(
      "a global client",
      "_ = Client.shared.resource(at: url)",
      says: "there is no shared client",
      write: "_ = client.resource(at: url)"
    ),
    Mistake(
      "a client of a base URL",
      "_ = Client(baseURL: url)",
      says: "write `Client { $0.baseURL = url }`",
      write: "_ = Client { $0.baseURL = url }"
    ),
    Mistake(
      "a resource without a label",
      "_ = client.resource(url)",
      says: "write `client.resource(at: url)`",
      write: "_ = client.resource(at: url)"
    ),
    Mistake(
      "a resource of a text",
      "_ = client.resource(at: \"https://example.org/\")",
      says: "write `client.resource(try Request(text))`",
      write: "_ = client.resource(try Request(\"https://example.org/\"))"
    ),
    Mistake(
      "sending an endpoint",
      "_ = client.send(ShowUser())",
      says: "use `client.call(endpoint)` for an endpoint",
      write: "_ = client.call(ShowUser())"
    ),
    Mistake(
      "calling a request",
      "_ = client.call(.get(\"users/7\"))",
      says: "use `client.send(request)` for a request",
      write: "_ = client.send(.get(\"users/7\"))"
    ),
    Mistake(
      "a verb of the client",
      "_ = client.get(\"users/7\")",
      says: "write `client.send(.get(path))`",
      write: "_ = client.send(.get(\"users/7\"))"
    ),
    Mistake(
      "a policy beside a request",
      "_ = client.send(.get(\"users/7\"), policy: ResourcePolicy())",
      says: "write `client.send(request) { $0.cache = policy }`",
      write: "_ = client.send(.get(\"users/7\")) { $0.useStores() }"
    ),
    Mistake(
      "headers beside a request",
      "_ = client.send(.get(\"users/7\"), headers: [\"X-Key\": \"1\"])",
      says: "write `client.send(.get(path, headers: headers))`",
      write: "_ = client.send(.get(\"users/7\", headers: [\"X-Key\": \"1\"]))"
    ),
    Mistake(
      "a request of a URL as a path",
      "_ = client.send(.get(url))",
      says: "write `Request(url)`",
      write: "_ = client.send(Request(url))"
    ),
    Mistake(
      "a path that was put together",
      "let path = \"users/\" + draft.name; _ = client.send(.get(path))",
      says: "expected argument type 'RequestPath'",
      write: "_ = client.send(.get(\"users/\\(draft.name)\"))"
    ),
    Mistake(
      "a model as a body",
      "_ = client.send(.post(\"users\", body: draft))",
      says: "write `.post(path, body: try .json(value))`",
      write: "_ = client.send(.post(\"users\", body: try .json(draft)))"
    ),
    Mistake(
      "a response for its value",
      "let user: User = try await client.send(.get(\"users/7\")).decode(User.self).value; _ = user",
      says: "cannot convert value of type 'Response<User>' to specified type 'User'",
      write:
        "let user: User = try await client.send(.get(\"users/7\")).decode(User.self).value.value; _ = user"
    ),
    Mistake(
      "a failure without its URL",
      "do { _ = try await client.resource(at: url).value } catch .connection(.refused) {}",
      says: "'(FreshetError.ConnectionFailure, url: String)' has no member 'refused'",
      write: "do { _ = try await client.resource(at: url).value } catch .connection(.refused, _) {}"
    ),
    Mistake(
      "an event for its value",
      "for try await resource in client.resource(at: url) { print(resource.source) }",
      says: "'Event<Resource>' has no member 'source'",
      write: "for try await resource in client.resource(at: url).values { print(resource.source) }"
    ),
    Mistake(
      "a batch that does not run",
      "for try await event in client.batch([url]) { print(event) }",
      says: "requires 'Batch' to conform to 'AsyncSequence'",
      write: "for try await event in client.batch([url]).run() { print(event) }"
    ),
  ]

  private static func member(
    _ name: String,
    _ code: String,
    path: String = "var path: RequestPath { \"users\" }",
    says message: String,
    write mend: String
  ) -> Mistake {
    func endpoint(_ member: String) -> String {
      """
      struct Call: Endpoint {
        typealias Output = User
        \(path)
        \(member)
      }
      _ = client.call(Call())
      """
    }
    return Mistake(name, endpoint(code), says: message, write: endpoint(mend))
  }

  private static func stage(
    _ name: String,
    _ code: String,
    says message: String,
    write mend: String
  ) -> Mistake {
    func stage(_ member: String) -> String {
      """
      struct Report: FetchStage {
        var handles: Fetch.Kinds { .downloaded }
        \(member)
      }
      _ = Report.self
      """
    }
    return Mistake(name, stage(code), says: message, write: stage(mend))
  }
}
