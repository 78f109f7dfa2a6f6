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

  static let all = members

  /// Members of an endpoint that would be left out of its request without a word.
  private static let members = [
    member(
      "a method that is a text",
      "let method = \"POST\"",
      says: "`method` is no HTTPMethod; write `var method: HTTPMethod { .post }`",
      write: "var method: HTTPMethod { .post }"
    ),
    member(
      "headers that are a dictionary",
      "let headers = [\"X-Key\": \"1\"]",
      says: "`headers` is no HTTPHeaders; write `var headers: HTTPHeaders { [\"X-Key\": key] }`",
      write: "let headers: HTTPHeaders = [\"X-Key\": \"1\"]"
    ),
    member(
      "a query that is a dictionary",
      "var query: [String: String] { [\"page\": \"2\"] }",
      says: "`query` is no ParameterList; write `var query: ParameterList { [\"page\": page] }`",
      write: "var query: ParameterList { [\"page\": \"2\"] }"
    ),
    member(
      "a query of URL components",
      "var query: [URLQueryItem] { [URLQueryItem(name: \"page\", value: \"2\")] }",
      says: "`query` is no ParameterList",
      write: "var query: ParameterList { [\"page\": 2] }"
    ),
    member(
      "a body that is not optional",
      "var body: RequestBody { .text(\"x\") }",
      says: "`body` is no optional RequestBody",
      write: "var body: RequestBody? { .text(\"x\") }"
    ),
    member(
      "a body that is a model",
      "var body: User { User(id: 1, name: \"Ann\") }",
      says: "`body` is no optional RequestBody; "
        + "write `var body: RequestBody? { get throws { try .json(draft) } }`",
      write: "var body: RequestBody? { get throws { try .json(User(id: 1, name: \"Ann\")) } }"
    ),
    member(
      "a payload that is a text",
      "let payload = \"data.user\"",
      says: "`payload` is no PayloadPath; write `var payload: PayloadPath { \"data.user\" }`",
      write: "let payload: PayloadPath = \"data.user\""
    ),
    member(
      "options that are a policy",
      "var options: ResourcePolicy { ResourcePolicy() }",
      says: "`options` is no CallOptions",
      write: "var options: CallOptions { CallOptions { $0.cache = ResourcePolicy() } }"
    ),
    member(
      "an encoding of the query by its name",
      "let queryEncoding = \"commas\"",
      says: "`queryEncoding` is no QueryEncoding",
      write: "var queryEncoding: QueryEncoding { QueryEncoding { $0.arrays = .commas } }"
    ),
    member(
      "a decoding that is a decoder",
      "let decoding = JSONDecoder()",
      says: "`decoding` is no Decoding of the Output",
      write: "var decoding: Decoding<User> { .json { JSONDecoder() } }"
    ),
    member(
      "a decoding of something else",
      "var decoding: Decoding<[User]> { .json }",
      says: "`decoding` is no Decoding of the Output",
      write: "var decoding: Decoding<User> { .json }"
    ),
    member(
      "an error's decoding that is a decoder",
      "let errorDecoding = JSONDecoder()",
      says: "`errorDecoding` is no Decoding of the Failure",
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
}
