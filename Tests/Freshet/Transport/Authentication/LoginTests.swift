import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// Users and passwords, sent as the server asks for them.
@Suite(.timeLimit(.minutes(5))) struct LoginTests {
  private static let login = Credential.digest(user: "Mufasa", password: "Circle of Life")

  private func origins() throws -> [URL] { [try #require(URL(string: "http://a.test"))] }

  private func session(_ credential: Credential? = login) throws -> Authenticator {
    Authenticator(credential, for: try origins())
  }

  private func counts(_ wire: ScriptedTransport) -> [String] {
    wire.requests.map { request in
      Challenge.all(in: request.headers, of: .authorization).first?.parameters["nc"] ?? "-"
    }
  }

  @Test(arguments: [
    ("MD5", "auth"), (nil, "auth"), (nil, nil), ("SHA-256", "auth"), ("SHA-256", "auth-int"),
    ("MD5-sess", "auth"), ("SHA-256-sess", "auth-int"),
  ])
  func `answers a digest once for all later requests`(
    algorithm: String?,
    qop: String?
  ) async throws {
    let server = DigestServer(DigestServer.Settings(algorithm: algorithm, qop: qop))
    let wire = server.transport
    let transport = wire.authenticated(by: try session())

    let first = await transport.call(try Request(to: "http://a.test/x?y=%20z#f"))
    let second = await transport.call(try Request(.post) { $0.body = .text("hello") })

    #expect(first.names == ["retrying 2 after 0.0 s", "head 200", "body", "finished"])
    #expect(second.names == ["head 200", "body", "finished"])
    #expect(counts(wire) == (qop == nil ? ["-", "-", "-"] : ["-", "00000001", "00000002"]))
    #expect(wire.requests.map { $0.headers.contains(.authorization) } == [false, true, true])
  }

  @Test func `replaces an expired nonce without asking for the password`()
    async throws
  {
    let wire = DigestServer(DigestServer.Settings(uses: 1)).transport
    let session = Authenticator(Self.login, for: try origins()) { _ in
      Issue.record("it was asked")
      return nil
    }
    let transport = wire.authenticated(by: session)

    for _ in 0..<3 {
      #expect(await transport.call(try Request()).status == 200)
    }

    let one = "00000001"
    #expect(counts(wire) == ["-", one, "00000002", one, "00000002", one])
  }

  @Test func `replaces a nonce that the server lost without calling it stale`() async throws {
    let wire = DigestServer(DigestServer.Settings(uses: 1, saysStale: false)).transport
    let transport = wire.authenticated(by: try session())

    #expect(await transport.call(try Request()).status == 200)
    #expect(await transport.call(try Request()).status == 200)
  }

  @Test(arguments: ["SHA-256", "SHA-256-sess"])
  func `the next nonce is the one that the server names`(algorithm: String) async throws {
    let settings = DigestServer.Settings(algorithm: algorithm, uses: 1, namesNext: true)
    let wire = DigestServer(settings).transport
    let transport = wire.authenticated(by: try session())

    for _ in 0..<3 { #expect(await transport.call(try Request()).status == 200) }

    #expect(counts(wire) == ["-", "00000001", "00000001", "00000001"])
  }

  @Test func `answers a server that always says stale twice`() async throws {
    let wire = DigestServer(DigestServer.Settings(uses: 0)).transport

    let result = await wire.authenticated(by: try session()).call(try Request())

    #expect(result.status == 401)
    #expect(wire.counts.started == 3)
  }

  @Test func `a wrong password is sent once, and its 401 delivered`() async throws {
    let server = DigestServer()
    let wire = server.transport
    let session = try session(.digest(user: "Mufasa", password: "wrong"))

    let result = await wire.authenticated(by: session).call(try Request())

    #expect(result.names == ["retrying 2 after 0.0 s", "head 401", "body", "finished"])
    #expect(server.rejectedCount == 1)
  }

  @Test func `requests with a rejected password do not try it again`()
    async throws
  {
    let server = DigestServer()
    let slow = Gate()
    let wire = ScriptedTransport { request in
      let (status, headers) = server.answer(.get, request.url.path(), request.headers, Data())
      let response = ScriptedResponse(status, headers: headers)
      let waits = request.url.path() == "/slow" && request.headers.contains(.authorization)
      return waits ? response.waiting(for: slow) : response
    }
    let session = try session(.digest(user: "Mufasa", password: "wrong"))
    let transport = wire.authenticated(by: session)
    let request = try Request(to: "http://a.test/slow")
    let late = Task { await transport.call(request) }
    await slow.waiting()

    #expect(await transport.call(try Request()).status == 401)
    slow.open()

    #expect(await late.value.status == 401)
    #expect(server.rejectedCount == 2)
  }

  @Test func `a challenge of one session is not answered in the next one`() async throws {
    let answered = Gate()
    let wire = ScriptedTransport { _ in
      ScriptedResponse(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n"])
        .waiting(for: answered)
    }
    let session = try session()
    let transport = wire.authenticated(by: session)
    let request = try Request()
    let call = Task { await transport.call(request) }
    await answered.waiting()

    session.signOut()
    answered.open()

    #expect(await call.value.error?.kind == "unauthenticated")
    #expect(wire.counts.started == 1)
  }

  @Test func `asks again for a password that was changed on the server`() async throws {
    let server = DigestServer()
    let wire = server.transport
    let session = Authenticator(Self.login, for: try origins()) { question in
      #expect(question.rejected == Self.login)
      #expect(question.challenge("Digest")?.realm == "lions")
      return .digest(user: "Mufasa", password: "new")
    }
    let transport = wire.authenticated(by: session)
    _ = await transport.call(try Request())

    server.set(password: "new")

    #expect(await transport.call(try Request()).status == 200)
    #expect(server.rejectedCount == 2)
    #expect(await transport.call(try Request()).names == ["head 200", "body", "finished"])
  }

  @Test func `one login serves many concurrent calls`() async throws {
    let wire = DigestServer().transport
    let transport = wire.authenticated(by: try session())
    let request = try Request()

    let statuses = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 { group.addTask { await transport.call(request).status } }
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(statuses == Array(repeating: 200, count: 20))
    let answers = wire.requests.compactMap { request in
      Challenge.all(in: request.headers, of: .authorization).first?.parameters
    }
    let numbers = answers.map { [$0["nonce"], $0["nc"]] }
    #expect(Set(numbers).count == numbers.count)
  }

  @Test func `concurrent calls answer nonces of their own that are good for one request`()
    async throws
  {
    let server = DigestServer(DigestServer.Settings(uses: 1))
    let asked = Gate()
    let wire = ScriptedTransport { request in
      let (status, headers) = server.answer(.get, "/", request.headers, Data())
      let response = ScriptedResponse(status, headers: headers)
      return request.headers.contains(.authorization) ? response : response.waiting(for: asked)
    }
    let transport = wire.authenticated(by: try session())
    let request = try Request(to: "http://a.test/")

    let statuses = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<5 { group.addTask { await transport.call(request).status } }
      await asked.waiting(count: 5)
      asked.open()
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(statuses == Array(repeating: 200, count: 5))
    #expect(wire.counts.started == 10)
  }

  @Test func `a failure of the server does not say that the password is right`() async throws {
    let server = DigestServer()
    let failures = Mutex(1)
    let wire = ScriptedTransport { request in
      let (status, headers) = server.answer(.get, "/", request.headers, Data())
      guard request.headers.contains(.authorization) else {
        return ScriptedResponse(status, headers: headers)
      }
      let fails = failures.withLock { left in
        left -= 1
        return left == 0
      }
      return ScriptedResponse(fails ? 503 : status, headers: headers)
    }
    let session = try session(.digest(user: "Mufasa", password: "wrong"))
    let transport = wire.authenticated(by: session)
    let request = try Request(to: "http://a.test/")

    #expect(await transport.call(request).status == 503)
    #expect(await transport.call(request).status == 401)

    #expect(server.rejectedCount == 2)
  }

  @Test func `sends a login by Basic where nothing better is offered, in UTF-8`() async throws {
    let wire = ScriptedTransport { request in
      request.headers[.authorization] == "Basic dGVzdDoxMjPCow=="
        ? .text("x") : ScriptedResponse(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])
    }
    let transport = wire.authenticated(by: try session(.login(user: "test", password: "123£")))

    #expect(await transport.call(try Request()).text == "x")
    #expect(await transport.call(try Request()).text == "x")
    #expect(wire.counts.started == 3)
  }

  @Test func `sends a login by Digest where both are offered`() async throws {
    let wire = DigestServer().transport
    let session = try session(.login(user: "Mufasa", password: "Circle of Life"))

    #expect(await wire.authenticated(by: session).call(try Request()).status == 200)
    #expect(wire.requests.last?.headers[.authorization]?.hasPrefix("Digest ") == true)
  }

  @Test(arguments: [
    (Credential.digest(user: "a", password: "b"), "Basic realm=x"),
    (.digest(user: "a", password: "b"), "Digest realm=x, nonce=n, algorithm=SHA-1"),
    (.login(user: "a:b", password: "c"), "Basic realm=x"),
    (.login(user: "a", password: "b"), "Bearer realm=x"),
  ])
  func `delivers a challenge that it cannot answer`(
    credential: Credential,
    line: String
  ) async throws {
    let wire = ScriptedTransport { _ in
      ScriptedResponse(401, headers: ["WWW-Authenticate": line])
    }

    let result = await wire.authenticated(by: try session(credential)).call(try Request())

    #expect(result.status == 401)
    #expect(wire.requests.map { $0.headers[.authorization] } == [nil])
  }

  @Test func `an answer goes to no other origin after any redirect`() async throws {
    let wire = ScriptedTransport { request in
      if request.url.host() == "b.test" {
        return ScriptedResponse(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n"])
      }
      guard request.headers.contains(.authorization) else {
        return ScriptedResponse(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n"])
      }
      return ScriptedResponse(302, headers: [.location: "http://b.test/"])
    }

    let result = await wire.authenticated(by: try session()).call(try Request())

    #expect(result.status == 401)
    let sent = wire.requests.map { ($0.url.host() ?? "", $0.headers.contains(.authorization)) }
    #expect(sent.map(\.0) == ["a.test", "a.test", "b.test"])
    #expect(sent.map(\.1) == [false, true, false])
  }

  @Test func `a one-time body gets its 401, and the next request is authenticated`()
    async throws
  {
    let wire = DigestServer().transport
    let transport = wire.authenticated(by: try session())
    let once = try Request(.post) { $0.body = .stream { OneChunk() } }

    #expect(await transport.call(once).status == 401)
    #expect(await transport.call(try Request()).names == ["head 200", "body", "finished"])
  }

  @Test func `the next session answers its own challenge`() async throws {
    let wire = DigestServer().transport
    let session = try session()
    let transport = wire.authenticated(by: session)
    _ = await transport.call(try Request())

    session.signIn(Self.login)
    _ = await transport.call(try Request())

    #expect(counts(wire) == ["-", "00000001", "-", "00000001"])
  }

  @Test func `a response belongs to the login with any scheme`() async throws {
    let server = DigestServer()
    let wire = ScriptedTransport { request in
      let given = server.answer(request.method, request.url.path(), request.headers, Data())
      var headers = given.1
      if given.0 == 200 { headers[.cacheControl] = "max-age=3600" }
      return ScriptedResponse(given.0, headers: headers, body: Data("x".utf8))
    }
    let session = try session()
    let client = Client { $0.transport = wire.authenticated(by: session) }
    let request = try Request()

    _ = try await client.resource(request).value
    #expect(try await client.resource(request).value.source == .memory)
    session.signIn(.digest(user: "Mufasa", password: "other"))

    await #expect(throws: FreshetError.self) { _ = try await client.resource(request).value }
    #expect(wire.counts.started == 4)
  }

  @Test func `no description shows a password`() throws {
    for credential in [Self.login, .login(user: "Mufasa", password: "Circle of Life")] {
      var dumped = ""
      dump(credential, to: &dumped)
      #expect(!"\(credential) \(credential.debugDescription) \(dumped)".contains("Circle"))
      let coded = try JSONDecoder()
        .decode(Credential.self, from: JSONEncoder().encode(credential))
      #expect(coded == credential)
    }
    #expect(Self.login.description == "Digest <redacted>")
  }
}

private struct OneChunk: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? { nil }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
