import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClientRetryTests {
  private let clock = VirtualClock()
  private static let lost = FreshetError.connection(.lost, url: "http://a.test/x")

  private func client(
    _ wire: some Transport,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    var policy = RetryPolicy.standard
    policy.baseDelay = .zero
    return Client { [clock] in
      $0.transport = wire
      $0.retry = policy
      $0.clock = clock
      $0.now = { clock.date }
      configure(&$0)
    }
  }

  @Test func `the budget of all calls refills over time`() async throws {
    let wire = ScriptedTransport { _ in ScriptedResponse(503) }
    var policy = RetryPolicy.standard
    (policy.baseDelay, policy.maximumRetries) = (.zero, 1)
    policy.budget = RetryBudget(capacity: 1, perRequest: 0, perSecond: 1)
    let client = client(wire) { $0.retry = policy }

    for expected in [2, 3] {
      _ = try await client.send(Request()).value
      #expect(wire.counts.started == expected)
    }
    clock.advance(by: .seconds(1))
    _ = try await client.send(Request()).value

    #expect(wire.counts.started == 5)
  }

  @Test func `pauses and keys are drawn from the client's generator`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    var policy = RetryPolicy.standard
    policy.eligibility = .generatingKeys
    let client = client(wire) {
      $0.retry = policy
      $0.generator = FixedFraction(fraction: 0)
    }

    let response = try await client.send(Request(.post)).value

    #expect(response.explanation.map(\.description) == ["attempt 2 after 0 µs: status 503"])
    #expect(
      wire.requests.map { $0.headers[.idempotencyKey] }
        == Array(repeating: "00000000-0000-4000-8000-000000000000", count: 2)
    )
  }

  @Test func `interceptors wrap the call, its retries and the demo`() async throws {
    let seen = Counter()
    struct Marking: Interceptor {
      let seen: Counter

      func intercept(
        _ request: Request,
        next: @escaping @Sendable (Request) -> Transfer
      ) -> Transfer {
        seen.count()
        var request = request
        request.headers["X-Mark"] = (request.headers["X-Mark"] ?? "") + "\(seen.value)"
        return next(request)
      }
    }
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let demo = DemoTransport(
      directory: URL(filePath: "/"),
      routes: [try DemoRoute("demo", path: "demo", success: .bytes(Data("demo".utf8)))]
    )
    let client = client(wire) {
      $0.interceptors = [Marking(seen: seen), Marking(seen: seen)]
      $0.demo = demo
    }

    _ = try await client.send(Request()).value
    #expect(seen.value == 2)
    #expect(wire.requests.map { $0.headers["X-Mark"] } == ["12", "12"])

    _ = try await client.send(Request(to: "http://a.test/demo")).value
    #expect(seen.value == 4)
    #expect(wire.counts.started == 2)
  }

  @Test func `diagnostics see a response of an interceptor, and it is not followed`()
    async throws
  {
    struct Answering: Interceptor {
      func intercept(
        _ request: Request,
        next: @escaping @Sendable (Request) -> Transfer
      )
        -> Transfer
      {
        let headers: HTTPHeaders = [.location: "http://b.test/"]
        return Transfer(response: ResponseHead(status: 302, headers: headers, url: request.url))
      }
    }
    let wire = ScriptedTransport { _ in .text("x") }
    let diagnostics = Diagnostics()
    let client = client(wire) {
      $0.interceptors = [Answering()]
      $0.diagnostics = diagnostics
    }

    for method in [HTTPMethod.get, .post, .head] {
      #expect(try await client.send(Request(method)).value.status == 302)
    }

    #expect(wire.counts.started == 0)
    #expect(diagnostics.recent.last?.call == 3)
  }

  @Test func `requests a lost body again`() async throws {
    let broken = ScriptedResponse(chunks: [Data("a".utf8), Data("b".utf8)])
      .failing(with: Self.lost, at: .afterChunks(1))
    let wire = ScriptedTransport(sequence: [broken, .text("whole")])
    var values: [String] = []
    var progress: [Int64] = []

    for try await event in client(wire).send(try Request()) {
      switch event {
      case .value(let response): values.append(String(decoding: response.value, as: UTF8.self))
      case .progress(let step): progress.append(step.completed)
      }
    }

    #expect(values == ["whole"])
    #expect(progress == [5])
    #expect(wire.counts.started == 2)
  }

  @Test(arguments: [HTTPMethod.post, .get])
  func `does not request a lost body again if that is unsafe, or it is long or streamed`(
    method: HTTPMethod
  ) async throws {
    let long = ScriptedResponse(chunks: [Data(count: 200 << 10), Data(count: 200 << 10)])
      .failing(with: Self.lost, at: .afterChunks(2))
    let short = ScriptedResponse(chunks: [Data("a".utf8)])
      .failing(with: Self.lost, at: .afterChunks(1))
    let wire = ScriptedTransport(sequence: [method == .post ? short : long])
    let client = client(wire)
    let request = try Request(method)

    await #expect(throws: Self.lost) { try await client.send(request).value }
    await #expect(throws: Self.lost) { try await client.stream(request).collected() }

    #expect(wire.counts.started == 2)
  }

  @Test func `does not request a lost body again if it is streamed`() async throws {
    let broken = ScriptedResponse(chunks: [Data("a".utf8), Data("b".utf8)])
      .failing(with: Self.lost, at: .afterChunks(1))
    let wire = ScriptedTransport(sequence: [broken, .text("whole")])

    await #expect(throws: Self.lost) { try await client(wire).stream(Request()).collected() }

    #expect(wire.counts.started == 1)
  }

  @Test func `stores see the answer that breaks off, although there is no time to ask again`()
    async throws
  {
    let wire = ScriptedTransport { request in
      if request.method == .get {
        return ScriptedResponse(headers: [.cacheControl: "max-age=600"], body: Data("a".utf8))
      }
      return ScriptedResponse(chunks: [Data("a".utf8)])
        .failing(with: Self.lost, at: .afterChunks(1))
    }
    let client = client(wire) {
      $0.memory = MemoryStore()
      $0.retry = RetryPolicy(retries: 3, after: .seconds(100))
    }
    _ = try await client.resource(try Request()).value
    var request = try Request(.post)
    request.headers[.idempotencyKey] = "k"
    request.timeouts.total = .seconds(1)

    await #expect(throws: Self.lost) { try await client.send(request).value }

    #expect(wire.counts.started == 2)
    #expect(try await client.resource(try Request()).value.source == .network)
  }

  @Test func `what has changed something is not sent again for its lost body`() async throws {
    let wire = ScriptedTransport { request in
      if request.method == .get {
        return ScriptedResponse(headers: [.cacheControl: "max-age=600"], body: Data("a".utf8))
      }
      return ScriptedResponse(chunks: [Data("a".utf8)])
        .failing(with: Self.lost, at: .afterChunks(1))
    }
    let client = client(wire) { $0.memory = MemoryStore() }
    _ = try await client.resource(try Request()).value

    await #expect(throws: Self.lost) { try await client.send(try Request(.delete)).value }

    #expect(wire.counts.started == 2)
    #expect(try await client.resource(try Request()).value.source == .network)
  }

  @Test func `a pause for which the server asks holds although its body is lost`() async throws {
    let busy = ScriptedResponse(
      503,
      headers: [.retryAfter: "3600"],
      chunks: [Data("a".utf8), Data("b".utf8)]
    )
    .failing(with: Self.lost, at: .afterChunks(1))
    let wire = ScriptedTransport(sequence: [busy, .text("whole")])

    await #expect(throws: Self.lost) { try await client(wire).send(try Request()).value }

    #expect(wire.counts.started == 1)
  }

  @Test func `an error body that stalls does not delay the retry`() async throws {
    let gate = Gate()
    let stalled = ScriptedResponse(503, body: Data("no".utf8))
      .waiting(for: gate, at: .afterChunks(0))
    let wire = ScriptedTransport(sequence: [stalled, .text("x")])

    let response = try await client(wire).send(Request()).value

    #expect(response.status == 200)
    #expect(await wire.counted { $0.cancelled == 1 && $0.running == 0 })
  }

  @Test func `a redirect's body that stalls does not delay the next hop`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { request in
      request.url.path() == "/y"
        ? .text("y")
        : ScriptedResponse(302, headers: [.location: "/y"], body: Data("moved".utf8))
          .waiting(for: gate, at: .afterChunks(0))
    }

    #expect(try await client(wire).send(Request()).value.value == Data("y".utf8))
    #expect(await wire.counted { $0.cancelled == 1 && $0.running == 0 })
  }

  @Test func `reads an available error body, so that its connection is reused`()
    async throws
  {
    let wire = ScriptedTransport(sequence: [
      ScriptedResponse(503, body: Data("no".utf8)), .text("x"),
    ])

    _ = try await client(wire).send(Request()).value

    #expect(wire.counts.finished == 2)
  }
}
