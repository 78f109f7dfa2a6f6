import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

/// A client whose calls save what they decode.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ClientModelsTests {
  let store = ModelStore.temporary()
  let people = ModelQuery(Person.self)

  private static let ada = #"{"id": 1, "name": "Ada", "followers_count": 0}"#

  /// An error that looks like a person, and could be stored as one.
  struct Refusal: PersistableModel {
    static let modelName = "Person"
    let id: Int
    var name: String
  }

  struct Show<Output: Decodable & Sendable>: Endpoint {
    typealias Failure = Refusal
    var path: RequestPath { "http://a.example/people" }
    var payload = PayloadPath()
    var policy: ResourcePolicy?
    var decoding: Decoding<Output> { .json }
    var options: CallOptions { CallOptions { $0.cache = policy } }

    func isError(_ response: Response<Data>) -> Bool {
      !response.status.isSuccess || response.hasValue(at: "error")
    }
  }

  private func client(_ answers: ScriptedResponse...) -> Client {
    Client { [store] in
      $0.transport = ScriptedTransport(sequence: answers)
      $0.baseURL = URL(string: "http://a.example/")
      $0.retry = .never
      $0.models = store
    }
  }

  private func answer(
    _ body: String = Self.ada,
    _ status: HTTPStatus = .ok,
    _ headers: HTTPHeaders = [:]
  ) -> ScriptedResponse {
    ScriptedResponse(status, headers: headers, body: Data(body.utf8))
  }

  private func names() async throws -> [String] {
    try await store.models(people).map(\.name)
  }

  @Test func `a call saves its model before it delivers it in its stored form`() async throws {
    try await store.save(Person.sample(1, followers: 9))
    let call = client(answer(#"{"id": 1, "name": "Ada"}"#)).call(Show<Refusal>())

    var count = 0
    for try await event in call where event.value != nil {
      #expect(try await store.models(people) == [.sample(1, name: "Ada", followers: 9)])
      count += 1
    }
    #expect(count > 0)
  }

  @Test func `arrays, optionals and the named part of a page are saved`() async throws {
    _ = try await client(answer("[\(Self.ada)]")).call(Show<[Person]>()).output
    #expect(try await names() == ["Ada"])

    let none = try await client(answer("null")).call(Show<Person?>()).output
    #expect(none == nil)
    let page = #"{"tweets": [{"id": "1", "text": "", "user": \#(Self.ada), "mentions": []}]}"#
    let timeline = try await client(answer(page)).call(Show<Timeline>()).output
    #expect(timeline.tweets.map(\.id) == ["1"])
    #expect(try await store.count(ModelQuery(Tweet.self)) == 1)
  }

  @Test func `other values pass unchanged`() async throws {
    let numbers = try await client(answer("[1, 2]")).call(Show<[Int]>()).output

    #expect(numbers == [1, 2])
  }

  @Test(arguments: Way.allCases)
  func `saves the result of any decoding`(_ way: Way) async throws {
    #expect(try await way.name(client(answer(way.body))) == "Ada")
    #expect(try await names() == ["Ada"])
  }

  enum Way: CaseIterable {
    case decode, checked, payload, envelope, route, foreignRoute, endpointPayload, pages
    case resource, shared, replaced, mapped, chain

    var body: String {
      switch self {
      case .payload, .envelope, .endpointPayload: #"{"data": \#(ada)}"#
      default: ada
      }
    }

    func name(_ client: Client) async throws -> String? {
      let sent = client.send(.get("people"))
      switch self {
      case .decode: return try await sent.decode(Person.self).value.value.name
      case .checked:
        return try await sent.decode(Person.self, contentType: .any).value.value.name
      case .payload: return try await sent.unwrap(at: "data").decode(Person.self).value.value.name
      case .envelope: return try await sent.unwrap(as: Wrapped.self).value.value.name
      case .route:
        let router = try Router([Route("people", Person.self)])
        return try await sent.decode(Person.self, by: router).value.value.name
      case .foreignRoute:
        let router = try Router([Route("people", Person.self)])
        return (try await sent.decode((any Sendable).self, by: router).value.value as? Person)?.name
      case .endpointPayload: return try await client.call(Show<Person>(payload: "data")).output.name
      case .resource: return try await resource(client).decode(Person.self).value.value.name
      case .shared: return try await resource(client).share().decode(Person.self).value.value.name
      case .replaced:
        let missing = client.resource(Request(try Self.url)) { $0.network = .forbidden }
        return try await missing.fallback(to: try resource(client)).decode(Person.self).value.value
          .name
      case .mapped:
        return try await resource(client).map(\.self).decode(Person.self).value.value.name
      case .chain:
        return try await client.chain(for: Request(try Self.url)).settle().decode(Person.self)
          .value.value.name
      case .pages: return try await client.pages(Show<Person>(), next: .link).value.value.name
      }
    }

    private static var url: URL {
      get throws { try #require(URL(string: "http://a.example/people")) }
    }

    private func resource(_ client: Client) throws -> ResourceSequence {
      client.resource(at: try Self.url)
    }
  }

  private struct Wrapped: Envelope {
    var payload: Person
    enum CodingKeys: String, CodingKey { case payload = "data" }
  }

  @Test func `an error is never saved`() async throws {
    await #expect(throws: CallError<Refusal>.self) {
      try await client(answer(Self.ada, 404)).call(Show<Person>()).output
    }
    await #expect(throws: CallError<Refusal>.self) {
      let body = #"{"id": 1, "name": "Ada", "error": 1}"#
      return try await client(answer(body)).call(Show<Refusal>()).output
    }
    await #expect(throws: (any Error).self) {
      try await client(answer(Self.ada, 404)).send(.get("people")).reject(as: Refusal.self)
        .decode(Person.self).value
    }
    await #expect(throws: (any Error).self) {
      try await client(answer(Self.ada, 500)).send(.get("people")).decode(Person.self).value
    }
    let router = try Router([
      Route("people", Person.self), Route("people", Refusal.self).status(404),
    ])
    let known = try await client(answer(Self.ada, 404)).send(.get("people"))
      .decode(Refusal.self, by: router).value
    #expect(known.value.name == "Ada")

    #expect(try await names() == [])
  }

  @Test func `a save that fails is the failure of the call`() async throws {
    await store.close()
    let failure = FreshetError.store("the store is closed")

    await #expect(throws: failure) {
      try await client(answer()).send(.get("people")).decode(Person.self).value
    }
    await #expect {
      try await client(answer()).call(Show<Person>()).output
    } throws: {
      guard case .failed(let error) = $0 as? CallError<Refusal> else { return false }
      return error == failure
    }
  }

  @Test func `a cached copy that replaces a failure is not saved`() async throws {
    let lost = FreshetError.connection(.lost, url: "http://a.example/people")
    let client = client(answer(), .failure(lost))
    let show = Show<Person>(policy: ResourcePolicy { $0.expiry = .always })
    _ = try await client.call(show).output
    try await store.save(Person.sample(1, name: "edited since"))

    let stale = try await client.call(show).value

    #expect(stale.resource?.replacedFailure != nil)
    #expect(stale.value.name == "Ada")
    #expect(try await names() == ["edited since"])
  }

  @Test func `without a store nothing is saved`() async throws {
    let other = Client { [client = client(answer())] in
      $0 = client.configuration
      $0.models = nil
    }

    _ = try await other.call(Show<Person>()).output

    #expect(try await names() == [])
  }
}
