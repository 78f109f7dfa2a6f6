import Foundation
import Freshet
import FreshetTesting
import Testing

/// Wherever a call waits, it can be ended from outside.
@Suite(.timeLimit(.minutes(5))) struct CallEndingTests {
  private let activity = ClientActivity()
  private let clock = VirtualClock()

  /// Begins a call, waits until it waits, ends it, and returns how it ended.
  private func end(
    _ transport: some Transport,
    when isWaiting: @Sendable () async -> Void
  ) async throws -> CallResult {
    let transport = transport.tracked(by: activity)
    let request = try Request()
    let task = Task { await transport.call(request) }
    await isWaiting()
    #expect(activity.count == 1)

    activity.cancelAll()

    let result = await task.value
    #expect(activity.isIdle)
    return result
  }

  @Test func `ends in the pause before a retry`() async throws {
    let wire = ScriptedTransport(sequence: [ScriptedResponse(503), .text("x")])
    let clock = clock

    let result = try await end(wire.retrying(clock: clock)) { await clock.sleepers(count: 1) }

    #expect(result.error == .cancelled)
    #expect(result.ends == 1)
    #expect(wire.counts.started == 1)
    #expect(clock.now.offset == .zero)
  }

  @Test func `ends in the queue of a limiter`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let scheduler = RequestScheduler { $0.perHost = 1 }
    let limited = wire.limited(by: scheduler)
    let request = try Request()
    let first = Task { await limited.call(request) }
    await gate.waiting()

    let result = try await end(limited) {
      while scheduler.waitingCount == 0 { await Task.yield() }
    }

    #expect(result.error == .cancelled)
    #expect(scheduler.waitingCount == 0)
    gate.open()
    #expect(await first.value.text == "x")
    #expect(wire.counts.started == 1)
  }

  @Test func `ends in the latency of a demo`() async throws {
    var route = DemoRoute("slow", success: .bytes(Data("x".utf8)))
    route.latency = .seconds(5)...(.seconds(5))
    let (clock, files) = (clock, FileManager.default.temporaryDirectory)
    let demo = DemoTransport(directory: files, routes: [route], clock: clock)

    let result = try await end(demo) { await clock.sleepers(count: 1) }

    #expect(result.error == .cancelled)
  }

  @Test func `ends while a demo waits for the body of its request`() async throws {
    let gate = Gate()
    let route = DemoRoute("slow", success: .bytes(Data("x".utf8)))
    let demo = DemoTransport(directory: FileManager.default.temporaryDirectory, routes: [route])
    var request = try Request()
    request.method = .post
    request.body = .stream(isReplayable: false) {
      AsyncThrowingStream<Data, any Error> {
        try await gate.enter()
        return nil
      }
    }
    let (transport, sent) = (demo.tracked(by: activity), request)
    let call = Task { await transport.call(sent) }
    await gate.waiting()

    activity.cancelAll()

    #expect(await call.value.error == .cancelled)
    #expect(activity.isIdle)
  }

  @Test func `ends while it waits for a new credential`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport(sequence: [ScriptedResponse(401), .text("x")])
    let session = Authenticator(.bearer("old"), for: [try Request().url]) { _, _ in
      try await gate.enter()
      return .bearer("new")
    }

    let result = try await end(wire.authenticated(by: session)) { await gate.waiting() }

    #expect(result.error == .cancelled)
    #expect(wire.counts.started == 1)
    gate.open()
  }

  @Test func `ends while it is signed`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x") }
    let session = Authenticator(for: [try Request().url], subject: "ann") { request in
      try await gate.enter()
      return request
    }

    let result = try await end(wire.authenticated(by: session)) { await gate.waiting() }

    #expect(result.error == .cancelled)
    #expect(wire.counts.started == 0)
  }

  @Test func `ends while an interceptor prepares its request or waits for another one`()
    async throws
  {
    let gate = Gate()
    let scheduler = RequestScheduler { $0.perHost = 1 }
    let preparing = ScriptedTransport { _ in .text("x") }
      .intercepted { request, next in
        Transfer(request) { () async throws(FreshetError) in
          try await gate.enter()
          return next(request)
        }
      }
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let limited = wire.limited(by: scheduler)
    let replacing = limited.intercepted { request, next in next(Request(request.url)) }

    let prepared = try await end(preparing) { await gate.waiting() }
    let replaced = try await end(replacing) { await gate.waiting() }

    #expect(prepared.error == .cancelled)
    #expect(replaced.error == .cancelled)
    #expect(wire.counts.running == 0)
    #expect(scheduler.runningCount == 0)
  }

  @Test func `ends in the events of a custom sequence`() async throws {
    let gate = Gate()

    let result = try await end(SequenceTransport(gate: gate)) { await gate.waiting() }

    #expect(result.error == .cancelled)
  }

  @Test func `ends by either of two activities`() async throws {
    let (gate, inner) = (Gate(), ClientActivity())
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let (seen, request) = (wire.tracked(by: inner), try Request())
    let twice = seen.tracked(by: activity)

    let byOuter = try await end(seen) { await gate.waiting() }
    #expect(inner.isIdle)
    let task = Task { await twice.call(request) }
    await gate.waiting()
    inner.cancelAll()

    #expect(byOuter.error == .cancelled)
    #expect(await task.value.error == .cancelled)
    #expect(activity.isIdle)
    #expect(wire.counts.running == 0)
  }

  #if !canImport(Darwin)
  @Test func `ends while a server is silent, before its head and in its body`() async throws {
    let gate = Gate()
    let server = try LoopbackServer([
      "/head": .text("x").delayed(until: gate),
      "/body": .generated(GeneratedBytes(length: 3 << 20)).stalled(after: 1_000),
    ])
    let client = Client { $0.transport = DefaultTransport() }
    let requests = ["/head", "/body"].map { Request(server.url($0)) }
    let tasks = requests.map { request in Task { try await client.send(request).value.status } }
    while !client.activity.calls.contains(where: { $0.received.completed > 0 })
      || server.requests.count < 2
    {
      await Task.yield()
    }

    client.activity.cancelAll()

    for task in tasks {
      await #expect(throws: FreshetError.cancelled) { try await task.value }
    }
    await server.stop()
  }
  #endif
}

/// A transport of an app's own whose events come from a sequence.
private struct SequenceTransport: Transport {
  let gate: Gate

  func send(_ request: Request) -> Transfer {
    Transfer(request, events: Events(gate: gate))
  }

  struct Events: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let gate: Gate

    func makeAsyncIterator() -> Events { self }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      try await gate.enter()
      return nil
    }
  }
}
