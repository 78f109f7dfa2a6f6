import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

/// Counts from one.
private final class Count: Sendable {
  private let count = Atomic<Int>(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

/// A second request when the first one is slow.
@Suite(.timeLimit(.minutes(5))) struct HedgedTransportTests {
  let clock = VirtualClock()
  let first = Gate()

  /// A wire whose first response waits at a gate, and whose second one does not.
  private func wire() -> ScriptedTransport {
    let (count, gate) = (Count(), first)
    return ScriptedTransport { _ in
      let number = count.next()
      let response = ScriptedResponse.text("response \(number)")
      return number == 1 ? response.waiting(for: gate) : response
    }
  }

  private func request(_ method: HTTPMethod = .get) throws -> Request {
    Request(method, try #require(URL(string: "http://a.example/lake")))
  }

  private func hedged(
    _ wire: ScriptedTransport,
    _ configure: (inout HedgingPolicy) -> Void = { _ in }
  ) -> some Transport {
    wire.hedged(HedgingPolicy(configure), clock: clock)
  }

  @Test func `a slow request is sent again, and the first response is used`() async throws {
    let wire = wire()
    let transport = hedged(wire)
    async let result = transport.call(request())
    #expect(await clock.sleepers(count: 1))
    #expect(wire.requests.count == 1)
    clock.advance(by: .milliseconds(500))

    #expect(try await result.text == "response 2")
    #expect(try await result.ends == 1)
    #expect(wire.requests.count == 2)
    #expect(await wire.counted { $0.cancelled == 1 && $0.running == 0 })
  }

  @Test func `a request of a transport that is tracked is sent again as well`() async throws {
    let wire = wire()
    let activity = ClientActivity()
    let transport = wire.tracked(by: activity).hedged(HedgingPolicy(), clock: clock)
    async let result = transport.call(request())
    #expect(await first.waiting())
    #expect(await clock.sleepers(count: 1))
    #expect(activity.count == 1)
    clock.advance(by: .milliseconds(500))

    #expect(try await result.text == "response 2")
  }

  @Test func `a request that answers in time is sent once`() async throws {
    let wire = ScriptedTransport { _ in .text("water") }
    let result = try await hedged(wire).call(request())

    #expect(result.text == "water")
    #expect(wire.requests.count == 1)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a request that fails is the second one's to answer`() async throws {
    let (count, gate) = (Count(), first)
    let wire = ScriptedTransport { request in
      count.next() == 1
        ? ScriptedResponse().waiting(for: gate)
          .failing(with: .connection(.lost, url: "\(request.url)"))
        : .text("second").waiting(for: gate)
    }
    let transport = hedged(wire)
    async let result = transport.call(request())
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .milliseconds(500))
    #expect(await gate.waiting(count: 2))
    gate.open()

    #expect(try await result.text == "second")
  }

  @Test func `a request that fails early fails at once`() async throws {
    let wire = ScriptedTransport { request in
      ScriptedResponse().failing(with: .connection(.refused, url: "\(request.url)"))
    }
    let result = try await hedged(wire).call(request())

    #expect(result.error?.kind == "connection")
    #expect(wire.requests.count == 1)
  }

  @Test(arguments: [HTTPMethod.post, .patch, .put, .delete])
  func `a request that may not be repeated is sent once`(method: HTTPMethod) async throws {
    let wire = wire()
    let transport = hedged(wire)
    async let result = transport.call(request(method))
    #expect(await first.waiting())
    #expect(clock.sleeperCount == 0)
    first.open()

    #expect(try await result.text == "response 1")
    #expect(wire.requests.count == 1)
  }

  @Test(arguments: [HTTPMethod.put, .delete])
  func `an idempotent request is sent again if the policy says so`(
    method: HTTPMethod
  ) async throws {
    let wire = wire()
    let transport = hedged(wire) { $0.includesUnsafe = true }
    async let result = transport.call(request(method))
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .milliseconds(500))

    #expect(try await result.text == "response 2")
  }

  @Test func `the wait for a permit is no delay of the server`() async throws {
    let gates = [Gate(), Gate()]
    let count = Count()
    let scheduler = RequestScheduler { $0.perHost = 1 }
    let client = Client {
      $0.transport = ScriptedTransport { _ in
        .text("water").waiting(for: gates[min(count.next() - 1, 1)])
      }
      $0.clock = clock
      $0.memory = nil
      $0.hedging = HedgingPolicy()
      $0.scheduler = scheduler
    }
    let first = client.send(try request(.post)).start()
    #expect(await gates[0].waiting())
    let second = client.send(try request()).start()
    while scheduler.waitingCount == 0 { await Task.yield() }
    clock.advance(by: .milliseconds(400))
    gates[0].open()
    _ = try await first.value
    #expect(await gates[1].waiting())
    #expect(await clock.sleepers(count: 1))

    #expect(clock.advance() == .milliseconds(500))
    gates[1].open()
    #expect(try await second.value.value == Data("water".utf8))
  }

  @Test func `a percentile that is no number is none`() {
    let policy = HedgingPolicy {
      $0.percentile = .nan
      $0.minimumSamples = 1
    }
    var times = ResponseTimes()
    times.add(.milliseconds(3))

    #expect(times.delay(policy) == .milliseconds(500))
  }

  @Test func `the explanation has the second request and the end of the retries`() async throws {
    let (count, gate) = (Count(), first)
    let wire = ScriptedTransport { _ in
      count.next() == 1 ? ScriptedResponse(503).waiting(for: gate) : ScriptedResponse(503)
    }
    let policy = RetryPolicy {
      $0.budget = RetryBudget(capacity: 0, perRequest: 0, perSecond: 0)
    }
    let transport = hedged(wire).retrying(policy, clock: clock)
    let client = Client { $0.transport = transport }
    let request = try request()
    let response = Task { try await client.send(request).value }
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .milliseconds(500))

    #expect(
      try await response.value.explanation.map(\.description) == [
        "second request after 500 ms",
        "not tried again: the budget of retries for the host is used up",
      ]
    )
  }

  @Test func `the budget of a host limits the second requests`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("water").waiting(for: gate) }
    let transport = hedged(wire) {
      $0.budget = RetryBudget(capacity: 1, perRequest: 0, perSecond: 0)
    }
    async let one = transport.call(request())
    async let two = transport.call(request())
    #expect(await clock.sleepers(count: 2))
    clock.advance(by: .milliseconds(500))
    #expect(await gate.waiting(count: 3))
    gate.open()

    #expect(try await one.text + two.text == "waterwater")
    #expect(wire.requests.count == 3)
  }

  @Test func `a call that is cancelled cancels both requests`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("water").waiting(for: gate) }
    let transport = hedged(wire)
    let request = try request()
    let task = Task { await transport.call(request) }
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .milliseconds(500))
    #expect(await gate.waiting(count: 2))
    task.cancel()

    #expect(await task.value.error == .cancelled)
    #expect(await wire.counted { $0.running == 0 })
  }

  @Test func `the second request has the rest of the time`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("water").waiting(for: gate) }
    let transport = hedged(wire)
    var request = try request()
    request.timeouts.total = .seconds(3_600)
    let task = Task { [request] in await transport.call(request) }
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .milliseconds(500))
    #expect(await gate.waiting(count: 2))
    gate.open()

    #expect(await task.value.text == "water")
    let second = try #require(wire.requests.last?.timeouts.total)
    #expect(second <= .milliseconds(3_599_500))
  }

  @Test func `the delay is the percentile of the last responses, as soon as there are enough`() {
    let policy = HedgingPolicy {
      $0.percentile = 0.9
      $0.minimumSamples = 10
      $0.delay = .seconds(9)
    }
    var times = ResponseTimes()
    for number in 1...9 { times.add(.milliseconds(number)) }
    #expect(times.delay(policy) == .seconds(9))
    times.add(.milliseconds(10))
    #expect(times.delay(policy) == .milliseconds(9))
    for _ in 0..<ResponseTimes.limit { times.add(.milliseconds(50)) }
    #expect(times.delay(policy) == .milliseconds(50))
    #expect(times.delay(HedgingPolicy()) == .milliseconds(500))
  }

  @Test(arguments: [false, true])
  func `the explanation has the second request`(isResource: Bool) async throws {
    let (wire, request) = (wire(), try request())
    let client = Client {
      $0.transport = wire
      $0.clock = clock
      $0.memory = nil
      $0.hedging = HedgingPolicy()
    }
    let explanation = Task { () async throws -> Explanation in
      if isResource { return try await client.resource(request).value.explanation }
      return try await client.send(request).value.explanation
    }
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .milliseconds(500))

    #expect(try await explanation.value.contains(.hedged(after: .milliseconds(500))))
  }

  @Test func `a client hedges each attempt of a call`() async throws {
    let wire = wire()
    let client = Client {
      $0.transport = wire
      $0.clock = clock
      $0.memory = nil
      $0.hedging = HedgingPolicy()
    }
    let running = client.send(try request()).start()
    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .milliseconds(500))

    #expect(try await running.value.value == Data("response 2".utf8))
  }
}
