import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(
  .enabled(if: API.isInstalled, "python3 is not installed"),
  .besideAPI,
  .timeLimit(.minutes(5))
)
struct APITests {
  let api: API
  let client: Client

  init() throws {
    let api = try #require(API.current)
    self.api = api
    client = Client { $0.baseURL = api.base }
  }

  @Test func `creates, shows, lists in pages and removes`() async throws {
    var created: [User] = []
    for name in ["Ann", "Bob", "Cléo / ?", "Dan", "Eve"] {
      let response = try await client.call(CreateUser(name: name)).value
      #expect(response.status == 201)
      #expect(try response.sibling(at: "meta", as: Meta.self) == Meta(count: 1))
      created.append(response.value)
    }

    #expect(try await client.call(ShowUser(id: "3")).output.name == "Cléo / ?")
    for strategy in [PageStrategy.link, .cursor(at: "meta.next", query: "cursor")] {
      var sizes: [Int] = []
      var listed: [User] = []
      for try await page in client.pages(ListUsers(limit: 2), next: strategy).values {
        sizes.append(page.value.count)
        listed += page.value
      }
      #expect(listed == created)
      #expect(sizes == [2, 2, 1])
    }

    #expect(try await client.call(RemoveUser(id: 5)).value.status == 204)
    await expectRejection(404, "missing") { try await client.call(ShowUser(id: "5")).value }
  }

  @Test func `errors are typed, and keep status and body`() async throws {
    await expectRejection(422, "invalid") { try await client.call(CreateUser(name: nil)).value }
    await expectRejection(404, "missing") { try await client.call(ShowUser(id: "a/b")).value }
    await expectRejection(404, "route") {
      try await client.call(Limited(path: "nothing")).value
    }
  }

  private func expectRejection(
    _ status: HTTPStatus,
    _ code: String,
    _ call: () async throws -> some Sendable
  ) async {
    let error = await #expect(throws: CallError<Fault>.self) { _ = try await call() }
    #expect(error?.head?.status == status)
    #expect(error?.model?.error.code == code)
  }

  // MARK: - Authentication

  private func session(_ first: Credential) -> Authenticator {
    Authenticator(first, for: [api.base]) { [base = api.base] old, transport in
      let renewing = Client {
        $0.transport = transport
        $0.baseURL = base
      }
      let form = try RequestBody.form(["refresh_token": old.refreshToken])
      return try await renewing.send(.post("refresh", body: form))
        .decode(Token.self)
        .value.value.credential
    }
  }

  private func login() async throws -> Credential {
    let form = try RequestBody.form(["user": "ann", "password": "open sesame"])
    return try await client.send(.post("login", body: form)).decode(Token.self).value
      .value.credential
  }

  @Test func `one refresh serves all calls that need it`() async throws {
    let session = session(try await login())
    let transport = DefaultTransport().authenticated(by: session)
    let signedIn = Client {
      $0.transport = transport
      $0.baseURL = api.base
    }
    let before = try await refreshes()

    // A token is good for five requests: the sixth finds it expired.
    for _ in 0..<5 { _ = try await signedIn.call(ShowMe()).value }
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<5 {
        group.addTask { try await signedIn.call(ShowMe()).output.name }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }

    #expect(names.count == 1)
    #expect(try await refreshes() - before == 1)
  }

  @Test func `a refused refresh fails each call once and asks for a login`() async throws {
    let session = session(.bearer("unknown", refreshToken: "unknown"))
    let transport = DefaultTransport().authenticated(by: session)
    let signedIn = Client {
      $0.transport = transport
      $0.baseURL = api.base
    }

    let error = await #expect(throws: CallError<Fault>.self) {
      try await signedIn.call(ShowMe()).value
    }

    guard case .failed(.unauthenticated) = error else { throw try #require(error) }
    #expect(session.isRefused)
    session.signIn(try await login())
    #expect(try await signedIn.call(ShowMe()).value.status == 200)
  }

  private func refreshes() async throws -> Int {
    try await client.send(.get("counts")).decode([String: Int].self).value.value["refreshes"] ?? 0
  }

