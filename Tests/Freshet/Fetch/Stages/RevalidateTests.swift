import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite struct RevalidateTests {
  let world = FetchWorld()

  private func chain(
    _ revalidation: Revalidation,
    _ transport: ScriptedTransport,
    of request: Request? = nil
  ) throws -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    Fetch.request(try request ?? world.request)
      .lookup(in: world.memory)
      .checkExpiry(.http, now: world.now)
      .revalidate(revalidation, over: transport, now: world.now)
  }

  private func storeExpired(control: String = "max-age=60") async throws {
    try await world.store(world.minute("one", control: control))
    world.clock.advance(by: .seconds(61))
  }

  private var notModified: ScriptedResponse {
    ScriptedResponse(
      304,
      headers: [
        .date: HTTPDate.format(world.clock.date), .cacheControl: "max-age=90", .eTag: "\"v1\"",
        "X-New": "1",
      ]
    )
  }

  private let lost = FreshetError.connection(.lost, url: FetchWorld.url)

  // MARK: - Conditional

  @Test func `a conditional GET carries the copy's validators`() async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [notModified])

    _ = try await chain(.conditional, transport).names

    #expect(transport.requests.map(\.method) == [.get])
    #expect(transport.requests.first?.headers[.ifNoneMatch] == "\"v1\"")
  }

  @Test func `a 304 confirms the copy under the origin's new headers`() async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [notModified])

    let resource = try await chain(.conditional, transport).settle().value

    #expect(resource.freshness == .revalidated)
    #expect(resource.source == .memory)
    #expect(resource.status == .ok)
    #expect(resource.headers["X-New"] == "1")
    #expect(try resource.text == "one")
  }

  @Test func `a 200 delivers the new body in the same round trip`() async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [world.minute("two", eTag: "\"v2\"")])

    let chain = try chain(.conditional, transport)

    #expect(try await chain.names == ["progress", "downloaded"])
    #expect(try await chain.settle().value.text == "two")
  }

  @Test func `a 304 for another version makes the copy wanted again`() async throws {
    try await storeExpired()
    let other = ScriptedResponse(304, headers: [.eTag: "\"v9\""])
    let transport = ScriptedTransport(sequence: [other, world.minute("two")])

    let resource = try await chain(.conditional, transport)
      .download(over: transport, now: world.now)
      .settle()
      .value

    #expect(try resource.text == "two")
    #expect(transport.requests.last?.headers.contains(.ifNoneMatch) == false)
  }

  @Test func `a copy without a validator is wanted`() async throws {
    try await world.store(
      ScriptedResponse(headers: [.cacheControl: "max-age=0"], body: Data("one".utf8))
    )
    world.clock.advance(by: .seconds(1))
    let transport = ScriptedTransport(sequence: [notModified])

    #expect(try await chain(.conditional, transport).names == ["wanted"])
    #expect(transport.counts.started == 0)
  }

  // MARK: - HEAD

  @Test func `a HEAD with the same validators confirms the copy`() async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: [.eTag: "\"v1\"", .cacheControl: "max-age=90"])
    ])

    let resource = try await chain(.head, transport).settle().value

    #expect(transport.requests.map(\.method) == [.head])
    #expect(resource.freshness == .revalidated)
    #expect(try resource.text == "one")
  }

  @Test func `a request after a HEAD has the time that remains`() async throws {
    try await storeExpired()
    let spent = Mutex(Duration.zero)
    let transport = ScriptedTransport { request in
      guard request.method == .head else { return world.minute("two") }
      let begun = ContinuousClock.now
      while begun.duration(to: .now) < .milliseconds(20) {}
      spent.withLock { $0 = begun.duration(to: .now) }
      return ScriptedResponse(headers: [.eTag: "\"v2\""])
    }
    var request = try world.request
    request.timeouts.total = .seconds(60)

    _ = try await chain(.head, transport, of: request)
      .download(over: transport, now: world.now)
      .settle()
      .value

    let left = try #require(transport.requests.last?.timeouts.total)
    #expect(transport.requests.map(\.method) == [.head, .get])
    #expect(left <= .seconds(60) - spent.withLock { $0 })
  }

  @Test(arguments: [
    ScriptedResponse(headers: [.eTag: "\"v2\""]), ScriptedResponse(headers: [:]),
    ScriptedResponse(404), ScriptedResponse(405),
  ])
  func `a HEAD that does not confirm the copy leaves it wanted`(
    answer: ScriptedResponse
  ) async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [answer])

    #expect(try await chain(.head, transport).names == ["wanted"])
  }

  // MARK: - None

  @Test func `without validation an expired copy is wanted again`() async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [notModified])

    #expect(try await chain(.none, transport).names == ["wanted"])
    #expect(transport.counts.started == 0)
  }

  // MARK: - Failure

  @Test(arguments: [Revalidation.conditional, .head])
  func `a failure delivers the stale copy with the reason`(revalidation: Revalidation) async throws
  {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [.failure(lost)])

    let resource = try await chain(revalidation, transport).settle().value

    #expect(resource.freshness == .stale)
    #expect(resource.isFinal)
    #expect(resource.explanation.last == .servedStale(because: lost.description, kind: lost.kind))
  }

  @Test(arguments: [500, 502, 503, 504])
  func `a server error is a failure`(status: Int) async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [ScriptedResponse(HTTPStatus(status))])

    #expect(try await chain(.conditional, transport).settle().value.freshness == .stale)
    #expect(try await chain(.head, transport).settle().value.freshness == .stale)
  }

  @Test(arguments: [501, 505])
  func `a server without HEAD is asked for the body`(status: Int) async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(HTTPStatus(status)), world.minute("two"),
    ])

    let resource = try await chain(.head, transport).download(over: transport, now: world.now)
      .settle().value

    #expect(try resource.text == "two")
  }

  @Test func `a failure in the middle of the new body delivers the stale copy`() async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [
      world.minute("two").failing(with: lost, at: .afterChunks(1))
    ])

    let resource = try await chain(.conditional, transport).settle().value

    #expect(try resource.text == "one")
  }

  @Test func `a failure does not renew the copy`() async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [.failure(lost)])

    for _ in 0..<2 {
      _ = try await chain(.conditional, transport).persist(in: world.memory).settle().value
    }

    #expect(transport.counts.started == 2)
  }

  @Test func `a copy that must be revalidated is not served stale`() async throws {
    try await storeExpired(control: "max-age=60, must-revalidate")
    let transport = ScriptedTransport(sequence: [.failure(lost)])

    let error = await #expect(throws: FreshetError.self) {
      try await chain(.conditional, transport).settle().value
    }
    #expect(error == lost)
  }

  @Test(arguments: [
    FreshetError.cancelled, .insecure("not trusted", url: FetchWorld.url),
    .limitExceeded(.bodyBytes(1), url: FetchWorld.url),
  ])
  func `an error that is no outage is never replaced`(failure: FreshetError) async throws {
    try await storeExpired()
    let transport = ScriptedTransport(sequence: [.failure(failure)])

    let error = await #expect(throws: FreshetError.self) {
      try await chain(.conditional, transport).settle().value
    }
    #expect(error == failure)
  }
}
