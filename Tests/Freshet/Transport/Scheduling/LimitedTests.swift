import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct LimitedTests {
  private let clock = VirtualClock()

  private func limiter(_ change: (inout RequestLimits) -> Void) -> RequestScheduler {
    RequestScheduler(clock: clock, change)
  }

  /// Begins a call and waits until it runs or waits.
  private func begin(
    _ transport: some Transport,
    _ limiter: RequestScheduler,
    _ request: Request
  ) async -> Task<CallResult, Never> {
    let before = limiter.waitingCount + limiter.runningCount
    let task = Task { await transport.call(request) }
    while limiter.waitingCount + limiter.runningCount == before { await Task.yield() }
    return task
  }

  @Test func `never runs more than the limit, and finishes all`() async throws {
    let limiter = limiter {
      $0.perHost = 3
      $0.total = 5
    }
    let (peak, hostPeak) = (Peak(), Peak())
    let running = Watched<[String: Int]>([:])
    let wire = ScriptedTransport { _ in .text("x") }
    let transport =
      wire.intercepted { request, next in
        let host = request.url.host() ?? ""
        return Transfer(
          request,
          preparing: { () async throws(FreshetError) in
            peak.note(limiter.runningCount)
            let count = running.update { counts -> Int in
              counts[host, default: 0] += 1
              return counts[host, default: 0]
            }
            hostPeak.note(count)
            await Task.yield()
            running.update { $0[host, default: 0] -= 1 }
            return next(request)
          }
        )
      }
      .limited(by: limiter)
    let requests = try (0..<200).map { try Request(to: "http://h\($0 % 4).test/") }

    let results = await withTaskGroup { group in
      for request in requests { group.addTask { await transport.call(request) } }
      return await group.reduce(into: [CallResult]()) { $0.append($1) }
    }

    #expect(results.allSatisfy { $0.status == 200 && $0.ends == 1 })
    #expect(results.count == 200)
    #expect(peak.value <= 5)
    #expect(hostPeak.value <= 3)
    #expect(wire.counts.started == 200)
    #expect(limiter.runningCount == 0)
    #expect(limiter.waitingCount == 0)
  }

  @Test func `releases a permit at the end, on failure, and when nobody reads on`() async throws {
    let limiter = limiter { $0.total = 1 }
    let wire = ScriptedTransport(sequence: [
      .failure(.connection(.lost, url: "u")), .text("abandoned"), .text("last"),
    ])
    let transport = wire.limited(by: limiter)

    let failed = await transport.call(try Request())
    var abandoned: Transfer.Iterator? = transport.send(try Request()).makeAsyncIterator()
    _ = try await abandoned?.next()
    #expect(limiter.runningCount == 1)
    abandoned = nil
    let last = await transport.call(try Request())

    #expect(failed.error?.kind == "connection")
    #expect(last.text == "last")
    #expect(limiter.runningCount == 0)
  }

  @Test func `cancelling a waiting request ends it immediately, unsent`() async throws {
    let gate = Gate()
    let limiter = limiter { $0.total = 1 }
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let transport = wire.limited(by: limiter)
    let first = await begin(transport, limiter, try Request())
    let second = await begin(transport, limiter, try Request())

    second.cancel()

    #expect(await second.value.error == .cancelled)
    #expect(limiter.waitingCount == 0)
    gate.open()
    #expect(await first.value.text == "x")
    #expect(wire.counts.started == 1)
  }

  @Test func `a priority can change while requests wait`() async throws {
    let gate = Gate()
    let limiter = limiter { $0.total = 1 }
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let transport = wire.limited(by: limiter)
    let urls = ["http://a.test/1", "http://a.test/2", "http://a.test/3"]
    var tasks: [Task<CallResult, Never>] = []
    for url in urls {
      tasks.append(await begin(transport, limiter, try Request(to: url) { $0.tags = [url] }))
    }

    limiter.setPriority(.high, tagged: urls[2])
    gate.open()
    for task in tasks { _ = await task.value }

    #expect(wire.requests.map(\.url.absoluteString) == [urls[0], urls[2], urls[1]])
  }

  @Test func `waiting counts towards the call's deadline`() async throws {
    let gate = Gate()
    let limiter = limiter { $0.total = 1 }
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let transport = wire.limited(by: limiter)
    let first = await begin(transport, limiter, try Request())
    let late = try Request { $0.timeouts.total = .seconds(3) }
    let second = await begin(transport, limiter, late)
    let third = await begin(transport, limiter, try Request { $0.timeouts.total = .seconds(9) })
    await clock.sleepers(count: 2)

    clock.advance(by: .seconds(3))

    #expect(await second.value.error == .timedOut(.total, url: "http://a.test/x"))
    gate.open()
    _ = await (first.value, third.value)
    #expect(wire.requests.map(\.timeouts.total) == [nil, .seconds(6)])
  }

  @Test func `the rate delays requests`() async throws {
    let limiter = limiter { $0.rate = .init(perSecond: 2, burst: 1) }
    let wire = ScriptedTransport { _ in .text("x") }
    let transport = wire.limited(by: limiter)
    let request = try Request()
    let calls = (0..<3).map { _ in Task { await transport.call(request) } }

    for _ in 0..<2 {
      await clock.sleepers(count: 1)
      clock.advance()
    }

    for call in calls { #expect(await call.value.status == 200) }
    #expect(clock.now.offset == .seconds(1))
    #expect(clock.sleeperCount == 0)
  }

  @Test func `each hop of a redirect takes a permit and releases the former one`() async throws {
    let limiter = limiter { $0.total = 1 }
    let wire = ScriptedTransport(sequence: [
      ScriptedResponse(302, headers: [.location: "http://b.test/"]), .text("x"),
    ])

    let result = await wire.limited(by: limiter).call(try Request())

    #expect(result.names == ["redirected", "head 200", "body", "finished"])
    #expect(limiter.runningCount == 0)
  }

  @Test func `a call that follows redirects itself takes a permit for each hop too`()
    async throws
  {
    let limiter = limiter { $0.perHost = 1 }
    let wire = ScriptedTransport { request in
      request.url.host() == "a.test"
        ? ScriptedResponse(302, headers: [.location: "http://b.test/"]) : .text("x")
    }
    let running = Mutex<[Int]>([])
    let transport = wire.retrying()
      .intercepted { request, next in
        running.withLock { $0.append(limiter.runningCount) }
        return next(request)
      }

    let result = await transport.limited(by: limiter).call(try Request(to: "http://a.test/"))

    #expect(result.names == ["redirected", "head 200", "body", "finished"])
    #expect(running.withLock { $0 } == [1, 1])
    #expect(limiter.runningCount == 0)
  }

  @Test func `a client's scheduler and a limiter inside both have a permit for each hop`()
    async throws
  {
    let (outer, inner) = (limiter { $0.total = 1 }, limiter { $0.total = 1 })
    let running = Mutex<[[Int]]>([])
    let wire = ScriptedTransport { request in
      request.url.host() == "a.test"
        ? ScriptedResponse(302, headers: [.location: "http://b.test/"]) : .text("x")
    }
    let transport = wire.intercepted { request, next in
      running.withLock { $0.append([outer.runningCount, inner.runningCount]) }
      return next(request)
    }
    let client = Client {
      $0.transport = transport.limited(by: inner)
      $0.scheduler = outer
    }

    let response = try await client.send(Request(to: "http://a.test/")).value

    #expect(response.status == 200)
    #expect(running.withLock { $0 } == [[1, 1], [1, 1]])
    #expect(outer.runningCount + inner.runningCount == 0)
  }

  @Test func `a redirect passes no transport around a limiter again, which would add its secret`()
    async throws
  {
    struct Signing: Transport {
      let base: any Transport

      func send(_ request: Request) -> Transfer {
        var request = request
        request.headers[.authorization] = "Bearer secret"
        return base.send(request)
      }
    }
    let wire = ScriptedTransport { request in
      request.url.host() == "a.test"
        ? ScriptedResponse(302, headers: [.location: "http://b.test/"]) : .text("x")
    }
    let client = Client { $0.transport = Signing(base: wire.limited(by: limiter { $0.total = 1 })) }

    _ = try await client.send(Request(to: "http://a.test/")).value

    #expect(wire.requests.map { $0.headers[.authorization] } == ["Bearer secret", nil])
  }

  @Test func `a rate without waiting requests sets no timer`() async throws {
    let limiter = limiter { $0.rate = .init(perSecond: 1) }
    let transport = ScriptedTransport { _ in .text("x") }.limited(by: limiter)
    _ = await transport.call(try Request())
    let waiting = await begin(transport, limiter, try Request())
    await clock.sleepers(count: 1)

    waiting.cancel()

    #expect(await waiting.value.error == .cancelled)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a deadline is the shorter of both`() async throws {
    let wire = ScriptedTransport { _ in .text("x") }
    let transport = wire.deadline(.seconds(5))

    for total in [nil, Duration.seconds(3), .seconds(9)] {
      _ = await transport.call(try Request { $0.timeouts.total = total })
    }

    #expect(wire.requests.map(\.timeouts.total) == [.seconds(5), .seconds(3), .seconds(5)])
  }
}
