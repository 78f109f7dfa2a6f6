import Foundation
import Freshet
import FreshetTesting
import Testing

/// A call belongs to the session in which it began, whatever becomes of it on the way.
@Suite(.timeLimit(.minutes(5))) struct CallScopeTests {
  private let clock = VirtualClock()
  private let gate = Gate()
  private static let ended = FreshetError.unauthenticated(
    "the session has ended; sign in again",
    url: "http://a.test/x"
  )

  private func session() throws -> Authenticator {
    Authenticator(.bearer("alice"), for: [try #require(URL(string: "http://a.test"))])
  }

  private func client(_ wire: ScriptedTransport, _ session: Authenticator) -> Client {
    let clock = clock
    return Client {
      $0.transport = wire.authenticated(by: session)
      $0.retry = .standard
      $0.clock = clock
      $0.now = { clock.date }
    }
  }

  private func credentials(_ wire: ScriptedTransport) -> [String] {
    wire.requests.map { $0.headers[.authorization] ?? "-" }
  }

  @Test(arguments: [Credential.bearer("bob"), nil])
  func `a retry is not sent in another session`(next: Credential?) async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let session = try session()
    let call = client(wire, session).send(try Request(.put))
    let task = Task { try await call.value }
    await clock.sleepers(count: 1)

    if let next { session.signIn(next) } else { session.signOut() }
    clock.advance()

    await #expect(throws: Self.ended) { try await task.value }
    #expect(credentials(wire) == ["Bearer alice"])
  }

  @Test func `a retry of a transport without a client is not sent in another session`() async throws
  {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let session = try session()
    let transport = wire.authenticated(by: session).retrying(clock: clock)
    let request = try Request()
    let task = Task { await transport.call(request) }
    await clock.sleepers(count: 1)

    session.signIn(.bearer("bob"))
    clock.advance()

    #expect(await task.value.error == Self.ended)
    #expect(wire.counts.started == 1)
  }

  @Test func `a second request of a hedge is not sent in another session`() async throws {
    let gate = gate
    let wire = ScriptedTransport { request in
      let user = request.headers[.authorization] ?? "nobody"
      return user == "Bearer alice" ? .text(user).waiting(for: gate) : .text(user)
    }
    let session = try session()
    let activity = ClientActivity()
    let transport = wire.authenticated(by: session).tracked(by: activity).hedged(clock: clock)
    var changes = activity.changes.makeAsyncIterator()
    let request = try Request()
    let task = Task { await transport.call(request) }
    await clock.sleepers(count: 1)
    await gate.waiting()

    session.signIn(.bearer("bob"))
    clock.advance()
    while let change = await changes.next(isolation: nil) {
      if case .ended = change { break }
    }
    gate.open()

    #expect(await task.value.text == "Bearer alice")
    #expect(wire.counts.started == 1)
  }

  @Test func `a fetch of a resource is one call`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let session = try session()
    let fetch = client(wire, session).resource(try Request())
    let task = Task { try await fetch.value }
    await clock.sleepers(count: 1)

    session.signIn(.bearer("bob"))
    clock.advance()

    await #expect(throws: Self.ended) { try await task.value }
    #expect(wire.counts.started == 1)
  }

  @Test func `a redirect is not followed into another session`() async throws {
    let gate = gate
    let wire = ScriptedTransport { request in
      request.url.path() == "/x"
        ? ScriptedResponse(302, headers: [.location: "/y"]).waiting(for: gate) : .text("y")
    }
    let session = try session()
    let call = client(wire, session).send(try Request())
    let task = Task { try await call.value }
    await gate.waiting()

    session.signIn(.bearer("bob"))
    gate.open()

    let error = await #expect(throws: FreshetError.self) { try await task.value }
    #expect(error?.kind == "unauthenticated")
    #expect(credentials(wire) == ["Bearer alice"])
  }

  @Test func `a later page is not asked for in another session`() async throws {
    let link: HTTPHeaders = ["Link": "<?page=2>; rel=next"]
    let wire = ScriptedTransport { _ in ScriptedResponse(headers: link, body: Data("[]".utf8)) }
    let session = try session()
    var pages = client(wire, session).pages(try Request(), next: .link).values.makeAsyncIterator()
    _ = try await pages.next(isolation: nil)

    session.signIn(.bearer("bob"))

    await #expect(throws: Self.ended) { try await pages.next(isolation: nil) }
    #expect(wire.counts.started == 1)
  }

  @Test func `an event stream does not reconnect in another session`() async throws {
    let type: HTTPHeaders = [.contentType: "text/event-stream"]
    let wire = ScriptedTransport { _ in
      ScriptedResponse(headers: type, body: Data("data: a\n\n".utf8))
    }
    let session = try session()
    let events = client(wire, session).events(try Request())
    let task = Task {
      var iterator = events.makeAsyncIterator()
      _ = try await iterator.next()
      return try await iterator.next()
    }
    await clock.sleepers(count: 1)

    session.signIn(.bearer("bob"))
    clock.advance()

    await #expect(throws: Self.ended) { try await task.value }
    #expect(wire.counts.started == 1)
  }

  @Test func `each iteration is its own call`() async throws {
    let wire = ScriptedTransport(sequence: [.text("x")])
    let session = try session()
    let client = client(wire, session)
    let (call, pages) = (client.send(try Request()), client.pages(try Request(), next: .link))

    _ = try await call.value
    _ = try await pages.values.collected()
    session.signIn(.bearer("bob"))
    _ = try await call.value
    _ = try await pages.values.collected()

    #expect(
      credentials(wire) == ["Bearer alice", "Bearer alice", "Bearer bob", "Bearer bob"]
    )
  }
}
