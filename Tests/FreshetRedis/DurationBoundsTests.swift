#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// Times that are longer or shorter than clocks and the server can count with.
@Suite(.besideRedis, .timeLimit(.minutes(5))) struct DurationBoundsTests {
  private static let url = "https://a.example/logo"

  @Test func `times of any length can be configured`() async throws {
    let world = try await SharedWorld()
    let longest = Duration.seconds(Int64.max)
    let shared = try await world.connected {
      $0.timeout = longest
      $0.connectTimeout = longest
      $0.longestPause = longest
      $0.retention = longest
    }
    let transport = ScriptedTransport { _ in
      ScriptedResponse(.ok, headers: [.cacheControl: "max-age=60"], body: Data("one".utf8))
    }
    .intercepted(by: shared.limiter(RequestLimits.Rate(perSecond: 1e-300, burst: .max)))
    let durations: [Duration] = [.seconds(Int64.min), .zero, .nanoseconds(1), longest]
    for lease in durations {
      for wait in durations {
        let chain = Fetch.request(try Request("\(Self.url)?\(lease)\(wait)"))
          .coalesce(across: shared, SharedStore.Coalescing(lease: lease, wait: wait))
          .download(over: transport)
          .persist(in: shared)
        #expect(try await chain.settle().value.source == .network)
      }
    }
    let frontier = Frontier("f", in: shared) {
      $0.lease = longest
      $0.retryPause = longest
      $0.timeout = longest
    }
    try await frontier.add([try Request(Self.url).url])
    try await frontier.close()
    let client = Client { $0.transport = transport }
    for try await _ in client.batch(from: frontier).run() {}
    #expect(try await frontier.progress().completedItems == 1)
    for interval in durations {
      var updates = frontier.progressUpdates(every: interval).makeAsyncIterator()
      #expect(await updates.next()?.completedItems == 1)
    }
  }

  @Test(arguments: [Duration.seconds(-1), .zero, .nanoseconds(1)])
  func `updates of a progress look at the server every 10 ms at most`(
    interval: Duration
  ) async throws {
    let world = try await SharedWorld()
    let frontier = Frontier("f", in: try await world.connected())
    try await frontier.add([try Request(Self.url).url])
    let clock = VirtualClock()
    var updates = frontier.progressUpdates(every: interval, clock: clock).makeAsyncIterator()
    #expect(await updates.next()?.totalItems == 1)

    #expect(await clock.sleepers(count: 1))
    clock.advance(by: .milliseconds(9))
    #expect(clock.sleeperCount == 1)
    try await frontier.removeAll()
    clock.advance(by: .milliseconds(1))
    #expect(await updates.next() == nil)
  }

  @Test func `attempts to connect and repeated commands are 10 ms apart at least`() async throws {
    let world = try await SharedWorld()
    let store = try world.store { $0.longestPause = .zero }
    #expect(store.pool.configuration.longestPause == .milliseconds(10))
  }

  @Test(arguments: [0, -1])
  func `there is a connection for commands, whatever is configured`(count: Int) async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected { $0.connectionCount = count }
    let response = try StoredResponse.sample()
    _ = try await shared.keep(response)

    #expect(await shared.find(response.key, for: [:]) != nil)
  }

  @Test func `a lease of no length is one of a tenth of a second`() {
    #expect(SharedStore.Coalescing(lease: .zero).bounded.lease == .milliseconds(100))
    #expect(SharedStore.Coalescing(lease: .seconds(3)).bounded == .init(lease: .seconds(3)))
    #expect(Duration.longest.milliseconds == (1 << 32) * 1_000)
    #expect(Duration.seconds(-1).milliseconds == 0)
  }
}
#endif
