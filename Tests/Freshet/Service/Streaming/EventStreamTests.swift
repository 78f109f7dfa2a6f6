import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
  @Test func `a broken connection continues after the last id`() async throws {
    let script = ServiceScript(
      .events("id: 4\ndata: a\n\nid: 5\ndata: lost", failure: .connection(.lost, url: "")),
      .events("data: b\n\n"),
      .init(status: 204)
    )

    let events = try await Client(script).events(.get("x"), reconnection: .quick()).collected()

    #expect(events == [.init(data: "a", id: "4"), .init(data: "b", id: "4")])
    #expect(script.requests.map { $0.headers["Last-Event-ID"] } == [nil, "4", "4"])
    #expect(script.requests.allSatisfy { $0.headers[.accept] == "text/event-stream" })
  }

  @Test func `a compressed stream that breaks off continues after the last id`() async throws {
    let headers: HTTPHeaders = [.contentType: "text/event-stream", .contentEncoding: "gzip"]
    let body = Gzip.stored(Data("id: 4\ndata: a\n\n".utf8))
    let server = try LoopbackServer([
      "/": .sequence([
        // Without the checksum and the length at the end.
        .response(200, headers: headers, body: body.dropLast(8)), .status(204),
      ])
    ])
    let stream = Client().events(Request(.get, server.url("/")), reconnection: .quick())

    let events = try await stream.collected()

    #expect(events == [.init(data: "a", id: "4")])
    #expect(server.requests.map { $0.headers[.lastEventID] } == [nil, "4"])
  }

  @Test func `a body that is no response ends it with a failure`() async throws {
    let failure = FreshetError.invalidResponse("its body is not recorded", url: "https://a.test/x")
    let script = ServiceScript(.events("data: a\n\n", failure: failure), .init(status: 204))
    var events = Client(script).events(.get("x"), reconnection: .quick()).makeAsyncIterator()
    #expect(try await events.next()?.data == "a")

    let error = await #expect(throws: FreshetError.self) { try await events.next() }

    #expect(error?.kind == "invalidResponse")
    #expect(script.requests.count == 1)
  }

  @Test func `ends after a 204`() async throws {
    let script = ServiceScript(.init(status: 204))
    var events = Client(script).events(.get("x"), reconnection: .quick()).makeAsyncIterator()

    #expect(try await events.next() == nil)
    #expect(try await events.next() == nil)
    #expect(script.requests.count == 1)
  }

  @Test(arguments: [
    ServiceScript.Reply.json("{}"), .init(chunks: [Data("data: a\n\n".utf8)]),
    .json("", status: 404), .json("", status: 401),
  ])
  func `a wrong type or status ends it with a failure`(reply: ServiceScript.Reply) async throws {
    let script = ServiceScript(reply)
    var events = Client(script).events(.get("x"), reconnection: .quick()).makeAsyncIterator()

    let error = await #expect(throws: FreshetError.self) { try await events.next() }

    #expect(error?.kind == (reply.status == 200 ? "invalidResponse" : "status"))
    #expect(try await events.next() == nil)
    #expect(script.requests.count == 1)
  }

  @Test func `transient statuses and failures are retried`() async throws {
    let script = ServiceScript(
      .json("", status: 503),
      .json("", status: 425),
      .json("", status: 429),
      .failure(.connection(.refused, url: "")),
      .failure(.timedOut(.idle, url: "")),
      .events("data: a\n\n"),
      .init(status: 204)
    )

    let events = try await Client(script).events(.get("x"), reconnection: .quick()).collected()

    #expect(events.map(\.data) == ["a"])
    #expect(script.requests.count == 7)
  }

  @Test func `it fails after too many connections without an event`() async throws {
    let script = ServiceScript(.events("data: a\n\n"), .failure(.connection(.refused, url: "")))
    let reconnection = Reconnection.quick { $0.maximumFailures = 2 }
    var events = Client(script).events(.get("x"), reconnection: reconnection).makeAsyncIterator()
    #expect(try await events.next()?.data == "a")

    await #expect(throws: FreshetError.connection(.refused, url: "")) { try await events.next() }
    // The one with the event, and one more than the limit.
    #expect(script.requests.count == 4)
  }

  @Test func `a closure changes the policy of reconnecting`() async {
    let script = ServiceScript(.failure(.connection(.refused, url: "")))
    let stream = Client(script)
      .events(.get("x")) {
        $0.maximumFailures = 2
        $0.clock = RecordingClock()
      }

    await #expect(throws: FreshetError.connection(.refused, url: "")) {
      try await stream.collected()
    }
    #expect(script.requests.count == 3)
  }

  @Test func `the retries of the client multiply with the failures`() async {
    let script = ServiceScript(.json("", status: 503))
    let client = Client {
      $0.transport = script
      $0.retry = RetryPolicy {
        $0.maximumRetries = 3
        $0.budget = nil
      }
      $0.clock = RecordingClock()
    }
    let stream = client.events(.get("https://api.test/x")) { $0.maximumFailures = 10 }

    let error = await #expect(throws: FreshetError.self) { try await stream.collected() }

    #expect(error?.head?.status == 503)
    #expect(script.requests.count == 44)
  }

  @Test(arguments: [nil, FreshetError.connection(.lost, url: "")])
  func `the end of a connection that had an event is no failure`(
    failure: FreshetError?
  ) async throws {
    let reply = ServiceScript.Reply.events("data: a\n\n", failure: failure)
    let script = ServiceScript(reply, reply, reply, .init(status: 204))
    let reconnection = Reconnection.quick { $0.maximumFailures = 0 }

    let events = try await Client(script).events(.get("x"), reconnection: reconnection).collected()

    #expect(events.map(\.data) == ["a", "a", "a"])
  }

  @Test func `comments do not reset the count of failures, events do`() async throws {
    let quiet = ServiceScript.Reply.events(": still here\n\n: and here\n\nretry: 1\n\n")
    let script = ServiceScript(quiet, quiet, .events("data: a\n\n"), quiet, quiet, quiet, quiet)
    let reconnection = Reconnection.quick { $0.maximumFailures = 2 }

    var events = Client(script).events(.get("x"), reconnection: reconnection).makeAsyncIterator()

    #expect(try await events.next()?.data == "a")
    let error = await #expect(throws: FreshetError.self) { try await events.next() }
    #expect(error?.kind == "connection")
    #expect(script.requests.count == 6)
  }

  @Test(arguments: ["0", "1", "50", "99", "100"])
  func `a server cannot ask for a shorter pause than the shortest, nor for no back-off`(
    retry: String
  ) async throws {
    let clock = RecordingClock()
    let script = ServiceScript(.events("retry: \(retry)\n\n"))
    let reconnection = Reconnection {
      $0.clock = clock
      $0.generator = FixedGenerator(value: 0)
    }
    var events = Client(script).events(.get("x"), reconnection: reconnection).makeAsyncIterator()

    await #expect(throws: FreshetError.self) { try await events.next() }

    let pauses = clock.log.pauses.withLock { $0.map { $0 / .milliseconds(1) } }
    #expect(pauses == [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200])
  }

  @Test func `a server that sends one event each time is not asked more often`() async throws {
    let clock = RecordingClock()
    let reply = ServiceScript.Reply.events("retry: 0\ndata: a\n\n")
    let script = ServiceScript(reply, reply, reply, .init(status: 204))
    let reconnection = Reconnection {
      $0.clock = clock
      $0.generator = FixedGenerator(value: 0)
    }

    let events = try await Client(script).events(.get("x"), reconnection: reconnection).collected()

    #expect(events.count == 3)
    #expect(clock.log.pauses.withLock { $0 } == Array(repeating: .milliseconds(100), count: 3))
  }

  @Test func `the total time covers all connections and pauses, and ends the stream`() async throws
  {
    let clock = VirtualClock()
    let script = ServiceScript(.events("retry: 4000\ndata: a\n\n"))
    let reconnection = Reconnection {
      $0.clock = clock
      $0.generator = FixedGenerator(value: 0)
    }
    let request = try Request(to: "https://api.test/x") { $0.timeouts.total = .seconds(10) }
    let stream = Client(script).events(request, reconnection: reconnection)
    let task = Task { await #expect(throws: FreshetError.self) { try await stream.collected() } }

    for _ in 0..<3 {
      #expect(await clock.sleepers(count: 1))
      clock.advance()
    }

    #expect(await task.value == .timedOut(.total, url: "https://api.test/x"))
    #expect(clock.now.offset == .seconds(10))
    #expect(script.requests.map(\.timeouts.total) == [10, 6, 2].map { .seconds($0) })
  }

  @Test func `a connection that has used up the total time is the last`() async throws {
    let failure = FreshetError.timedOut(.total, url: "")
    let script = ServiceScript(.events("data: a\n\n", failure: failure))
    var events = Client(script).events(.get("x"), reconnection: .quick()).makeAsyncIterator()
    #expect(try await events.next()?.data == "a")

    await #expect(throws: failure) { try await events.next() }

    #expect(try await events.next() == nil)
    #expect(script.requests.count == 1)
  }

  @Test(arguments: [
    "text/event-stream;x bogus", "text/event-stream; charset", "TEXT/EVENT-STREAM;",
  ])
  func `ignores parameters of the type in any notation`(type: String) async throws {
    let reply = ServiceScript.Reply(
      headers: [.contentType: type],
      chunks: [Data("data: a\n\n".utf8)]
    )
    let script = ServiceScript(reply, .init(status: 204))

    let events = try await Client(script).events(.get("x"), reconnection: .quick()).collected()

    #expect(events.map(\.data) == ["a"])
  }

  @Test func `an id that no field can contain is kept and not sent`() async throws {
    let script = ServiceScript(
      .events("id: a\u{1}b\ndata: a\n\n"),
      .events("id: c\ndata: b\n\n"),
      .init(status: 204)
    )

    let events = try await Client(script).events(.get("x"), reconnection: .quick()).collected()

    #expect(events.map(\.id) == ["a\u{1}b", "c"])
    #expect(script.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil, "c"])
  }

  @Test func `pauses are waited on the client's clock, with its generator`() async throws {
    let clock = RecordingClock()
    let script = ServiceScript(.events(""), .init(status: 204))
    let client = Client {
      $0.transport = script
      $0.clock = clock
      $0.generator = FixedGenerator(value: 0)
    }

    _ = try await client.events(try Request()).collected()

    #expect(clock.log.pauses.withLock { $0 } == [.seconds(3)])
  }

  @Test func `pauses are the server's, double without events and have a random part`() async throws
  {
    let clock = RecordingClock()
    let script = ServiceScript(
      .events("retry: 2000\ndata: a\n\n"),
      .events(""),
      .events(""),
      .events("data: b\n\n"),
      .init(status: 204)
    )
    let reconnection = Reconnection {
      $0.clock = clock
      $0.generator = FixedGenerator(value: .max)
      $0.maximumDelay = .seconds(5)
    }

    _ = try await Client(script).events(.get("x"), reconnection: reconnection).collected()

    let pauses = clock.log.pauses.withLock { $0.map { $0 / .seconds(1) } }
    #expect(pauses.count == 4)
    #expect(zip(pauses, [3, 6, 7.5, 3]).allSatisfy { abs($0 - $1) < 0.001 }, "\(pauses)")
  }

  @Test func `a silent stream is no failure`() async throws {
    let silent = ServiceScript.Reply.events("", failure: .timedOut(.idle, url: ""))
    let script = ServiceScript(silent, silent, silent, .events("data: a\n\n"))
    let reconnection = Reconnection.quick { $0.maximumFailures = 1 }

    var events = Client(script).events(.get("x"), reconnection: reconnection).makeAsyncIterator()

    #expect(try await events.next()?.data == "a")
    #expect(script.requests.count == 4)
  }

  @Test func `silence does not reset the count of failures`() async throws {
    let silent = ServiceScript.Reply.events("", failure: .timedOut(.idle, url: ""))
    let script = ServiceScript(.events(""), silent, silent, .events(""))
    let reconnection = Reconnection.quick { $0.maximumFailures = 1 }

    var events = Client(script).events(.get("x"), reconnection: reconnection).makeAsyncIterator()

    let error = await #expect(throws: FreshetError.self) { try await events.next() }
    #expect(error?.kind == "connection")
    #expect(script.requests.count == 4)
  }

  @Test func `does not reconnect before Retry-After`() async throws {
    let clock = RecordingClock()
    let script = ServiceScript(
      .json("", status: 429, headers: ["Retry-After": "30"]),
      .init(status: 204)
    )
    let reconnection = Reconnection {
      $0.clock = clock
      $0.generator = FixedGenerator(value: 0)
      $0.delay = .milliseconds(100)
    }

    _ = try await Client(script).events(.get("x"), reconnection: reconnection).collected()

    let pauses = clock.log.pauses.withLock { $0.map { $0 / .seconds(1) } }
    #expect(pauses.count == 1 && pauses[0] > 29, "\(pauses)")
  }

  @Test func `the pause has a random part of up to a half`() async throws {
    for (value, pause) in [(UInt64(1_024), 3.0), (.max, 4.5)] {
      let clock = RecordingClock()
      let reconnection = Reconnection {
        $0.clock = clock
        $0.generator = FixedGenerator(value: value)
      }
      let script = ServiceScript(.events(""), .init(status: 204))

      _ = try await Client(script).events(.get("x"), reconnection: reconnection).collected()

      let pauses = clock.log.pauses.withLock { $0.map { $0 / .seconds(1) } }
      #expect(pauses.count == 1 && abs(pauses[0] - pause) < 0.001)
    }
  }

  @Test func `a body that cannot be repeated is sent once`() async throws {
    let script = ServiceScript(.events(""))
    let request = Request(
      .put,
      URL(string: "https://api.test/x")!,
      body: .stream { Chunks([]).untyped }
    )

    let events = try await Client(script).events(request, reconnection: .quick()).collected()

    #expect(events.isEmpty)
    #expect(script.requests.count == 1)
  }

  @Test func `a POST is sent once, and its events end with its response`() async throws {
    let script = ServiceScript(.events("id: 1\ndata: a\n\ndata: [DONE]\n\n"))
    let request = Request.post("https://api.test/chat", body: .text("hello"))
    var events = Client(script).events(request, reconnection: .quick()).makeAsyncIterator()

    #expect(try await events.next()?.data == "a")
    #expect(try await events.next()?.data == "[DONE]")
    #expect(try await events.next() == nil)
    #expect(try await events.next() == nil)
    #expect(script.requests.count == 1)
  }

  @Test(arguments: [FreshetError.connection(.lost, url: ""), .timedOut(.idle, url: "")])
  func `a POST whose response breaks fails its events`(failure: FreshetError) async throws {
    let script = ServiceScript(.events("data: a\n\ndata: b", failure: failure))
    let request = Request.post("https://api.test/chat", body: .text("hello"))
    var events = Client(script).events(request, reconnection: .quick()).makeAsyncIterator()
    #expect(try await events.next()?.data == "a")

    await #expect(throws: failure) { try await events.next() }

    #expect(try await events.next() == nil)
    #expect(script.requests.count == 1)
  }

  @Test(arguments: [429, 503])
  func `a POST that is refused fails its events`(status: HTTPStatus) async throws {
    let script = ServiceScript(.json("{}", status: status))
    let request = Request.post("https://api.test/chat", body: .text("hello"))

    let error = await #expect(throws: FreshetError.self) {
      try await Client(script).events(request, reconnection: .quick()).collected()
    }

    #expect(error?.head?.status == status)
    #expect(script.requests.count == 1)
  }

  @Test(arguments: [true, false])
  func `a POST connects again that has an Idempotency-Key or is declared safe`(
    hasKey: Bool
  ) async throws {
    let script = ServiceScript(.events("id: 1\ndata: a\n\n"), .init(status: 204))
    var request = Request.post("https://api.test/chat", body: .text("hello"))
    if hasKey { request.headers[.idempotencyKey] = "k" } else { request.cacheIdentity = .request() }

    let events = try await Client(script).events(request, reconnection: .quick()).collected()

    #expect(events.map(\.data) == ["a"])
    #expect(script.requests.map { $0.headers[.lastEventID] } == [nil, "1"])
  }

  @Test func `cancelling ends it while it reads`() async {
    let hang = Hang()
    let script = ServiceScript(
      .init(headers: [.contentType: "text/event-stream"], hang: hang)
    )
    let stream = Client(script).events(.get("x"), reconnection: .quick())
    let task = Task { await #expect(throws: FreshetError.self) { try await stream.collected() } }
    await hang.arrived()

    task.cancel()

    #expect(await task.value == .cancelled)
    #expect(script.requests.count == 1)
  }

  @Test func `cancelling ends it during a pause`() async {
    let hang = Hang()
    let script = ServiceScript(.events(""))
    let reconnection = Reconnection { $0.clock = RecordingClock(hang: hang) }
    let stream = Client(script).events(.get("x"), reconnection: reconnection)
    let task = Task { await #expect(throws: FreshetError.self) { try await stream.collected() } }
    await hang.arrived()

    task.cancel()

    #expect(await task.value == .cancelled)
    #expect(script.requests.count == 1)
  }

  @Test func `a line that is too long ends it`() async {
    let reconnection = Reconnection.quick { $0.limit = 8 }
    let script = ServiceScript(.events("data: 123456\n\n"))

    let error = await #expect(throws: FreshetError.self) {
      try await Client(script).events(.get("x"), reconnection: reconnection).collected()
    }

    #expect(error == .limitExceeded(.lineBytes(8), url: ""))
  }
}

extension Reconnection {
  fileprivate static func quick(_ configure: (inout Reconnection) -> Void = { _ in }) -> Self {
    Reconnection {
      $0.clock = RecordingClock()
      configure(&$0)
    }
  }
}

extension Chunks {
  fileprivate var untyped: AsyncStream<Data>.Untyped { .init(base: AsyncStream { $0.finish() }) }
}

extension AsyncStream<Data> {
  fileprivate struct Untyped: AsyncSequence, Sendable {
    let base: AsyncStream<Data>

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
      var base: AsyncStream<Data>.Iterator

      mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(any Error) -> Data? {
        await base.next(isolation: actor)
      }
    }
  }
}

/// A clock whose pauses take no time, or last until the task is cancelled.
private struct RecordingClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
    func duration(to other: Self) -> Duration { other.offset - offset }
    static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  final class Log: Sendable {
    let pauses = Mutex<[Duration]>([])
  }

  let log = Log()
  var hang: Hang?
  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    log.pauses.withLock { $0.append(deadline.offset) }
    await hang?.wait()
    try Task.checkCancellation()
  }
}

private struct FixedGenerator: RandomNumberGenerator, Sendable {
  let value: UInt64
  func next() -> UInt64 { value }
}
