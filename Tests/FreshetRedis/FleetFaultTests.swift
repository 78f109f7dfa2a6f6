#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// Clients that share their fetches, as a fleet of processes does, while the server fails.
///
/// Every response has to be validated with each use, so that a fetch may only end with the version that the
/// origin has at the moment. Leases and waits are longer than the tests: who waited for one, instead of a
/// time-out, would not answer.
///
/// `FRESHET_PARTITION=10` keeps the partition for ten seconds.
@Suite(.besideRedis, .serialized, .timeLimit(.minutes(10))) struct FleetFaultTests {
  private static let patient = SharedStore.Coalescing(lease: .seconds(900), wait: .seconds(900))
  private static let urls = 10
  private static let clients = 6

  /// An origin with a version of all pages, whose responses wait at a gate.
  private final class Origin: Sendable {
    private struct State {
      var version = 0
      var gate = Gate()
      var requests = 0
    }

    private let state = Mutex(State())

    var requests: Int { state.withLock(\.requests) }

    /// Begins with the next version, and a closed gate.
    func advance() -> (version: Int, gate: Gate) {
      state.withLock { state in
        state.version += 1
        state.requests = 0
        state.gate = Gate()
        return (state.version, state.gate)
      }
    }

    var transport: ScriptedTransport {
      ScriptedTransport { request in
        let (version, gate) = self.state.withLock { state in
          state.requests += 1
          return (state.version, state.gate)
        }
        let body = "\(request.url.path) \(version)"
        return .versioned(version, "no-cache", body: body, to: request).waiting(for: gate)
      }
    }
  }

  private struct Fleet {
    let world: SharedWorld
    let proxy: LatencyProxy
    let origin = Origin()
    let stores: [SharedStore]

    init(timeout: Duration) async throws {
      world = try await SharedWorld()
      proxy = try LatencyProxy(to: world.server.port, delay: 0)
      var stores: [SharedStore] = []
      for _ in 0..<clients {
        let store = try SharedStore("redis://127.0.0.1:\(proxy.port)") {
          $0.timeout = timeout
          $0.connectTimeout = .seconds(20)
          $0.longestPause = .milliseconds(200)
          $0.coalescing = patient
        }
        try await store.connect()
        stores.append(store)
      }
      self.stores = stores
    }

    /// Lets all clients fetch all pages of a new version, with a fault in the middle, and returns the number
    /// of requests at the origin.
    @discardableResult
    func fetchAll(_ fault: () async throws -> Void = {}) async throws -> Int {
      let (version, gate) = origin.advance()
      let fetches = stores.flatMap { store in
        let client = Client {
          $0.transport = origin.transport
          $0.memory = nil
          $0.shared = store
        }
        return (0..<urls)
          .map { number in
            Task { () async throws -> Bool in
              let url = "https://a.example/\(number)"
              return try await client.resource(Request(url)).value.text == "/\(number) \(version)"
            }
          }
      }
      let isInProgress = try await eventually {
        gate.waitingCount + stores.map(\.leases.waitingCount).reduce(0, +) == fetches.count
      }
      #expect(isInProgress)
      try await fault()
      gate.open()
      for fetch in fetches { #expect(try await fetch.value) }
      return origin.requests
    }

    /// Waits until the server is used again, and nobody has a lease.
    func expectRecovery() async throws {
      #expect(
        try await eventually {
          // Whoever waits for a lease that is released late would be answered with an earlier version.
          guard try await isWithoutLeases else { return false }
          return try await fetchAll() < stores.count * urls
        }
      )
    }

    var isWithoutLeases: Bool {
      get async throws { try await world.server.command("KEYS", "*:lease:*").isEmpty }
    }
  }

  @Test func `a server that is killed in mid-run, and comes back`() async throws {
    let fleet = try await Fleet(timeout: .seconds(20))
    try await fleet.fetchAll()

    try await fleet.fetchAll { fleet.world.server.kill() }
    let alone = try await fleet.fetchAll()
    try await fleet.world.server.start()

    #expect(alone == Self.clients * Self.urls)
    try await fleet.expectRecovery()
  }

  @Test func `a server that stands still in mid-run`() async throws {
    let fleet = try await Fleet(timeout: .seconds(5))
    try await fleet.fetchAll()

    try await fleet.fetchAll { fleet.world.server.signal(SIGSTOP) }
    let alone = try await fleet.fetchAll()
    fleet.world.server.signal(SIGCONT)

    #expect(alone == Self.clients * Self.urls)
    try await fleet.expectRecovery()
  }

  @Test func `a server whose memory becomes full in mid-run`() async throws {
    let fleet = try await Fleet(timeout: .seconds(20))
    let server = fleet.world.server
    try await fleet.fetchAll()

    try await fleet.fetchAll { try await server.command("CONFIG", "SET", "maxmemory", "1") }
    let alone = try await fleet.fetchAll()
    try await server.command("CONFIG", "SET", "maxmemory", "0")

    #expect(alone == Self.clients * Self.urls)
    try await fleet.expectRecovery()
  }

  @Test func `a server at 50 ms, which is longer than the time-out`() async throws {
    let fleet = try await Fleet(timeout: .milliseconds(10))
    fleet.proxy.setDelay(50)

    for _ in 0..<3 { try await fleet.fetchAll() }
    fleet.proxy.setDelay(0)

    // A lease that was granted too late is given back.
    #expect(try await eventually { try await fleet.isWithoutLeases })
  }

  @Test func `a server whose latency rises to 50 ms in mid-run`() async throws {
    let fleet = try await Fleet(timeout: .seconds(20))
    try await fleet.fetchAll()

    let rising = try await fleet.fetchAll { fleet.proxy.setDelay(50) }
    let high = try await fleet.fetchAll()

    #expect(rising == Self.urls)
    #expect(high == Self.urls)
    try await fleet.expectRecovery()
  }

  @Test func `a partition in mid-run`() async throws {
    let fleet = try await Fleet(timeout: .seconds(5))
    let text = ProcessInfo.processInfo.environment["FRESHET_PARTITION"] ?? "0"
    let duration = Duration.seconds(Int(text) ?? 0)
    try await fleet.fetchAll()

    let start = ContinuousClock.now
    try await fleet.fetchAll { fleet.proxy.hold(true) }
    var rounds = 0
    repeat {
      // None waits for the end of the partition.
      #expect(try await fleet.fetchAll() == Self.clients * Self.urls)
      rounds += 1
    } while ContinuousClock.now - start < duration
    let length = ContinuousClock.now - start
    fleet.proxy.hold(false)

    try await fleet.expectRecovery()
    print("= a partition of \(length), in which all was fetched \(rounds) times")
  }
}
#endif
