import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

/// Service calls over sockets whose answers stay in a store.
@Suite struct ModelCallTests {
  struct User: PersistableModel, Equatable {
    static let modelName = "User"
    static let indexes = [ModelIndex(\User.name, "name")]
    let id: Int
    var name: String
  }

  struct Tweet: PersistableModel, Equatable {
    static let modelName = "Tweet"
    let id: Int
    var text: String
    var user: User
  }

  struct Page: Decodable, PersistableContainer {
    var tweets: [Tweet]
    var next: String?
    var persistedPart: [Tweet] {
      get { tweets }
      set { tweets = newValue }
    }
  }

  /// An error that looks like a user, and could be stored as one.
  struct Refusal: PersistableModel, Equatable {
    static let modelName = "User"
    let id: Int
    var name: String
  }

  struct Show<Output: Decodable & Sendable>: Endpoint {
    typealias Failure = Refusal
    var path: RequestPath
    var decoding: Decoding<Output> { .json }

    func isError(_ response: Response<Data>) -> Bool {
      !response.status.isSuccess || response.hasValue(at: "error")
    }
  }

  private let server: LoopbackServer
  private let client: Client
  private let models = ModelStore.temporary()

  init() throws {
    let server = try LoopbackServer()
    self.server = server
    client = Client { $0.baseURL = server.url("/") }
  }

  @Test func `saves a model and an array of models`() async throws {
    server.route("/user", .json(#"{"id": 7, "name": "Ada", "unknown": true}"#))
    server.route("/users", .json(#"[{"id": 8, "name": "Grace"}, {"id": 7, "name": "Ada L"}]"#))

    let user = try await client.call(Show<User>(path: "user")).persist(in: models).value.value
    #expect(user == User(id: 7, name: "Ada"))
    #expect(try await models.model(User.self, id: 7) == user)

    let users = try await client.call(Show<[User]>(path: "users")).persist(in: models).value.value
    #expect(users.map(\.name) == ["Grace", "Ada L"])
    #expect(try await models.models(ModelQuery(User.self)).map(\.name) == ["Ada L", "Grace"])
    await server.stop()
  }

  @Test func `saves the tweets and users of a page, and nothing else`() async throws {
    server.route(
      "/page",
      .json(
        """
        {"tweets": [{"id": 1, "text": "a", "user": {"id": 7, "name": "Ada"}},
                    {"id": 2, "text": "b", "user": {"id": 7, "name": "Ada L"}}], "next": "2"}
        """
      )
    )

    let page = try await client.call(Show<Page>(path: "page")).persist(in: models).value.value

    #expect(page.next == "2")
    #expect(page.tweets.map(\.user.name) == ["Ada L", "Ada L"])
    #expect(try await models.models(ModelQuery(Tweet.self)) == page.tweets)
    #expect(try await models.models(ModelQuery(User.self)) == [User(id: 7, name: "Ada L")])
    await server.stop()
  }

  @Test(arguments: [
    LoopbackServer.Answer.json(#"{"id": 7, "name": "not found"}"#, status: 404),
    .json(#"{"id": 7, "name": "no", "error": true}"#),
    .json(#"{"id": 7}"#),
    .json(#"{"id": 7, "na"#, status: 500),
  ])
  func `an error response does not change the store`(answer: LoopbackServer.Answer) async throws {
    server.route("/user", answer)
    let ada = User(id: 7, name: "Ada")
    try await models.save(ada)

    await #expect(throws: CallError<Refusal>.self) {
      try await client.call(Show<User>(path: "user")).persist(in: models).value
    }

    #expect(try await models.models(ModelQuery(User.self)) == [ada])
    await server.stop()
  }

  @Test func `the same user through five requests at once is one user`() async throws {
    let gate = Gate()
    for request in 0..<5 {
      let user = #"{"id": 7, "name": "from \#(request)"}"#
      let tweets = (0..<10).map { #"{"id": \#(request * 10 + $0), "text": "", "user": \#(user)}"# }
      server.route(
        "/\(request)",
        .json("[\(tweets.joined(separator: ","))]").delayed(until: gate)
      )
    }

    async let all = withThrowingTaskGroup(of: Void.self) { group in
      for request in 0..<5 {
        let call = client.call(Show<[Tweet]>(path: "\(request)")).persist(in: models)
        group.addTask { _ = try await call.value }
      }
      try await group.waitForAll()
    }
    await gate.waiting(count: 5)
    gate.open()
    try await all

    let users = try await models.models(ModelQuery(User.self))
    #expect(users.count == 1)
    #expect(try await models.count(ModelQuery(Tweet.self)) == 50)
    #expect(
      Set(try await models.models(ModelQuery(Tweet.self)).map(\.user.name)) == [users[0].name]
    )
    await server.stop()
  }

  @Test func `a live list is available before the response, survives a failure, and follows`()
    async throws
  {
    let gate = Gate()
    try await models.save(User(id: 1, name: "stored"))
    let query = ModelQuery(User.self).sorted(by: \.name)
    server.route("/users", .json(#"[{"id": 2, "name": "fresh"}]"#).delayed(until: gate))

    var live = client.live(Show<[User]>(path: "users"), query, in: models).makeAsyncIterator()
    let first = try #require(try await live.next())
    #expect(first.value.map(\.name) == ["stored"])
    gate.open()
    var next = first
    while case .refreshing = next.state { next = try #require(try await live.next()) }
    #expect(next.failure == nil)
    #expect(next.value.map(\.name) == ["fresh", "stored"])

    server.route("/users", .json(#"{"id": 9, "name": "go away"}"#, status: 403))
    live = client.live(Show<[User]>(path: "users"), query, in: models).makeAsyncIterator()
    next = try #require(try await live.next())
    while case .refreshing = next.state { next = try #require(try await live.next()) }
    #expect(next.failure?.model == Refusal(id: 9, name: "go away"))
    #expect(next.value.map(\.name) == ["fresh", "stored"])

    try await models.delete(User.self, id: 1)
    next = try #require(try await live.next())
    #expect(next.value.map(\.name) == ["fresh"])
    #expect(next.failure == nil)
    await server.stop()
  }
}
