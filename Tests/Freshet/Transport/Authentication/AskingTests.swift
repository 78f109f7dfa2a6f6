import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// The first credential: who is asked for it, how often, and what becomes of those who wait.
@Suite(.timeLimit(.minutes(5))) struct AskingTests {
  private let questions = Questions()
  private let gate = Gate()

  /// What was asked.
  private final class Questions: Sendable {
    private let asked = Mutex<[AuthenticationQuestion]>([])

    var all: [AuthenticationQuestion] { asked.withLock { $0 } }
    func add(_ question: AuthenticationQuestion) { asked.withLock { $0.append(question) } }
  }

  private func wire(
    _ valid: String = "Bearer good",
    _ line: String = "Bearer realm=\"a\""
  ) -> ScriptedTransport {
    ScriptedTransport { request in
      request.headers[.authorization] == valid
        ? .text("hello") : ScriptedResponse(401, headers: ["WWW-Authenticate": line])
    }
  }

  private func session(
    _ credential: Credential? = nil,
    _ answer: @escaping Authenticator.Asking
  ) throws -> Authenticator {
    let (questions, gate) = (questions, gate)
    let url = try #require(URL(string: "http://a.test"))
    return Authenticator(credential, for: [url]) { question in
      questions.add(question)
      try await gate.enter()
      return try await answer(question)
    }
  }

  @Test func `asks with the challenges, and once for all waiting calls`() async throws {
    let wire = wire()
    let session = try session { _ in .bearer("good") }
    let transport = wire.authenticated(by: session)
    let request = try Request()
    let calls = (0..<20).map { _ in Task { await transport.call(request) } }
    await gate.waiting()

    let late = Task { await transport.call(request) }
    gate.open()

    for call in calls + [late] {
      let result = await call.value
      #expect(result.text == "hello")
      #expect(result.ends == 1)
    }
    let question = try #require(questions.all.first)
    #expect(questions.all.count == 1)
    #expect(question.challenges == [Challenge(scheme: "bearer", parameters: ["realm": "a"])])
    #expect(question.url.absoluteString == "http://a.test/x")
    #expect(question.rejected == nil && !question.isProxy)
    #expect(session.credential == .bearer("good"))
  }

  @Test func `sends an answer with later requests immediately`() async throws {
    let wire = wire()
    let transport = wire.authenticated(by: try session { _ in .bearer("good") })
    gate.open()

    _ = await transport.call(try Request())
    let second = await transport.call(try Request())

    #expect(second.names == ["head 200", "body", "finished"])
  }

  @Test func `a login that is given for a digest answers the current challenge`() async throws {
    let wire = DigestServer().transport
    let session = try session { _ in .digest(user: "Mufasa", password: "Circle of Life") }
    gate.open()

    let result = await wire.authenticated(by: session).call(try Request())

    #expect(result.names == ["retrying 2 after 0.0 s", "head 200", "body", "finished"])
    #expect(wire.counts.started == 2)
  }

  @Test func `asks again for a rejected credential, once for each call`() async throws {
    let wire = wire()
    let transport = wire.authenticated(by: try session(.bearer("bad")) { _ in .bearer("worse") })
    gate.open()

    let result = await transport.call(try Request())

    #expect(result.names == ["retrying 2 after 0.0 s", "head 401", "finished"])
    #expect(questions.all.map(\.rejected) == [.bearer("bad")])
    #expect(wire.counts.started == 2)
  }

  @Test func `without an answer the waiting calls fail, and a later call asks again`() async throws
  {
    let wire = wire()
    let transport = wire.authenticated(by: try session { _ in nil })
    let request = try Request()
    let calls = (0..<5).map { _ in Task { await transport.call(request) } }
    await gate.waiting()
    gate.open()

    for call in calls {
      #expect(
        await call.value.error
          == .unauthenticated("no credential was given", url: "http://a.test/x")
      )
    }
    #expect(questions.all.count == 1)
    #expect(await transport.call(request).error?.kind == "unauthenticated")
    #expect(questions.all.count == 2)
  }

  @Test func `a 401 after an answer of nil does not ask again`() async throws {
    let slow = Gate()
    let wire = ScriptedTransport { request in
      request.url.path() == "/slow"
        ? ScriptedResponse(401).waiting(for: slow) : ScriptedResponse(401)
    }
    let transport = wire.authenticated(by: try session { _ in nil })
    gate.open()
    let request = try Request(to: "http://a.test/slow")
    let late = Task { await transport.call(request) }
    await slow.waiting()

    _ = await transport.call(try Request())
    slow.open()

    #expect(await late.value.status == 401)
    #expect(questions.all.count == 1)
    #expect(wire.counts.started == 2)
  }

  @Test func `an error of the closure is a refusal`() async throws {
    struct NoKeychain: Error {}
    let wire = wire()
    let session = try session { _ in throw NoKeychain() }
    let transport = wire.authenticated(by: session)
    gate.open()

    let first = await transport.call(try Request())
    let second = await transport.call(try Request())

    #expect(
      first.error
        == .unauthenticated("the refresh failed with NoKeychain", url: "http://a.test/x")
    )
    #expect(second.status == 401 && questions.all.count == 1 && session.isRefused)
  }

  @Test func `the calls get the reason of the closure`() async throws {
    let session = try session { _ in
      throw FreshetError.unauthenticated("the user has declined", url: "http://b.test/token")
    }
    let transport = wire().authenticated(by: session)
    gate.open()

    let error = await transport.call(try Request()).error

    #expect(error == .unauthenticated("the user has declined", url: "http://a.test/x"))
    #expect(session.isRefused)
  }

  @Test func `signing out while it asks ends the calls and drops the answer`()
    async throws
  {
    let wire = wire()
    let session = try session { _ in .bearer("good") }
    let transport = wire.authenticated(by: session)
    let request = try Request()
    let call = Task { await transport.call(request) }
    await gate.waiting()

    session.signOut()
    gate.open()

    #expect(await call.value.error?.kind == "unauthenticated")
    #expect(session.credential == nil)
    #expect(wire.counts.started == 1)
  }

  @Test func `asks for no other origin, and sends the answer to none`() async throws {
    let wire = ScriptedTransport { _ in
      ScriptedResponse(401, headers: ["WWW-Authenticate": "Basic realm=a"])
    }
    let transport = wire.authenticated(by: try session { _ in .basic(user: "a", password: "b") })
    gate.open()

    let result = await transport.call(try Request(to: "http://b.test/"))

    #expect(result.status == 401)
    #expect(questions.all.isEmpty)
    #expect(wire.requests.map { $0.headers[.authorization] } == [nil])
  }

  @Test func `a token can be fetched over the wrapped transport`() async throws {
    let wire = ScriptedTransport { request in
      if request.url.path() == "/token" { return .text("good") }
      return request.headers[.authorization] == "Bearer good"
        ? .text("hello") : ScriptedResponse(401)
    }
    let session = try session { question in
      let answer = await question.transport.call(try Request(to: "http://a.test/token"))
      return .bearer(answer.text)
    }
    gate.open()

    #expect(await wire.authenticated(by: session).call(try Request()).text == "hello")
  }

  @Test func `asks before a credential expires, without challenges`() async throws {
    let wire = wire()
    let session = try session(.bearer("old", expires: .distantPast)) { _ in .bearer("good") }
    gate.open()

    #expect(await wire.authenticated(by: session).call(try Request()).text == "hello")
    #expect(wire.counts.started == 1)
    #expect(questions.all.map(\.challenges.count) == [0])
  }
}
