import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestSchedulerTests {
  @Test func `priorities can change while others begin to wait`()
    async throws
  {
    let transport = transport()
    let client = client(transport) { $0.total = 1 }
    let scheduler = client.configuration.scheduler
    let running = try await start(client, "first")
    let url = try request("shared").url
    @Sendable func leave(_ priority: Request.Priority, after yields: Int) async {
      var request = Request(url)
      request.priority = priority
      let task = Task { try await client.resource(request).value }
      for _ in 0..<yields { await Task.yield() }
      task.cancel()
      _ = await task.result
    }

    await withTaskGroup { group in
      let priorities: [Request.Priority] = [.low, .normal, .high, .normal]
      for (seed, priority) in priorities.enumerated() {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(seed))
          for _ in 0..<2_000 {
            await leave(priority, after: Int.random(in: 0..<3, using: &generator))
          }
        }
      }
    }

    gate.open()
    _ = try await running.value
    // A fetch that is cancelled while it is handed a permit gives it back a moment later.
    while scheduler.waitingCount + scheduler.runningCount > 0 { await Task.yield() }
  }

  let gate = Gate()
  let clock = VirtualClock()

  private func client(
    _ transport: ScriptedTransport,
    _ configure: (inout RequestLimits) -> Void
  ) -> Client {
    let scheduler = RequestScheduler(clock: clock, configure)
    return Client {
      $0.transport = transport
      $0.scheduler = scheduler
    }
  }

  private func transport() -> ScriptedTransport {
    let gate = gate
    return ScriptedTransport { _ in ScriptedResponse.text("one").waiting(for: gate) }
  }

  private func request(_ path: String, _ priority: Request.Priority = .normal) throws -> Request {
    var request = try Request("http://a.example/\(path)")
    request.priority = priority
    return request
  }

  /// Starts a fetch and waits until it stands in the queue, or at the gate.
  private func start(
    _ client: Client,
    _ path: String,
    _ priority: Request.Priority = .normal
  ) async throws -> Running<Resource, FreshetError> {
    let scheduler = client.configuration.scheduler
    let count = scheduler.waitingCount + scheduler.runningCount
    let running = client.resource(try request(path, priority)).start()
    while scheduler.waitingCount + scheduler.runningCount == count { await Task.yield() }
    return running
  }

  private func paths(_ transport: ScriptedTransport) -> [String] {
    transport.requests.map(\.url.lastPathComponent)
  }

  @Test func `requests are sent by priority and age`() async throws {
    let transport = transport()
    let client = client(transport) { $0.total = 1 }
    var all = [try await start(client, "first")]
    all.append(try await start(client, "low", .low))
    all.append(try await start(client, "normal"))
    all.append(try await start(client, "high", .high))
    all.append(try await start(client, "high-2", .high))

    gate.open()
    for running in all { _ = try await running.value }

    #expect(paths(transport) == ["first", "high", "high-2", "normal", "low"])
    #expect(client.configuration.scheduler.runningCount == 0)
  }

  @Test func `prefetching yields to visible resources`() async throws {
    let transport = transport()
    let client = client(transport) { $0.background = 1 }
    var all = [try await start(client, "screen")]
    for index in 0..<3 { all.append(try await start(client, "prefetch-\(index)", .low)) }
    await gate.waiting(count: 2)

    #expect(client.configuration.scheduler.runningCount == 2)
    #expect(client.configuration.scheduler.waitingCount == 2)
    gate.open()
    for running in all { _ = try await running.value }
    #expect(transport.requests.count == 4)
  }

  @Test func `prefetching that has waited for the patience runs beside long requests`() async throws
  {
    let transport = transport()
    let client = client(transport) { $0.background = 1 }
    var all = [try await start(client, "screen")]
    all.append(try await start(client, "long", .low))
    all.append(try await start(client, "waiting", .low))
    await gate.waiting(count: 2)
    #expect(client.configuration.scheduler.waitingCount == 1)

    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .seconds(2))
    await gate.waiting(count: 3)

    #expect(client.configuration.scheduler.waitingCount == 0)
    gate.open()
    for running in all { _ = try await running.value }
  }

  @Test func `a request that waited for long precedes a newer one of higher priority`()
    async throws
  {
    let transport = transport()
    let client = client(transport) { $0.total = 1 }
    var all = [try await start(client, "first")]
    all.append(try await start(client, "low", .low))
    clock.advance(by: .seconds(4))
    all.append(try await start(client, "high", .high))

    gate.open()
    for running in all { _ = try await running.value }

    #expect(paths(transport) == ["first", "low", "high"])
  }

  @Test func `a busy host delays no other host`() async throws {
    let transport = transport()
    let client = client(transport) { $0.perHost = 1 }
    let first = try await start(client, "first")
    let second = try await start(client, "second")
    let other = client.resource(try Request("http://b.example/other")).start()
    await gate.waiting(count: 2)

    #expect(Set(paths(transport)) == ["first", "other"])
    gate.open()
    _ = try await (first.value, second.value, other.value)
  }

  @Test func `cancelling a waiting request ends it immediately and frees its permit`() async throws
  {
    let transport = transport()
    let client = client(transport) { $0.total = 1 }
    let first = try await start(client, "first")
    let waiting = try await start(client, "waiting")

    waiting.cancel()
    let error = await #expect(throws: FreshetError.self) { try await waiting.value }
    while client.configuration.scheduler.waitingCount > 0 { await Task.yield() }
    gate.open()

    #expect(error == .cancelled)
    _ = try await first.value
    #expect(paths(transport) == ["first"])
  }

  @Test func `low priority continues when the last other request stops waiting`()
    async throws
  {
    let transport = transport()
    let client = client(transport) {
      $0.background = 1
      $0.perHost = 2
    }
    var all = [try await start(client, "a", .low), try await start(client, "b", .low)]
    let normal = try await start(client, "normal")
    var other = try Request("http://b.example/c")
    other.priority = .low
    all.append(client.resource(other).start())
    while client.configuration.scheduler.waitingCount < 2 { await Task.yield() }

    normal.cancel()
    await gate.waiting(count: 3)

    #expect(Set(paths(transport)) == ["a", "b", "c"])
    gate.open()
    for running in all { _ = try await running.value }
  }

  @Test func `waiting counts towards a call's total time`() async throws {
    let transport = transport()
    let client = client(transport) { $0.total = 1 }
    let first = try await start(client, "first")
    var late = try request("late")
    late.timeouts.total = .seconds(3)
    let running = client.resource(late).start()
    await clock.sleepers(count: 1)

    clock.advance(by: .seconds(3))
    let error = await #expect(throws: FreshetError.self) { try await running.value }

    #expect(error == .timedOut(.total, url: "http://a.example/late"))
    gate.open()
    _ = try await first.value
    #expect(paths(transport) == ["first"])
  }

  @Test func `a failure releases its permit`() async throws {
    let transport = ScriptedTransport { _ in .failure(.noValue) }
    let client = client(transport) { $0.total = 1 }

    for _ in 0..<3 {
      _ = try? await client.resource(try request("x")).value
    }

    #expect(transport.counts.failed == 3)
    #expect(client.configuration.scheduler.runningCount == 0)
  }

  @Test func `an urgent subscriber raises a shared transfer`() async throws {
    let transport = transport()
    let client = client(transport) { $0.total = 1 }
    let first = try await start(client, "first")
    let low = try await start(client, "shared", .low)
    let normal = try await start(client, "normal")
    let urgent = client.resource(try request("shared", .high)).start()
    while client.configuration.coalescer?.subscriberCount != 4 { await Task.yield() }

    gate.open()
    _ = try await (first.value, low.value, normal.value, urgent.value)

    #expect(paths(transport) == ["first", "shared", "normal"])
  }

  @Test func `the transfer falls back when the urgent subscriber leaves`() async throws {
    let transport = transport()
    let client = client(transport) { $0.total = 1 }
    let first = try await start(client, "first")
    let low = try await start(client, "shared", .low)
    let normal = try await start(client, "normal")
    let urgent = client.resource(try request("shared", .high)).start()
    while client.configuration.coalescer?.subscriberCount != 4 { await Task.yield() }
    urgent.cancel()
    while client.configuration.coalescer?.subscriberCount != 3 { await Task.yield() }

    gate.open()
    _ = try await (first.value, low.value, normal.value)

    #expect(paths(transport) == ["first", "normal", "shared"])
  }

  @Test func `all waiting requests of a shared transfer rise with it, and fall back`() async throws
  {
    for isLeft in [false, true] {
      let gate = Gate()
      let transport = ScriptedTransport { _ in .text("one").waiting(for: gate) }
      let scheduler = RequestScheduler(clock: clock) { $0.total = 1 }
      let client = Client {
        $0.transport = TwoPartTransport(base: transport.limited(by: scheduler))
      }
      func waiting(_ count: Int) async {
        while scheduler.waitingCount != count { await Task.yield() }
      }
      let first = Task { await transport.limited(by: scheduler).call(try request("first")) }
      await gate.waiting()
      let low = client.resource(try request("shared", .low)).start()
      await waiting(2)
      let normal = Task { await transport.limited(by: scheduler).call(try request("normal")) }
      await waiting(3)
      let urgent = client.resource(try request("shared", .high)).start()
      while client.configuration.coalescer?.subscriberCount != 2 { await Task.yield() }
      if isLeft {
        urgent.cancel()
        while client.configuration.coalescer?.subscriberCount != 1 { await Task.yield() }
      }

      gate.open()
      _ = try await (first.value, normal.value, low.value)

      let parts = ["first", "shared", "shared", "normal"]
      #expect(paths(transport) == (isLeft ? ["first", "normal", "shared", "shared"] : parts))
    }
  }

  @Test func `a stored resource does not wait`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: [.cacheControl: "max-age=3600"], body: Data("one".utf8)),
      ScriptedResponse.text("two").waiting(for: gate),
    ])
    let client = client(transport) { $0.total = 1 }
    _ = try await client.resource(try request("stored")).value
    let busy = try await start(client, "busy")

    #expect(try await client.resource(try request("stored")).value.source == .memory)
    gate.open()
    _ = try await busy.value
  }
}

/// A transport that sends each request twice at once, such as one that fetches in two parts.
private struct TwoPartTransport: Transport {
  let base: any Transport

  func send(_ request: Request) -> Transfer {
    Transfer(
      request,
      preparing: { [base] () async throws(FreshetError) in
        async let other = base.call(request)
        let one = await base.call(request)
        _ = await other
        if let error = one.error { throw error }
        let head = ResponseHead(status: .ok, headers: [:], url: request.url)
        return Transfer(response: head, body: Data(one.text.utf8))
      }
    )
  }
}
