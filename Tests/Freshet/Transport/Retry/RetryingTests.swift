import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RetryingTests {
  private let clock = VirtualClock()

  private func retrying(
    _ wire: some Transport,
    _ policy: RetryPolicy = .standard,
    fraction: Double = 0.5
  ) -> some Transport {
    let clock = clock
    return wire.retrying(
      policy,
      clock: clock,
      generator: FixedFraction(fraction: fraction),
      now: { clock.date }
    )
  }

  /// Lets the pauses pass, however many there are.
  private func call(
    _ transport: some Transport,
    _ request: Request,
    pauses: Int
  ) async -> CallResult {
    let task = Task { await transport.call(request) }
    for _ in 0..<pauses {
      await clock.sleepers(count: 1)
      clock.advance()
    }
    return await task.value
  }

  @Test func `sends again until it succeeds, and reports it`() async throws {
    let wire = ScriptedTransport(sequence: [
      ScriptedResponse(503), .failure(.connection(.lost, url: "u")), .text("hello"),
    ])

    let result = await call(retrying(wire), try Request(), pauses: 2)

    #expect(
      result.names == [
        "retrying 2 after 0.1 s", "retrying 3 after 0.2 s", "head 200", "body", "finished",
      ]
    )
    #expect(result.text == "hello")
    #expect(result.ends == 1)
    #expect(wire.counts.started == 3)
    #expect(wire.counts.running == 0)
    #expect(clock.now.offset == .milliseconds(300))
  }

  @Test func `delivers the last result unchanged`() async throws {
    let refused = FreshetError.connection(.refused, url: "u")
    let failing = ScriptedTransport(sequence: [.failure(refused)])
    let unavailable = ScriptedTransport(sequence: [.json("{}", status: 503)])

    let failed = await call(retrying(failing), try Request(), pauses: 3)
    let answered = await call(retrying(unavailable), try Request(), pauses: 3)

    #expect(failed.error == refused)
    #expect(answered.status == 503)
    #expect(answered.text == "{}")
    #expect(failed.ends == 1)
    #expect(answered.ends == 1)
    #expect(failing.counts.started == 4)
    #expect(unavailable.counts.started == 4)
    #expect(unavailable.counts.running == 0)
  }

  @Test(arguments: [0, 1])
  func `never retries after the head was delivered`(chunks: Int) async throws {
    let lost = FreshetError.connection(.lost, url: "u")
    let wire = ScriptedTransport { _ in
      ScriptedResponse(chunks: [Data("a".utf8)]).failing(with: lost, at: .afterChunks(chunks))
    }

    let result = await retrying(wire).call(try Request())

    #expect(result.error == lost)
    #expect(wire.counts.started == 1)
  }

  @Test func `cancelling ends a pause at once and is not retried`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503)])
    let transport = retrying(wire)
    let request = try Request()
    let task = Task { await transport.call(request) }
    await clock.sleepers(count: 1)

    task.cancel()

    let result = await task.value
    #expect(result.error == .cancelled)
    #expect(result.ends == 1)
    #expect(wire.counts.started == 1)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `cancelling an attempt is not retried`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let transport = retrying(wire)
    let request = try Request()
    let task = Task { await transport.call(request) }
    await gate.waiting()

    task.cancel()

    #expect(await task.value.error == .cancelled)
    #expect(wire.counts.started == 1)
    #expect(wire.counts.running == 0)
  }

  @Test func `gives each attempt the remaining time`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let request = try Request { $0.timeouts.total = .seconds(10) }

    _ = await call(retrying(wire), request, pauses: 1)

    #expect(wire.requests.map(\.timeouts.total) == [.seconds(10), .milliseconds(9_900)])
  }

  @Test func `sends no more than the host's budget allows`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503)])
    var policy = RetryPolicy.standard
    policy.budget = RetryBudget(capacity: 4, perRequest: 0, perSecond: 1)
    let transport = retrying(wire, policy, fraction: 0)

    for _ in 0..<5 { _ = await transport.call(try Request()) }
    #expect(wire.counts.started == 5 + 4)
    _ = await transport.call(try Request(to: "http://b.test/"))
    #expect(wire.counts.started == 9 + 4)
    clock.advance(by: .seconds(2))
    _ = await transport.call(try Request())

    #expect(wire.counts.started == 13 + 3)
  }

  @Test func `the explanation says that the budget is used up`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503)])
    var policy = RetryPolicy.standard
    policy.budget = RetryBudget(capacity: 1, perRequest: 0, perSecond: 0)
    let transport = retrying(wire, policy, fraction: 0)
    let client = Client { $0.transport = transport }
    let spent = "not tried again: the budget of retries for the host is used up"

    let response = try await client.send(try Request()).value
    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(at: try Request().url).value
    }

    #expect(
      response.explanation.map(\.description) == ["attempt 2 after 0 µs: status 503", spent]
    )
    #expect(error?.explanation?.map(\.description) == ["memory: miss", spent])
  }

  @Test func `a fetch requests again what it cannot resume`() async throws {
    let lost = FreshetError.connection(.lost, url: "u")
    func response(_ headers: HTTPHeaders, _ parts: [String]) -> ScriptedResponse {
      ScriptedResponse(headers: headers, chunks: parts.map { Data($0.utf8) })
    }
    for headers: HTTPHeaders in [[:], [.eTag: "W/\"1\""], [.eTag: "\"1\""]] {
      let wire = ScriptedTransport(sequence: [
        response(headers, ["he", "l"]).failing(with: lost, at: .afterChunks(1)),
        response(headers, ["hel", "lo"]),
      ])
      let client = Client { $0.transport = retrying(wire, fraction: 0) }

      let resource = try await client.resource(at: try Request().url).value

      let isResumed = headers[.eTag]?.hasPrefix("\"") == true
      #expect(try resource.data() == Data("hello".utf8))
      #expect(wire.requests.map { $0.headers[.range] != nil } == [false, isResumed])
    }
  }

  @Test func `requests that succeed fill the budget again`() async throws {
    let wire = ScriptedTransport { $0.url.path() == "/bad" ? ScriptedResponse(503) : .text("x") }
    var policy = RetryPolicy.standard
    policy.budget = RetryBudget(capacity: 1, perRequest: 0.1, perSecond: 0)
    let transport = retrying(wire, policy, fraction: 0)
    let bad = try Request(to: "http://a.test/bad")

    let first = await transport.call(bad)
    let second = await transport.call(bad)
    for _ in 0..<8 { _ = await transport.call(try Request()) }
    let third = await transport.call(bad)

    #expect(first.names.count { $0.hasPrefix("retrying") } == 1)
    #expect(second.names.count { $0.hasPrefix("retrying") } == 0)
    #expect(third.names.count { $0.hasPrefix("retrying") } == 1)
  }

  @Test func `a generated key stays the same over the attempts and differs between calls`()
    async throws
  {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x"), .text("x")])
    var policy = RetryPolicy.standard
    policy.eligibility = .generatingKeys
    let transport = wire.retrying(policy, clock: clock)

    _ = await call(transport, try Request(.post), pauses: 1)
    _ = await transport.call(try Request(.post))

    let keys = wire.requests.compactMap { $0.headers[.idempotencyKey] }
    #expect(keys.count == 3)
    #expect(UUID(uuidString: keys[0]) != nil)
    #expect(keys[0] == keys[1])
    #expect(keys[1] != keys[2])
  }

  @Test func `keeps the caller's key, and adds none to idempotent methods`() async throws {
    let wire = ScriptedTransport(sequence: [.text("x")])
    var policy = RetryPolicy.standard
    policy.eligibility = .generatingKeys
    let transport = retrying(wire, policy)

    _ = await transport.call(try Request(.post) { $0.headers[.idempotencyKey] = "mine" })
    _ = await transport.call(try Request(.get))

    #expect(wire.requests.map { $0.headers[.idempotencyKey] } == ["mine", nil])
  }

  @Test func `the explanation of a result names the attempts`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("hello")])
    let client = Client { $0.transport = retrying(wire, fraction: 0) }

    let resource = try await client.resource(at: try Request().url).value

    #expect(resource.explanation.description.contains("attempt 2 after 0 µs: status 503"))
  }
}
