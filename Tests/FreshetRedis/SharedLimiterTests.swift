#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// Limits that processes share.
@Suite(.besideRedis, .timeLimit(.minutes(5))) struct SharedLimiterTests {
  static let url = "https://a.example/logo"
  /// So slow that no token comes back within a test.
  static let slow = RequestLimits.Rate(perSecond: 0.001, burst: 2)

  /// A process: a store, a clock and a transport of its own.
  private struct Process {
    let clock = VirtualClock()
    let store: SharedStore
    let wire: ScriptedTransport
    let transport: any Transport

    init(
      _ world: SharedWorld,
      _ rate: RequestLimits.Rate = slow,
      _ answer: @escaping @Sendable () -> ScriptedResponse = { ScriptedResponse(.ok) }
    ) async throws {
      store = try await world.connected()
      wire = ScriptedTransport { _ in answer() }
      transport = wire.intercepted(by: store.limiter(rate, clock: clock))
    }

    func start(_ url: String = SharedLimiterTests.url) throws -> Task<HTTPStatus, any Error> {
      let request = try Request(url)
      return Task {
        var status: HTTPStatus?
        for try await event in transport.send(request) {
          if case .head(let head) = event { status = head.status }
        }
        return try #require(status)
      }
    }
  }

  @Test func `processes take their tokens from one bucket`() async throws {
    let world = try await SharedWorld()
    let (first, second) = (try await Process(world), try await Process(world))

    _ = try await first.start().value
    _ = try await second.start().value
    let third = try second.start()
    #expect(await second.clock.sleepers(count: 1))
    let other = try second.start("https://b.example/")

    #expect(try await other.value == .ok)
    #expect(second.wire.requests.count == 2)
    second.clock.advance(by: .seconds(1_000))
    #expect(try await third.value == .ok)
  }

  @Test func `all processes keep the pause that a host asks one of`() async throws {
    let world = try await SharedWorld()
    let rate = RequestLimits.Rate(perSecond: 100, burst: 100)
    let first = try await Process(world, rate) {
      ScriptedResponse(429, headers: [.retryAfter: "100"])
    }
    let second = try await Process(world, rate)
    #expect(try await first.start().value == 429)
    #expect(
      try await eventually {
        let till = try await world.server.command(
          "HGET",
          second.store.names.rate("https://a.example:443"),
          "u"
        )
        return !till.isEmpty
      }
    )

    let waiting = try second.start()
    #expect(await second.clock.sleepers(count: 1))
    #expect(second.wire.requests.isEmpty)
    waiting.cancel()
    await #expect(throws: FreshetError.cancelled) { try await waiting.value }
  }

  @Test func `a pause is that of the host which has answered after a redirect`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    let wire = ScriptedTransport { _ in ScriptedResponse(429, headers: [.retryAfter: "100"]) }
    let target = try Request("https://b.example/")
    let transport = wire.intercepted { _, next in next(target) }
      .intercepted(by: store.limiter(Self.slow))

    for try await _ in transport.send(try Request(Self.url)) {}

    let (asked, answering) = (
      store.names.rate("https://a.example:443"), store.names.rate("https://b.example:443")
    )
    #expect(
      try await eventually { try await !world.server.command("HGET", answering, "u").isEmpty }
    )
    #expect(try await world.server.command("HGET", asked, "u").isEmpty)
  }

  @Test func `a request that waits for its token keeps a later pause as well`() async throws {
    let world = try await SharedWorld()
    let process = try await Process(world)
    for _ in 0..<2 { _ = try await process.start().value }
    let third = try process.start()
    #expect(await process.clock.sleepers(count: 1))
    let key = process.store.names.rate("https://a.example:443")
    _ = try await process.store.pool.run(.pause, [key], [.number(3_600_000_000)])

    process.clock.advance(by: .seconds(1_000))
    #expect(await process.clock.sleepers(count: 1))
    #expect(process.wire.requests.count == 2)
    try await world.server.command("DEL", key)
    process.clock.advance(by: .seconds(10_000))
    #expect(try await third.value == .ok)
  }

  @Test func `a later pause delays the token that a request waits for, and takes no other one`()
    async throws
  {
    let world = try await SharedWorld()
    let (first, process) = (try await Process(world), try await Process(world))
    let key = process.store.names.rate("https://a.example:443")
    func full() async throws -> Int64 {
      try #require(Int64(try await world.server.command("HGET", key, "t")))
    }
    for _ in 0..<2 { _ = try await first.start().value }
    let third = try process.start()
    #expect(await process.clock.sleepers(count: 1))
    let before = try await full()
    let delay = try await process.store.pool.run(.pause, [key], [.number(3_600_000_000)])
    let delayed = try await full()
    #expect(delay.number == 3_600_000_000 && delayed == before + 3_600_000_000)

    process.clock.advance(by: .seconds(1_000))
    #expect(await process.clock.sleepers(count: 1))
    #expect(try await full() == delayed)
    third.cancel()

    await #expect(throws: FreshetError.cancelled) { try await third.value }
    #expect(try await eventually { try await full() == delayed - 1_000_000_000 })
  }

  @Test func `a pause that the process hears of before the server is waited for once`()
    async throws
  {
    let world = try await SharedWorld()
    let gate = Gate()
    let count = Mutex(0)
    let (other, process) = (
      try await Process(world),
      try await Process(world) {
        let isFirst = count.withLock { count in
          count += 1
          return count == 1
        }
        guard isFirst else { return ScriptedResponse(.ok) }
        return ScriptedResponse(429, headers: [.retryAfter: "3000"]).waiting(for: gate)
      }
    )
    let key = process.store.names.rate("https://a.example:443")
    _ = try await other.start().value
    let first = try process.start()
    await gate.waiting()
    let second = try process.start()
    #expect(await process.clock.sleepers(count: 1))
    gate.open()
    #expect(try await first.value == 429)
    #expect(
      try await eventually { try await !world.server.command("HGET", key, "u").isEmpty }
    )
    // The server has not heard of it when the request asks, but then.
    try await world.server.command("DEL", key)
    process.clock.advance(by: .seconds(1_000))
    #expect(await process.clock.sleepers(count: 1))
    _ = try await process.store.pool.run(.pause, [key], [.number(3_000_000_000)])

    process.clock.advance(by: .seconds(3_000))

    #expect(try await eventually { process.wire.requests.count == 2 })
    second.cancel()
  }

  @Test(arguments: [true, false])
  func `a pause that the process hears of while the server reserves a token is waited for once`(
    isReservedFirst: Bool
  ) async throws {
    let world = try await SharedWorld()
    let gate = Gate()
    let count = Mutex(0)
    let process = try await Process(world) {
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      guard isFirst else { return ScriptedResponse(.ok) }
      return ScriptedResponse(429, headers: [.retryAfter: "3000"]).waiting(for: gate)
    }
    let key = process.store.names.rate("https://a.example:443")
    let first = try process.start()
    await gate.waiting()
    try await world.server.command("CLIENT", "PAUSE", "60000", "WRITE")
    let second = try process.start()
    #expect(
      try await eventually {
        try await world.server.command("CLIENT", "LIST").contains("cmd=evalsha")
      }
    )
    gate.open()
    #expect(try await first.value == 429)
    #expect(process.wire.requests.count == 1)
    if !isReservedFirst { world.server.kill() }
    if isReservedFirst { try await world.server.command("CLIENT", "UNPAUSE") }

    #expect(await process.clock.sleepers(count: 1))
    #expect(process.wire.requests.count == 1)
    if isReservedFirst {
      #expect(
        try await eventually { try await !world.server.command("HGET", key, "u").isEmpty }
      )
    }
    process.clock.advance(by: .seconds(3_000))

    #expect(try await eventually { process.wire.requests.count == 2 })
    #expect(process.clock.sleeperCount == 0)
    second.cancel()
  }

  @Test func `a request that a pause delays for longer than it has gives its token back`()
    async throws
  {
    let world = try await SharedWorld()
    let (first, process) = (try await Process(world), try await Process(world))
    let key = process.store.names.rate("https://a.example:443")
    for _ in 0..<2 { _ = try await first.start().value }
    var request = try Request(Self.url)
    request.timeouts.total = .seconds(2_000)
    let third = Task { [process, request] in
      for try await _ in process.transport.send(request) {}
    }
    #expect(await process.clock.sleepers(count: 1))
    _ = try await process.store.pool.run(.pause, [key], [.number(3_600_000_000)])
    let delayed = try #require(Int64(try await world.server.command("HGET", key, "t")))

    process.clock.advance(by: .seconds(1_000))

    let error = await #expect(throws: FreshetError.self) { try await third.value }
    #expect(error?.kind == "suspended")
    #expect(
      try await eventually {
        try await world.server.command("HGET", key, "t") == "\(delayed - 1_000_000_000)"
      }
    )
  }

  @Test func `without the server, those that wait hear a pause, and keep their distances`()
    async throws
  {
    let world = try await SharedWorld()
    let gate = Gate()
    let count = Mutex(0)
    let process = try await Process(world, RequestLimits.Rate(perSecond: 0.001, burst: 1)) {
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      guard isFirst else { return ScriptedResponse(.ok) }
      return ScriptedResponse(429, headers: [.retryAfter: "3000"]).waiting(for: gate)
    }
    world.server.kill()
    let first = try process.start()
    await gate.waiting()
    let second = try process.start()
    #expect(await process.clock.sleepers(count: 1))
    let third = try process.start()
    #expect(await process.clock.sleepers(count: 2))

    gate.open()
    #expect(try await first.value == 429)
    for _ in 0..<2 {
      // Their times, before the pause: both have another 3,000 seconds to wait.
      process.clock.advance(by: .seconds(1_000))
      #expect(await process.clock.sleepers(count: 2))
    }
    #expect(process.wire.requests.count == 1)

    process.clock.advance(by: .seconds(2_000))
    #expect(try await second.value == .ok)
    let fourth = try process.start()
    #expect(await process.clock.sleepers(count: 2))
    #expect(process.wire.requests.count == 2)
    process.clock.advance(by: .seconds(1_000))
    #expect(try await third.value == .ok)
    #expect(process.wire.requests.count == 3)
    process.clock.advance(by: .seconds(1_000))
    #expect(try await fourth.value == .ok)
  }

  @Test func `a cancelled request gives its token back`() async throws {
    let world = try await SharedWorld()
    let process = try await Process(world)
    let key = process.store.names.rate("https://a.example:443")
    for _ in 0..<2 { _ = try await process.start().value }
    let full = try await world.server.command("HGET", key, "t")
    let other = try await Process(world)
    let third = try other.start()
    #expect(await other.clock.sleepers(count: 1))
    #expect(try await world.server.command("HGET", key, "t") != full)
    third.cancel()

    await #expect(throws: FreshetError.cancelled) { try await third.value }
    #expect(try await eventually { try await world.server.command("HGET", key, "t") == full })
  }

  @Test func `a process that cancels a request has its token for the next one`() async throws {
    let world = try await SharedWorld()
    let process = try await Process(world)
    for _ in 0..<2 { _ = try await process.start().value }
    let third = try process.start()
    #expect(await process.clock.sleepers(count: 1))
    third.cancel()
    await #expect(throws: FreshetError.cancelled) { try await third.value }
    // The server has no part in it.
    world.server.kill()

    let fourth = try process.start()
    #expect(await process.clock.sleepers(count: 1))
    process.clock.advance(by: .seconds(1_000))
    #expect(try await fourth.value == .ok)
  }

  @Test func `a request that would wait for longer than it has takes no token, and says how long`()
    async throws
  {
    let world = try await SharedWorld()
    let (process, other) = (try await Process(world), try await Process(world))
    let key = process.store.names.rate("https://a.example:443")
    for _ in 0..<2 { _ = try await process.start().value }
    let full = try await world.server.command("HGET", key, "t")
    var request = try Request(Self.url)
    request.timeouts.total = .milliseconds(200)

    let error = await #expect(throws: FreshetError.self) {
      for try await _ in other.transport.send(request) {}
    }
    guard case .connection(.suspended(let pause), Self.url) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(pause > .seconds(900) && pause <= .seconds(1_000))
    #expect(other.wire.requests.isEmpty)
    #expect(try await world.server.command("HGET", key, "t") == full)
  }

  @Test func `without the server, each process keeps the limit by itself`() async throws {
    let world = try await SharedWorld()
    let (first, second) = (try await Process(world), try await Process(world))
    world.server.kill()

    for process in [first, second] {
      for _ in 0..<2 { #expect(try await process.start().value == .ok) }
      let third = try process.start()
      #expect(await process.clock.sleepers(count: 1))
      #expect(process.wire.requests.count == 2)
      process.clock.advance(by: .seconds(1_000))
      #expect(try await third.value == .ok)
    }
  }

  @Test func `tokens come back at the rate, by the clock of the server`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    let key = store.names.rate("x")
    var waits: [Int64] = []
    for _ in 0..<5 {
      let reply = try await store.pool.run(
        .reserve,
        [key],
        [.number(1_000_000_000), .number(2), .number(1 << 50)]
      )
      waits.append(try #require(reply.elements?[1].number))
    }

    #expect(waits[0] == 0 && waits[1] == 0)
    // Less the time that the commands have taken.
    for (number, wait) in waits.dropFirst(2).enumerated() {
      #expect(Int64(number) * 1_000_000_000 < wait && wait <= Int64(number + 1) * 1_000_000_000)
    }
  }

  /// Moves the times that the server has stored an hour ahead, as if its clock had been set back.
  private func moveAhead(_ world: SharedWorld, _ key: String) async throws {
    try await world.server.command(
      "EVAL",
      """
      for _, name in ipairs({'t', 'u', 'n'}) do
        local time = redis.call('HGET', KEYS[1], name)
        if time then
          redis.call('HSET', KEYS[1], name, string.format('%.0f', tonumber(time) + 3600000000))
        end
      end
      return 1
      """,
      "1",
      key
    )
  }

  @Test func `a clock that is set back delays no token`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    let key = store.names.rate("x")
    func reserve(atMost longest: Int64 = 1 << 50) async throws -> (isReserved: Bool, wait: Int64) {
      let reply = try await store.pool.run(
        .reserve,
        [key],
        [.number(100_000_000), .number(1), .number(longest)]
      )
      let found = try #require(reply.elements)
      return (found[0].number == 1, try #require(found[1].number))
    }
    for _ in 0..<2 { #expect(try await reserve().isReserved) }

    try await moveAhead(world, key)
    let third = try await reserve()
    #expect(third.isReserved && third.wait > 100_000_000 && third.wait <= 200_000_000)

    try await moveAhead(world, key)
    // One that is refused notices it, too: otherwise the bucket would not fill for an hour.
    let refused = try await reserve(atMost: 0)
    #expect(!refused.isReserved && refused.wait > 200_000_000 && refused.wait <= 300_000_000)
    let last = try await world.server.command("HGET", key, "n")
    let now = Date().timeIntervalSince1970 * 1_000_000
    #expect(try #require(Double(last)) < now + 1_800_000_000)
  }

  @Test func `a clock that is set back makes no pause longer`() async throws {
    let world = try await SharedWorld()
    let store = try await world.connected()
    let key = store.names.rate("x")
    for _ in 0..<2 {
      _ = try await store.pool.run(.pause, [key], [.number(100_000_000)])
      try await moveAhead(world, key)
    }

    let reply = try await store.pool.run(
      .reserve,
      [key],
      [.number(1_000), .number(1), .number(1 << 50)]
    )

    let wait = try #require(reply.elements?[1].number)
    #expect(wait > 0 && wait <= 100_000_000)
  }
}
#endif
