import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// Each clause of the single-flight refresh.
@Suite(.timeLimit(.minutes(5))) struct RefreshTests {
  /// A server that takes one token, and a refresh that waits at a gate.
  private struct World {
    let valid = "Bearer new"
    let gate = Gate()
    let wire: ScriptedTransport
    let renewals = ScriptedTransport(sequence: [.text("new")])

    init() {
      wire = ScriptedTransport { [valid] request in
        request.headers[.authorization] == valid ? .text("hello") : ScriptedResponse(401)
      }
    }

    func session(
      _ credential: Credential? = .bearer("old"),
      clock: VirtualClock = VirtualClock(),
      _ renewal: @escaping Authenticator.Renewal = { _, _ in .bearer("new") }
    ) throws -> Authenticator {
      let (gate, renewals, clock) = (gate, renewals, clock)
      let url = try #require(URL(string: "http://a.test"))
      let gated: Authenticator.Renewal = { old, transport in
        _ = await renewals.call(try Request())
        try await gate.enter()
        return try await renewal(old, transport)
      }
      return Authenticator(credential, for: [url], now: { clock.date }, renewal: gated)
    }

    var refreshCount: Int { renewals.counts.started }
  }

  @Test func `many calls share one refresh and continue with its credential`() async throws {
    let (world, clock) = (World(), VirtualClock())
    let session = try world.session()
    let transport = world.wire.authenticated(by: session, clock: clock)
    let request = try Request { $0.timeouts.total = .seconds(5) }
    let calls = (0..<20).map { _ in Task { await transport.call(request) } }
    await clock.sleepers(count: 20)

    let late = Task { await transport.call(request) }
    await clock.sleepers(count: 21)
    world.gate.open()

    for call in calls + [late] {
      let result = await call.value
      #expect(result.text == "hello")
      #expect(result.ends == 1)
    }
    #expect(world.refreshCount == 1)
    #expect(session.credential == .bearer("new"))
    #expect(world.wire.counts.running == 0)
  }

  @Test func `a call during a refresh waits for it unsent`() async throws {
    let (world, clock) = (World(), VirtualClock())
    let transport = world.wire.authenticated(by: try world.session(), clock: clock)
    let request = try Request { $0.timeouts.total = .seconds(5) }
    let first = Task { await transport.call(request) }
    await clock.sleepers(count: 1)

    let second = Task { await transport.call(request) }
    await clock.sleepers(count: 2)
    #expect(world.wire.counts.started == 1)
    world.gate.open()

    #expect(await first.value.names == ["retrying 2 after 0.0 s", "head 200", "body", "finished"])
    #expect(await second.value.names == ["head 200", "body", "finished"])
    #expect(world.wire.counts.started == 3)
  }

  @Test func `a credential that the app rejects is renewed once, before the next request`()
    async throws
  {
    let wire = ScriptedTransport { .text($0.headers[.authorization] ?? "") }
    let count = Atomic(0)
    let old = Credential.bearer("0")
    let url = try #require(URL(string: "http://a.test"))
    let session = Authenticator(old, for: [url]) { _, _ in
      .bearer("\(count.wrappingAdd(1, ordering: .relaxed).newValue)")
    }
    let transport = wire.authenticated(by: session)
    let request = try Request()
    #expect(await transport.call(request).text == "Bearer 0")

    session.reject(old)
    session.reject(old)
    #expect(await transport.call(request).text == "Bearer 1")
    session.reject(old)
    #expect(await transport.call(request).text == "Bearer 1")
    #expect(wire.counts.started == 3)
  }

  @Test func `a credential that the app rejects stays where none can be asked for`() async throws {
    let wire = ScriptedTransport { .text($0.headers[.authorization] ?? "") }
    let old = Credential.bearer("0")
    let session = Authenticator(old, for: [try #require(URL(string: "http://a.test"))])

    session.reject(old)

    #expect(await wire.authenticated(by: session).call(try Request()).text == "Bearer 0")
    #expect(!session.isRefused)
  }

  @Test func `the refresh survives the call that began it`() async throws {
    let world = World()
    let session = try world.session()
    let transport = world.wire.authenticated(by: session)
    let request = try Request()
    let first = Task { await transport.call(request) }
    await world.gate.waiting()
    let second = Task { await transport.call(request) }

    first.cancel()
    #expect(await first.value.error == .cancelled)
    world.gate.open()

    #expect(await second.value.text == "hello")
    #expect(world.refreshCount == 1)
  }

  @Test func `cancelling the first waiting call does not start a second refresh`()
    async throws
  {
    let world = World()
    let transport = world.wire.authenticated(by: try world.session())
    let request = try Request()
    let first = Task { await transport.call(request) }
    await world.gate.waiting()
    first.cancel()
    _ = await first.value

    let others = (0..<5).map { _ in Task { await transport.call(request) } }
    world.gate.open()

    for other in others { #expect(await other.value.text == "hello") }
    #expect(world.refreshCount == 1)
  }

  @Test func `the refresh request is exempt, over the transport below and over the client's own`()
    async throws
  {
    let world = World()
    let box = Box()
    let session = try world.session { _, below in
      _ = await below.call(try Request(to: "http://a.test/below"))
      // This authenticator stands in the way of this one, and lets it pass.
      _ = await box.transport?.call(try Request(to: "http://a.test/around"))
      return .bearer("new")
    }
    let transport = world.wire.authenticated(by: session)
    box.transport = transport
    world.gate.open()

    let result = await transport.call(try Request())

    #expect(result.text == "hello")
    #expect(
      world.wire.requests.map { "\($0.url.path()) \($0.headers[.authorization] ?? "-")" }
        == ["/x Bearer old", "/below -", "/around -", "/x Bearer new"]
    )
    #expect(world.refreshCount == 1)
  }

  @Test func `what a refresh has started is no longer exempt once the refresh has ended`()
    async throws
  {
    let world = World()
    let (box, hasEnded) = (Box(), Gate())
    let later = Mutex<Task<String?, any Error>?>(nil)
    let session = try world.session { _, _ in
      let task = Task {
        try await hasEnded.enter()
        return await box.transport?.call(try Request()).text
      }
      later.withLock { $0 = task }
      return .bearer("new")
    }
    let transport = world.wire.authenticated(by: session)
    box.transport = transport
    world.gate.open()
    #expect(await transport.call(try Request()).text == "hello")

    hasEnded.open()

    let task = later.withLock(\.self)
    #expect(try await task?.value == "hello")
  }

  @Test func `a refused refresh fails each waiting call once and is not repeated`() async throws {
    let (world, clock) = (World(), VirtualClock())
    let head = ResponseHead(status: 400, headers: [:], url: try Request().url)
    let session = try world.session { _, _ in throw FreshetError.status(head, body: Data()) }
    let transport = world.wire.authenticated(by: session, clock: clock)
    let request = try Request { $0.timeouts.total = .seconds(5) }
    let calls = (0..<10).map { _ in Task { await transport.call(request) } }
    await clock.sleepers(count: 10)
    world.gate.open()

    for call in calls {
      let result = await call.value
      #expect(result.error?.kind == "unauthenticated")
      #expect(result.ends == 1)
    }
    let later = await transport.call(request)
    #expect(later.status == 401)
    #expect(session.isRefused)
    #expect(world.refreshCount == 1)
  }

  @Test func `a call that waits for a refresh holds no connection`() async throws {
    let world = World()
    let transport = world.wire.authenticated(by: try world.session())
    let request = try Request()
    let call = Task { await transport.call(request) }
    await world.gate.waiting()

    #expect(await world.wire.counted { $0.started == 1 && $0.running == 0 })
    world.gate.open()

    #expect(await call.value.text == "hello")
  }

  @Test func `a refresh that the network fails can be repeated later`() async throws {
    let world = World()
    let lost = FreshetError.connection(.lost, url: "http://a.test/token")
    let fails = Box()
    let session = try world.session { _, _ in
      if fails.first() { throw lost }
      return .bearer("new")
    }
    let transport = world.wire.authenticated(by: session)
    world.gate.open()

    let first = await transport.call(try Request())
    let second = await transport.call(try Request())

    #expect(first.error == lost)
    #expect(!session.isRefused)
    #expect(second.text == "hello")
    #expect(world.refreshCount == 2)
  }

  @Test(arguments: [true, false])
  func `a refresh by a typed call that fails can be repeated later`(isRejected: Bool) async throws {
    let world = World()
    let lost = FreshetError.connection(.lost, url: "http://a.test/token")
    let token = ScriptedTransport { _ in isRejected ? ScriptedResponse(503) : .failure(lost) }
    let client = Client { $0.transport = token }
    let session = try world.session { _, _ in
      _ = try await client.send(try Request(to: "http://a.test/token"))
        .reject(as: NoErrorModel.self).value
      return .bearer("new")
    }
    let transport = world.wire.authenticated(by: session)
    world.gate.open()

    let result = await transport.call(try Request())

    #expect(result.error?.kind == (isRejected ? "status" : "connection"))
    #expect(!session.isRefused)
  }

  @Test func `a refresh by a typed call that the server rejects is a refusal`() async throws {
    let world = World()
    let client = Client { $0.transport = ScriptedTransport { _ in ScriptedResponse(400) } }
    let session = try world.session { _, _ in
      _ = try await client.send(try Request(to: "http://a.test/token"))
        .reject(as: NoErrorModel.self).value
      return .bearer("new")
    }
    world.gate.open()

    let result = await world.wire.authenticated(by: session).call(try Request())

    #expect(result.error?.kind == "unauthenticated")
    #expect(session.isRefused)
  }

  @Test func `a typed call that is cancelled is no refusal`() async throws {
    let world = World()
    let errors: [any Error] = [
      CallError<NoErrorModel>.failed(.cancelled), RouteError.failed(.cancelled),
    ]
    world.gate.open()
    for error in errors {
      let session = try world.session { _, _ in throw error }

      let result = await world.wire.authenticated(by: session).call(try Request())

      #expect(result.error?.kind == "unauthenticated")
      #expect(!session.isRefused)
    }
  }

  @Test func `signing out ends the refresh, fails waiting calls, and drops its result`()
    async throws
  {
    let world = World()
    let (stubborn, dropped) = (Gate(), Gate())
    let session = try world.session { _, _ in
      // Does not listen to its cancellation.
      await Task { try? await stubborn.enter() }.value
      dropped.open()
      return .bearer("late")
    }
    let transport = world.wire.authenticated(by: session)
    let request = try Request()
    let call = Task { await transport.call(request) }
    world.gate.open()
    await stubborn.waiting()

    session.signOut()
    let result = await call.value
    stubborn.open()
    try await dropped.enter()

    #expect(result.error?.description.contains("the session has ended; sign in again") == true)
    #expect(result.ends == 1)
    #expect(session.credential == nil)
  }

  @Test func `a request of one session is never sent with the next one's credential`() async throws
  {
    let answered = Gate()
    let wire = ScriptedTransport { request in
      request.headers[.authorization] == "Bearer bob"
        ? .text("bob's") : ScriptedResponse(401).waiting(for: answered)
    }
    let url = try #require(URL(string: "http://a.test"))
    let session = Authenticator(.bearer("alice"), for: [url]) { _, _ in .bearer("alice 2") }
    let transport = wire.authenticated(by: session)
    let request = try Request()
    let call = Task { await transport.call(request) }
    await answered.waiting()

    session.signIn(.bearer("bob"))
    answered.open()

    #expect(await call.value.status == 401)
    #expect(wire.counts.started == 1)
    #expect(session.credential == .bearer("bob"))
  }

  @Test func `a 401 that arrives after the refresh needs no other one`() async throws {
    let world = World()
    let slow = Gate()
    let wire = ScriptedTransport { request in
      guard request.headers[.authorization] != "Bearer new" else { return .text("hello") }
      return request.url.path() == "/slow"
        ? ScriptedResponse(401).waiting(for: slow) : ScriptedResponse(401)
    }
    let transport = wire.authenticated(by: try world.session())
    world.gate.open()
    let request = try Request(to: "http://a.test/slow")
    let late = Task { await transport.call(request) }
    await slow.waiting()

    _ = await transport.call(try Request())
    slow.open()

    #expect(await late.value.text == "hello")
    #expect(world.refreshCount == 1)
  }

  @Test func `sends a call again at most once`() async throws {
    let wire = ScriptedTransport { _ in ScriptedResponse(401) }
    let world = World()
    world.gate.open()
    let transport = wire.authenticated(by: try world.session())

    let result = await transport.call(try Request())

    #expect(result.names == ["retrying 2 after 0.0 s", "head 401", "finished"])
    #expect(wire.counts.started == 2)
    #expect(world.refreshCount == 1)
  }

  @Test func `refreshes before the credential expires, without asking the server first`()
    async throws
  {
    let clock = VirtualClock()
    let world = World()
    let expiring = Credential.bearer("old", expires: clock.date.addingTimeInterval(60))
    let wire = ScriptedTransport(sequence: [.text("x")])
    let transport = wire.authenticated(by: try world.session(expiring, clock: clock))
    world.gate.open()

    _ = await transport.call(try Request())
    clock.advance(by: .seconds(51))
    _ = await transport.call(try Request())

    #expect(wire.requests.map { $0.headers[.authorization] } == ["Bearer old", "Bearer new"])
    #expect(world.refreshCount == 1)
  }

  @Test func `a credential that is expired at arrival does not cause a loop`() async throws {
    let world = World()
    let wire = ScriptedTransport(sequence: [.text("x")])
    let past = Credential.bearer("new", expires: .distantPast)
    let session = try world.session(.bearer("old", expires: .distantPast)) { _, _ in past }
    world.gate.open()

    let result = await wire.authenticated(by: session).call(try Request())

    #expect(result.text == "x")
    #expect(world.refreshCount == 1)
  }

  @Test func `waiting calls share a refresh whose credential is expired at arrival`() async throws {
    let (world, clock) = (World(), VirtualClock())
    let wire = ScriptedTransport { _ in .text("x") }
    let past = Credential.bearer("new", expires: .distantPast)
    let session = try world.session(.bearer("old", expires: .distantPast)) { _, _ in past }
    let transport = wire.authenticated(by: session, clock: clock)
    let request = try Request { $0.timeouts.total = .seconds(5) }
    let calls = (0..<5).map { _ in Task { await transport.call(request) } }
    await clock.sleepers(count: 5)

    world.gate.open()

    for call in calls { #expect(await call.value.text == "x") }
    #expect(world.refreshCount == 1)
  }

  @Test func `a one-time body gets its 401, and the next call the new credential`()
    async throws
  {
    let world = World()
    let session = try world.session()
    let transport = world.wire.authenticated(by: session)
    world.gate.open()
    let once = try Request(.post) { $0.body = .stream { OneChunk() } }

    let first = await transport.call(once)
    let second = await transport.call(try Request())

    #expect(first.status == 401)
    #expect(second.text == "hello")
    #expect(world.refreshCount == 1)
  }

  @Test func `waiting for a refresh counts towards the call's deadline`() async throws {
    let clock = VirtualClock()
    let world = World()
    let transport = world.wire.authenticated(by: try world.session(), clock: clock)
    let request = try Request { $0.timeouts.total = .seconds(5) }
    let call = Task { await transport.call(request) }
    await clock.sleepers(count: 1)

    clock.advance(by: .seconds(5))

    #expect(await call.value.error == .timedOut(.total, url: "http://a.test/x"))
    world.gate.open()
  }

  @Test(arguments: [nil, 3, 5])
  func `the time of signing counts towards the call's deadline`(seconds: Int?) async throws {
    let clock = VirtualClock()
    let wire = ScriptedTransport { request in
      .text("\(request.timeouts.total?.components.seconds ?? -1)")
    }
    let origin = try #require(URL(string: "http://a.test"))
    let signing = Authenticator(for: [origin]) { request in
      guard let seconds else {
        try await Task.sleep(for: .seconds(3_600))
        return request
      }
      clock.advance(by: .seconds(seconds))
      return request
    }
    let transport = wire.authenticated(by: signing, clock: clock)
    let request = try Request { $0.timeouts.total = .seconds(5) }
    let call = Task { await transport.call(request) }
    if seconds == nil {
      await clock.sleepers(count: 1)
      clock.advance(by: .seconds(5))
    }

    let result = await call.value

    if seconds == 3 {
      #expect(result.text == "2")
    } else {
      #expect(result.error == .timedOut(.total, url: "http://a.test/x"))
      #expect(wire.requests.isEmpty)
    }
  }

  @Test func `without a user requests are sent unchanged`() async throws {
    let world = World()
    let transport = world.wire.authenticated(by: try world.session(nil))

    let result = await transport.call(try Request())

    #expect(result.status == 401)
    #expect(world.refreshCount == 0)
  }
}

private struct OneChunk: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? { nil }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
