import Foundation
import Freshet
import FreshetTesting
import Testing

/// Who may get what is stored, when the transport proves who asks.
@Suite(.timeLimit(.minutes(5))) struct SenderTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()
  let session = Authenticator(.bearer("ann"), for: [ClientWorld.origin])

  enum Store: CaseIterable { case memory, disk }

  private func client(
    _ store: Store,
    _ transport: some Transport,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    world.client(transport) {
      if store == .disk {
        $0.memory = nil
        $0.disk = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
      }
      configure(&$0)
    }
  }

  /// An origin that says who has asked, and how often it was asked.
  private func origin(_ headers: HTTPHeaders = [:]) -> ScriptedTransport {
    let count = Counter()
    return ScriptedTransport { [world] request in
      let sender = request.headers[.authorization] ?? request.headers[.cookie] ?? "nobody"
      return world.response("\(sender) \(count.next() + 1)", headers: headers)
    }
  }

  private func text(_ client: Client) async throws -> String {
    try await client.resource(try world.request).value.text
  }

  @Test(arguments: Store.allCases)
  func `3.5: the response of a session is not for the next session`(store: Store) async throws {
    let client = client(store, origin().authenticated(by: session))

    #expect(try await text(client) == "Bearer ann 1")
    #expect(try await text(client) == "Bearer ann 1")
    session.signIn(.bearer("bob"))
    #expect(try await text(client) == "Bearer bob 2")
    session.signIn(.bearer("ann"))
    #expect(try await text(client) == "Bearer ann 1")
    session.signOut()
    #expect(try await text(client) == "nobody 3")
  }

  @Test(arguments: Store.allCases)
  func `3.5: a public response is for every session`(store: Store) async throws {
    let transport = origin([.cacheControl: "public, max-age=60"]).authenticated(by: session)
    let client = client(store, transport)

    #expect(try await text(client) == "Bearer ann 1")
    session.signIn(.bearer("bob"))
    #expect(try await text(client) == "Bearer ann 1")
  }

  @Test(arguments: Store.allCases)
  func `a new credential of the same subject finds the responses of the old one`(
    store: Store
  ) async throws {
    session.signIn(.bearer("old", subject: "ann"))
    let client = client(store, origin().authenticated(by: session))

    #expect(try await text(client) == "Bearer old 1")
    session.signIn(.bearer("new", subject: "ann"))
    #expect(try await text(client) == "Bearer old 1")
    session.signIn(.bearer("new", subject: "bob"))
    #expect(try await text(client) == "Bearer new 2")
  }

  @Test func `the response to a signed request is for the same subject only`() async throws {
    let disk = DiskStore(directory: sandbox.url)
    let wire = origin()
    func client(_ subject: String) -> Client {
      let signer = Authenticator(for: [ClientWorld.origin], subject: subject) { request in
        var request = request
        request.headers[.authorization] = "Signature \(UUID())"
        return request
      }
      return world.client(wire.authenticated(by: signer)) {
        $0.disk = disk
        $0.memory = nil
      }
    }

    let first = try await text(client("ann"))
    #expect(try await text(client("ann")) == first)
    #expect(try await text(client("bob")) != first)
  }

  @Test(arguments: Store.allCases)
  func `4.1: the cookies of a jar select as those of a request do`(store: Store) async throws {
    let jar = CookieJar(now: { [world] in world.clock.date })
    let client = client(store, origin([.vary: "Cookie"]).storingCookies(in: jar))
    func sign(in name: String) throws {
      jar.store(
        from: ResponseHead(
          status: .ok,
          headers: [.setCookie: "id=\(name)"],
          url: try world.request.url
        )
      )
    }

    #expect(try await text(client) == "nobody 1")
    try sign(in: "ann")
    #expect(try await text(client) == "id=ann 2")
    try sign(in: "bob")
    #expect(try await text(client) == "id=bob 3")
    try sign(in: "ann")
    #expect(try await text(client) == "id=ann 2")
  }

  // MARK: Meanwhile

  /// A transport on whose way somebody else signs in before the numbered calls are sent.
  private func signingIn(
    _ name: String,
    before calls: Set<Int>,
    _ base: some Transport
  ) -> some Transport {
    let count = Counter()
    let session = session
    return base.authenticated(by: session)
      .intercepted { request, next in
        Transfer(request) { () async throws(FreshetError) in
          if calls.contains(count.next() + 1) { session.signIn(.bearer(name)) }
          return next(request)
        }
      }
  }

  @Test(arguments: Store.allCases)
  func `a response that was sent for another user belongs to that user`(store: Store) async throws {
    let client = client(store, signingIn("bob", before: [1], origin()))

    #expect(try await text(client) == "Bearer bob 1")
    #expect(try await text(client) == "Bearer bob 1")
    session.signIn(.bearer("ann"))
    #expect(try await text(client) == "Bearer ann 2")
  }

  @Test(arguments: [Revalidation.conditional, .head])
  func `a validation that was sent for another user confirms nothing`(
    revalidation: Revalidation
  ) async throws {
    let wire = ScriptedTransport { [world] request in
      if request.method == .head { return world.response("") }
      return request.headers.contains(.ifNoneMatch)
        ? world.response("", status: 304)
        : world.response(request.headers[.authorization] ?? "")
    }
    let client = client(.memory, signingIn("bob", before: [2], wire)) {
      $0.policy.revalidation = revalidation
    }
    #expect(try await text(client) == "Bearer ann")
    world.clock.advance(by: .seconds(61))

    #expect(try await text(client) == "Bearer bob")
  }

  // MARK: Other transports

  private struct Tenant: Interceptor {
    let isTold: Bool

    func intercept(
      _ request: Request,
      next: @escaping @Sendable (Request) -> Transfer
    ) -> Transfer {
      var request = request
      request.headers = request.headers.merging(["X-Tenant": "1"])
      return next(request)
    }

    func addedFields(for request: Request) -> HTTPHeaders {
      isTold ? ["X-Tenant": "1"] : [:]
    }
  }

  @Test(arguments: [true, false])
  func `a field that an interceptor hides keeps varying responses out of the stores`(
    isTold: Bool
  ) async throws {
    let client = client(
      .memory,
      origin([.vary: "X-Tenant"]).intercepted(by: Tenant(isTold: isTold))
    )

    let resource = try await client.resource(try world.request).value

    #expect(world.memory.count == (isTold ? 1 : 0))
    #expect(resource.explanation.contains(.stored(.memory)) == isTold)
    #expect(try await text(client) == (isTold ? "nobody 1" : "nobody 2"))
  }

  @Test func `the fields that a client's interceptors add select what is stored`() async throws {
    let client = world.client(origin([.vary: "X-Tenant"])) {
      $0.interceptors = [Tenant(isTold: true)]
    }

    #expect(try await text(client) == "nobody 1")
    #expect(try await text(client) == "nobody 1")
    #expect(world.memory.count == 1)
    #expect(client.question(for: try world.request).headers["X-Tenant"] == "1")
  }

  @Test func `a written chain stores a response to credentials if the transport was asked`()
    async throws
  {
    let api = origin().authenticated(by: session)
    func fetch(_ start: some AsyncSequence<Fetch, FreshetError> & Sendable) async throws -> String {
      try await start.lookup(in: world.memory)
        .checkExpiry(.http, now: world.now)
        .download(over: api, now: world.now)
        .persist(in: world.memory)
        .settle()
        .value.text
    }

    #expect(try await fetch(Fetch.request(try world.request)) == "Bearer ann 1")
    #expect(world.memory.count == 0)
    #expect(try await fetch(Fetch.request(try world.request, over: api)) == "Bearer ann 2")
    #expect(world.memory.count == 1)
    #expect(try await fetch(Fetch.request(try world.request, over: api)) == "Bearer ann 2")
    session.signIn(.bearer("bob"))
    #expect(try await fetch(Fetch.request(try world.request, over: api)) == "Bearer bob 3")
    #expect(try await fetch(Fetch.request(try world.request)) == "Bearer bob 4")
  }

  struct Decorator: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let decorate: @Sendable (any Transport) -> any Transport
  }

  static let decorators: [Decorator] = [
    Decorator(testDescription: "retrying") { $0.retrying() },
    Decorator(testDescription: "tracked") { $0.tracked(by: ClientActivity()) },
    Decorator(testDescription: "diagnosed") { $0.diagnosed(by: Diagnostics()) },
    Decorator(testDescription: "limited") { $0.limited() },
    Decorator(testDescription: "breaking") { $0.breakingCircuits() },
    Decorator(testDescription: "recording") { $0.recording(to: HARRecorder()) },
    Decorator(testDescription: "demo") {
      $0.demo(DemoTransport(directory: FileManager.default.temporaryDirectory))
    },
    Decorator(testDescription: "coherent") { $0.invalidating([MemoryStore()]) },
    Decorator(testDescription: "cookies") { $0.storingCookies(in: CookieJar()) },
    Decorator(testDescription: "intercepted") { $0.intercepted { $1($0) } },
  ]

  @Test(arguments: decorators)
  func `a wrapping transport reports the fields that the wrapped one adds`(
    decorator: Decorator
  ) throws {
    let base = origin().authenticated(by: session)

    let fields = decorator.decorate(base).addedFields(for: try world.request)

    #expect(fields == [.authorization: "Bearer ann"])
  }

  @Test(arguments: decorators)
  func `a wrapping transport tells the wrapped one which fields are secret`(
    decorator: Decorator
  ) async throws {
    let wire = ScriptedTransport(sequence: [.text("one")])
    let client = Client {
      $0.transport = decorator.decorate(wire)
      $0.secretHeaders = ["X-Odd"]
    }
    var request = try world.request
    request.headers["X-Odd"] = "hunter2"

    _ = try await client.send(request).value

    let sent = try #require(wire.requests.last)
    #expect(sent.headers["X-Odd"] == "hunter2")
    #expect(!sent.curlCommand().contains("hunter2"))
  }

  @Test func `a running fetch of one session is not shared with another`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { [world] request in
      world.response(request.headers[.authorization] ?? "").waiting(for: gate)
    }
    let client = client(.memory, wire.authenticated(by: session))
    let ann = client.resource(try world.request).start()
    await gate.waiting()
    session.signIn(.bearer("bob"))

    let bob = client.resource(try world.request).start()
    await gate.waiting(count: 2)
    gate.open()

    #expect(try await ann.value.text == "Bearer ann")
    #expect(try await bob.value.text == "Bearer bob")
  }

  private enum User {
    @TaskLocal static var token = ""
  }

  /// Adds the credential of the task, and does not say so beforehand.
  private struct TokenInterceptor: Interceptor {
    let name: HTTPHeaders.Name

    func intercept(
      _ request: Request,
      next: @escaping @Sendable (Request) -> Transfer
    ) -> Transfer {
      Transfer(request) { () async throws(FreshetError) in
        var request = request
        request.headers[name] = User.token
        return next(request)
      }
    }
  }

  /// Ends the fetches of two users, of which the second one shares the transfer of the first one until the
  /// gate opens.
  private func texts(
    of client: Client,
    _ gate: Gate,
    _ fetch: @escaping @Sendable (Client) async throws -> String
  ) async throws -> [String] {
    func start(_ user: String) -> Task<String, any Error> {
      User.$token.withValue(user) { Task { try await fetch(client) } }
    }
    let ann = start("ann")
    await gate.waiting()
    let bob = start("bob")
    while client.configuration.coalescer?.subscriberCount != 2 { await Task.yield() }
    gate.open()
    return [try await ann.value, try await bob.value]
  }

  /// Expects that the second user gets the whole of a response while the rest of the first one's is held.
  private func expectNoWait(_ client: Client, _ request: Request, _ gate: Gate) async throws {
    let ann = User.$token.withValue("ann") {
      Task { try await client.resource(request).value.text }
    }
    await gate.waiting()
    let bob = User.$token.withValue("bob") {
      Task {
        var text = ""
        for try await event in client.resource(request) {
          if case .value(let resource) = event { text = try resource.text }
        }
        return text
      }
    }

    #expect(try await bob.value == "bob!")
    gate.open()
    #expect(try await ann.value == "ann!")
  }

  private func client(
    _ name: HTTPHeaders.Name,
    _ answer: @escaping @Sendable (String, Request) -> ScriptedResponse
  ) -> (Client, wire: ScriptedTransport) {
    let wire = ScriptedTransport { request in answer(request.headers[name] ?? "", request) }
    return (client(.memory, wire.intercepted(by: TokenInterceptor(name: name))), wire)
  }

  private func texts(
    _ name: HTTPHeaders.Name,
    _ headers: HTTPHeaders,
    status: HTTPStatus = .ok,
    _ fetch: @escaping @Sendable (Client) async throws -> String
  ) async throws -> (texts: [String], requests: Int) {
    let gate = Gate()
    let (client, wire) = client(name) { [world] user, _ in
      world.response(user, status: status, headers: headers).waiting(for: gate)
    }
    return (try await texts(of: client, gate, fetch), wire.requests.count)
  }

  private static let personal: [(HTTPHeaders.Name, HTTPHeaders)] = [
    (.authorization, [:]),
    (.authorization, [.cacheControl: "private, no-store", .vary: "Authorization"]),
    (.cookie, [.cacheControl: "no-store"]),
    ("X-Api-Key", [.cacheControl: "no-store"]),
    ("X-Language", [.vary: "X-Language"]),
  ]

  @Test(arguments: personal)
  func `a response to fields that the transport does not report is not shared`(
    name: HTTPHeaders.Name,
    headers: HTTPHeaders
  ) async throws {
    let request = try world.request
    let answers = [
      try await texts(name, headers) { try await $0.resource(request).value.text },
      try await texts(name, headers) { client in
        let response = try await client.send(request) { $0.useStores() }.value
        return String(decoding: response.body, as: UTF8.self)
      },
      try await texts(name, headers) { client in
        let bytes = client.bytes(request)
        return String(decoding: try await bytes.read(0..<3), as: UTF8.self)
      },
      try await texts(name, headers, status: .notFound) { client in
        do {
          return try await client.resource(request).value.text
        } catch FreshetError.status(_, let body) {
          return String(decoding: body, as: UTF8.self)
        }
      },
    ]

    #expect(answers.map(\.texts) == Array(repeating: ["ann", "bob"], count: answers.count))
  }

  private static let shared: [(HTTPHeaders.Name, HTTPHeaders)] = [
    (.authorization, [.cacheControl: "public, max-age=60"]), ("Traceparent", [:]),
  ]

  @Test(arguments: shared)
  func `a response that does not depend on what an interceptor adds is shared`(
    name: HTTPHeaders.Name,
    headers: HTTPHeaders
  ) async throws {
    let request = try world.request
    let (texts, requests) = try await texts(name, headers) {
      try await $0.resource(request).value.text
    }

    #expect(texts[0] == texts[1])
    #expect(requests == 1)
  }

  @Test func `a credential that a redirect has removed counts, too`() async throws {
    let gate = Gate()
    let (client, _) = client(.authorization) { [world] user, request in
      guard request.url.host() == "b.example" else {
        return ScriptedResponse(302, headers: [.location: "http://b.example/\(user)"])
          .waiting(for: gate)
      }
      return world.response(request.url.lastPathComponent)
    }
    let request = try world.request
    let texts = try await texts(of: client, gate) { try await $0.resource(request).value.text }

    #expect(texts == ["ann", "bob"])
  }

  @Test func `a fetch does not wait for the rest of a response that is not for it`() async throws {
    let gate = Gate()
    let (client, _) = client(.authorization) { user, _ in
      let chunks = [Data(user.utf8), Data("!".utf8)]
      guard user == "ann" else { return ScriptedResponse(chunks: chunks) }
      return ScriptedResponse(chunks: chunks).waiting(for: gate, at: .afterChunks(1))
    }
    let request = try world.request
    try await expectNoWait(client, request, gate)
  }

  @Test(arguments: [Revalidation.conditional, .head], ["stale-if-error=600", "must-revalidate"])
  func `neither a stale copy that stands in for one user's failure nor the failure is another's`(
    revalidation: Revalidation,
    control: String
  ) async throws {
    let gate = Gate()
    let (client, _) = client("X-Api-Key") { [world] user, _ in
      switch user {
      case "": world.response("copy", control: "max-age=1, \(control)")
      case "ann": world.response("", status: 503).waiting(for: gate)
      default: world.response(user, headers: [.eTag: "\"other\""])
      }
    }
    let request = try world.request
    #expect(try await client.resource(request).value.text == "copy")
    world.clock.advance(by: .seconds(10))
    let texts = try await texts(of: client, gate) { client in
      do {
        return try await client.resource(request) { $0.revalidation = revalidation }.value.text
      } catch FreshetError.status(let head, _) {
        return "\(head.status)"
      }
    }

    #expect(texts == [control == "must-revalidate" ? "503" : "copy", "bob"])
  }

  @Test func `a stored range that was confirmed for one user is not for another`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { [world] request in
      let user = request.headers["X-Api-Key"] ?? ""
      if user == "ann" { return world.response("", status: 304).waiting(for: gate) }
      let isFirst = user.isEmpty
      let headers: HTTPHeaders = [
        .eTag: isFirst ? "\"v1\"" : "\"v2\"", .contentRange: "bytes 0-1/5",
      ]
      let text = isFirst ? "co" : "bo"
      return world.response(text, control: "max-age=1", status: 206, headers: headers)
    }
    let client = client(.disk, wire.intercepted(by: TokenInterceptor(name: "X-Api-Key")))
    var request = try world.request
    request.headers[.range] = "bytes=0-1"
    let asked = request
    #expect(try await client.resource(asked).value.text == "co")
    world.clock.advance(by: .seconds(10))
    let texts = try await texts(of: client, gate) { try await $0.resource(asked).value.text }

    #expect(texts == ["co", "bo"])
  }

  @Test func `a fetch does not wait for the rest of a range that is not for it`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { request in
      let user = request.headers["X-Api-Key"] ?? ""
      let response = ScriptedResponse(
        206,
        headers: [
          .eTag: "\"\(user)\"", .contentRange: "bytes 0-3/9", .cacheControl: "max-age=60",
        ],
        chunks: [Data(user.utf8), Data("!".utf8)]
      )
      return user == "ann" ? response.waiting(for: gate, at: .afterChunks(1)) : response
    }
    let client = client(.disk, wire.intercepted(by: TokenInterceptor(name: "X-Api-Key")))
    var request = try world.request
    request.headers[.range] = "bytes=0-3"
    try await expectNoWait(client, request, gate)
  }

  @Test(arguments: [Revalidation.conditional, .head])
  func `a copy that was confirmed for one user is not for another`(
    revalidation: Revalidation
  ) async throws {
    let gate = Gate()
    let (client, _) = client("X-Api-Key") { [world] user, request in
      switch user {
      case "": world.response("copy", control: "max-age=1")
      case "ann": world.response("", status: request.method == .head ? 200 : 304).waiting(for: gate)
      default: world.response(user, headers: [.eTag: "\"other\""])
      }
    }
    let request = try world.request
    #expect(try await client.resource(request).value.text == "copy")
    world.clock.advance(by: .seconds(10))
    let texts = try await texts(of: client, gate) { client in
      try await client.resource(request) { $0.revalidation = revalidation }.value.text
    }

    #expect(texts == ["copy", "bob"])
  }
}