  // MARK: - Retry

  @Test func `waits as long as Retry-After says, and reports the attempts`() async throws {
    let clock = VirtualClock()
    let patient = Client {
      $0.baseURL = api.base
      $0.clock = clock
      $0.retry = .standard
    }
    let call = patient.call(Limited(path: "limited/patient", after: "30")).start()

    for _ in 0..<2 {
      #expect(await clock.sleepers(count: 1))
      #expect((clock.advance() ?? .zero) >= .seconds(30))
    }

    let response = try await call.value
    #expect(response.value.attempts == 3)
    let retries = response.explanation.filter { decision in
      if case .retried = decision { true } else { false }
    }
    #expect(retries.count == 2)
  }

  @Test func `a call's own policy replaces the client's`() async throws {
    let impatient = Client {
      $0.baseURL = api.base
      $0.retry = .standard
    }

    let error = await #expect(throws: CallError<Fault>.self) {
      try await impatient.call(Limited(path: "limited/impatient", retry: RetryPolicy.never)).value
    }

    #expect(error?.head?.status == 429)
    #expect(error?.head?.headers[.retryAfter] == "1")
  }

  @Test func `retries a POST with the same key`() async throws {
    var policy = RetryPolicy.standard
    policy.eligibility = .generatingKeys
    policy.baseDelay = .milliseconds(1)

    let response =
      try await client.call(
        Limited(path: "unstable/key", method: .post, retry: policy)
      )
      .value

    #expect(response.value.attempts == 3)
    #expect(response.value.key.flatMap { UUID(uuidString: $0) } != nil)
  }

  // MARK: - Bodies

  @Test func `compressed bodies arrive`() async throws {
    struct Echo: Decodable, Sendable { var text: String, encoding: String?, length: String? }
    let text = String(repeating: "freshet ", count: 20_000)
    let request = Request.post("echo", body: .text(text)).compressed()

    let echo = try await client.send(request).decode(Echo.self).value.value

    #expect(echo.text == text)
    #expect(echo.encoding == "gzip")
    #expect(echo.length == nil)
  }

  @Test func `parts arrive with names, types and sizes`() async throws {
    struct Part: Decodable, Sendable, Equatable {
      var name: String
      var filename: String?
      var type: String
      var size: Int
    }
    let folder = try TemporaryDirectory()
    let file = folder.file("été.bin")
    try Data(repeating: 7, count: 300_000).write(to: file)
    let body = try RequestBody.multipart(
      MultipartBody([
        .text("title", "Summer"), .file("photo", file, contentType: MediaType("image", "png")),
      ])
    )
    var sent: TransferProgress?

    for try await event in client.send(.put("parts", body: body)).decode([Part].self) {
      switch event {
      case .progress(let progress): sent = sent ?? progress
      case .value(let response):
        #expect(
          response.value == [
            Part(name: "title", filename: nil, type: "text/plain", size: 6),
            Part(name: "photo", filename: "été.bin", type: "image/png", size: 300_000),
          ]
        )
      }
    }

    #expect(sent?.total == body.length)
  }

  @Test func `a query arrives as encoded`() async throws {
    struct Echo: Decodable, Sendable { var query: [String: [String]] }
    let request = Request.get("echo", query: ["a b": "c&d=é", "tags": ["x", "y/z"], "on": true])

    let echo = try await client.send(request).decode(Echo.self).value.value

    #expect(echo.query == ["a b": ["c&d=é"], "tags": ["x", "y/z"], "on": ["true"]])
  }

  // MARK: - Events

  @Test func `events continue after the last one when the connection breaks`() async throws {
    var events: [ServerSentEvent] = []

    for try await event in client.events(.get("events/a")) { events.append(event) }

    #expect(events.map(\.data) == (1...7).map { "event \($0)" })
    #expect(Set(events.map(\.type)) == ["tick"])
    let counts = try await client.send(.get("counts")).decode([String: Int].self).value.value
    #expect(counts["events a"] == 4)
  }
}
