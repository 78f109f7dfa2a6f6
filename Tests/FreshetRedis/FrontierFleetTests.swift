#if Redis && !canImport(Darwin)
import Foundation
import Freshet
import FreshetRedis
import FreshetTesting
import Synchronization
import TestSupport
import Testing

/// Processes that work off one frontier, of which some are killed.
@Suite(.besideRedis, .timeLimit(.minutes(10))) struct FrontierFleetTests {
  /// The number of requests by path.
  private final class Tally: Sendable {
    let counts = Mutex<[String: Int]>([:])

    var total: Int { counts.withLock { $0.values.reduce(0, +) } }

    func answer(_ request: LoopbackServer.ReceivedRequest) -> LoopbackServer.Answer {
      counts.withLock { $0[request.path, default: 0] += 1 }
      return .response(.ok, headers: [.cacheControl: "max-age=600"], body: Data(request.path.utf8))
    }
  }

  /// 2,000, or the number in `FRESHET_FRONTIER_COUNT`.
  private static var count: Int {
    ProcessInfo.processInfo.environment["FRESHET_FRONTIER_COUNT"].flatMap { Int($0) } ?? 2_000
  }

  @Test func `each request of four processes ends once, although two of them are killed`()
    async throws
  {
    let world = try await SharedWorld()
    let tally = Tally()
    let origin = try LoopbackServer { $0.requestLimit = 1 }
    origin.route("/*", .handler { tally.answer($0) })
    let shared = try await world.connected()
    let frontier = Frontier("crawl", in: shared) { $0.timeout = .seconds(60) }
    let urls = (0..<Self.count).map { origin.url("/\($0)") }
    #expect(try await frontier.add(urls) == Self.count)
    try await frontier.close()
    let start = ContinuousClock.now

    let workers = try (0..<4)
      .map { _ in
        try ChildProcess(
          Program.built("FreshetProbe"),
          ["frontier", world.server.url, "crawl", "6000"]
        )
      }
    for (worker, share) in zip(workers, [4, 2]) {
      #expect(try await eventually { tally.total >= Self.count / share })
      worker.signal(SIGKILL)
    }
    for worker in workers.dropFirst(2) {
      let end = await worker.end()
      #expect(end.status == 0 && !end.wasKilled)
    }

    let progress = try await frontier.progress()
    #expect(progress.hasEnded)
    #expect(progress.totalItems == Self.count)
    #expect(progress.completedItems == Self.count)
    #expect(progress.failedItems == 0)
    let counts = tally.counts.withLock { $0 }
    #expect(urls.allSatisfy { counts[$0.path] ?? 0 >= 1 })
    #expect(tally.total - Self.count <= 100)
    for url in urls {
      let stored = await shared.find(CacheKey(Request(.get, url)), for: [:])
      #expect(try stored?.body.data() == Data(url.path.utf8))
    }
    if Self.count > 2_000 {
      print(
        "frontier: \(Self.count) requests in \(ContinuousClock.now - start),"
          + " \(tally.total - Self.count) too many, \(progress.takeovers) taken over"
      )
    }
  }
}
#endif
