import Foundation
import Freshet
import FreshetTesting
import Testing

/// The media types that bodies may have.
@Suite struct ContentTypesTests {
  private static let ann = Data(#"{"id":7,"name":"Ann"}"#.utf8)

  private struct ShowUser: Endpoint {
    typealias Output = User
    typealias Failure = APIError
    var path: RequestPath { "users/7" }
  }

  private struct Sloppy: Endpoint {
    typealias Output = User
    var path: RequestPath { "users/7" }
    var contentTypes: ContentTypes { .json.adding("text/html") }
  }

  private struct Page: Endpoint {
    typealias Output = String
    var path: RequestPath { "page" }
    var decoding: Decoding<String> { .text }
  }

  private struct Listed: Endpoint {
    struct Wrapper: Envelope {
      var data: [User]
      var payload: [User] { data }
    }
    var path: RequestPath { "users" }
    var decoding: Decoding<[User]> { .unwrapping(Wrapper.self) }
  }

  private func script(_ type: String?, status: HTTPStatus = 200) -> ServiceScript {
    var headers = HTTPHeaders()
    headers[.contentType] = type
    return ServiceScript(.init(status: status, headers: headers, chunks: [Self.ann]))
  }

  @Test(arguments: [
    "application/json", "application/json; charset=utf-8", "APPLICATION/JSON;bogus", "text/json",
    "application/problem+json", "application/vnd.api+json; version=1", "text/javascript", nil,
    "json", "", "text/html, application/json",
  ])
  func `an endpoint accepts JSON under its usual type names`(type: String?) async throws {
    let user = try await Client(script(type)).call(ShowUser()).output

    #expect(user.name == "Ann")
  }

  @Test(arguments: ["text/html", "text/html; charset=utf-8", "image/png", "application/xml+jsonp"])
  func `an endpoint refuses other declared types`(type: String) async throws {
    let call = Client(script(type)).call(ShowUser())

    let error = await #expect(throws: CallError<APIError>.self) { try await call.value }

    guard case .failed(.decoding(let failure, let head, let body)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let essence = type.prefix { $0 != ";" }
    #expect(failure.target == "User")
    #expect(
      failure.reason.hasPrefix("its Content-Type is \(essence), and not application/json")
    )
    #expect(head?.status == 200)
    #expect(body == Self.ann)
  }

  @Test func `an endpoint's own list of types applies`() async throws {
    #expect(try await Client(script("text/html")).call(Sloppy()).output.name == "Ann")
    await #expect(throws: CallError<NoErrorModel>.self) {
      try await Client(script("image/png")).call(Sloppy()).value
    }
  }

  @Test func `a decoding of other formats accepts every type`() async throws {
    #expect(try await Client(script("text/html")).call(Page()).output.hasPrefix("{"))
  }

  @Test func `an envelope of JSON is JSON`() async {
    await #expect(throws: CallError<NoErrorModel>.self) {
      try await Client(script("text/html")).call(Listed()).value
    }
  }

  @Test func `the status decides about an error response, whatever its type`() async {
    let call = Client(script("text/html", status: 502)).call(ShowUser())

    let error = await #expect(throws: CallError<APIError>.self) { try await call.value }

    guard case .rejected(let rejection) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(rejection.status == 502)
  }

  @Test func `a response without a body has no wrong type`() async throws {
    struct Delete: Endpoint {
      typealias Output = User?
      var path: RequestPath { "users/7" }
    }
    let script = ServiceScript(.init(status: 204, headers: [.contentType: "text/html"]))

    #expect(try await Client(script).call(Delete()).output == nil)
  }

  @Test func `decode accepts any type by default`() async throws {
    let client = Client(script("text/html"))

    #expect(try await client.send(.get("u")).decode(User.self).value.value.name == "Ann")
    let refused = client.send(.get("u")).decode(User.self, contentType: .json)
    await #expect(throws: FreshetError.self) { try await refused.value }
    #expect(
      try await client.send(.get("u")).decode(User.self, contentType: "text/*").value.value.id == 7
    )
    let lenient = client.send(.get("u"))
      .decode([User].self, as: .lenient(), contentType: .json)
    await #expect(throws: FreshetError.self) { try await lenient.value }
  }

  @Test func `an error status takes precedence over a wrong type`() async {
    let error = await #expect(throws: FreshetError.self) {
      try await Client(script("text/html", status: 500)).send(.get("u"))
        .decode(User.self, contentType: .json).value
    }

    #expect(error?.kind == "status")
  }

  @Test func `validate ends the pipeline with head and body`() async {
    let error = await #expect(throws: FreshetError.self) {
      try await Client(script("text/html")).send(.get("u"))
        .validate(contentType: ["text/csv", "image/*"]).value
    }

    #expect(
      error?.description
        .hasPrefix(
          "The body from https://api.test/v1/u cannot be decoded as text/csv or image/*: "
            + "its Content-Type is text/html, and not text/csv or image/*"
        ) == true
    )
    guard case .decoding(_, let head, let body) = error else { return }
    #expect(head?.headers[.contentType] == "text/html")
    #expect(body == Self.ann)
  }

  @Test func `validate forwards responses unchanged`() async throws {
    let response = try await Client(script("TEXT/CSV; header=present")).send(.get("u"))
      .validate(contentType: "text/csv").value

    #expect(response.value == Self.ann)
    let missing = try await Client(script("text/html", status: 404)).send(.get("u"))
      .validate(contentType: "text/csv").value
    #expect(missing.status == 404)
  }

  @Test func `a list can require a type`() async {
    var types = ContentTypes.json
    types.requiresType = true
    let call = Client(script(nil)).send(.get("u")).validate(contentType: types)

    await #expect(throws: FreshetError.self) { try await call.value }
  }

  private struct Rates: Endpoint {
    typealias Output = User
    var path: RequestPath { "rates" }
    var options: CallOptions {
      CallOptions { $0.useStores { $0.expiry = .after(.hours(2)) } }
    }
  }

  @Test(arguments: [nil, "max-age=600"])
  func `a body of another type is not stored, and the copy remains`(control: String?) async throws {
    let clock = VirtualClock()
    var portal: HTTPHeaders = [.contentType: "text/html"]
    portal[.cacheControl] = control
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: [.contentType: "application/json"], body: Self.ann),
      ScriptedResponse(headers: portal, body: Data("<html>".utf8)),
      .failure(.connection(.lost, url: "http://a.example/rates")),
    ])
    let base = try #require(URL(string: "http://a.example"))
    let client = Client {
      $0.baseURL = base
      $0.transport = transport
      $0.memory = MemoryStore()
      $0.retry = .never
      $0.now = { clock.date }
    }
    #expect(try await client.call(Rates()).output.name == "Ann")
    clock.advance(by: .seconds(3 * 3_600))

    await #expect(throws: CallError<NoErrorModel>.self) {
      _ = try await client.call(Rates()).value
    }
    #expect(try await client.call(Rates()).output.name == "Ann")

    #expect(transport.requests.count == 3)
  }
}
