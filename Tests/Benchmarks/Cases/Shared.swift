#if Redis && !canImport(Darwin)
import Foundation
import Freshet
import FreshetRedis
import TestSupport

/// A store that processes share, beside the disk store and `redis-benchmark` on one connection.
extension Catalogue {
  static let sharedStore: [Benchmark] = [sharedHit, sharedMiss, sharedWrite, sharedFlight]

  private static let sharedHit = Benchmark(
    name: "shared-hit-10-KiB",
    unit: .rate,
    count: 4_000
  ) { world, _ in
    try await looking(world, stored: true, command: ["GET", "present"])
  }

  private static let sharedMiss = Benchmark(
    name: "shared-miss",
    unit: .rate,
    count: 4_000
  ) { world, _ in
    try await looking(world, stored: false, command: ["GET", "absent"])
  }

  /// Lookups of 500 URLs that are all stored, or none of them.
  private static func looking(
    _ world: World,
    stored isStored: Bool,
    command: [String]
  ) async throws -> [Contender] {
    guard let server = try await server() else { return [] }
    let (shared, disk) = (try await store(server), DiskStore(directory: world.newFolder("shared")))
    let (urls, body) = (urls(500), Data(repeating: 7, count: 10_240))
    try await server.command("SET", "present", String(repeating: "x", count: 10_240))
    for url in urls where isStored {
      _ = try await shared.keep(stored(url, body))
      _ = try await disk.keep(stored(url, body))
    }
    let keys = urls.map { CacheKey(Request($0)) }
    func contender(_ name: String, _ store: any ResourceStore) -> Contender {
      Contender(name: name) { count, _ in
        for index in 0..<count {
          let found = await store.find(keys[index &* 7919 % keys.count], for: [:])
          guard (found?.body.length == 10_240) == isStored else {
            throw BenchError("not as stored")
          }
        }
      }
    }
    return [contender("freshet", shared), contender("disk store", disk)]
      + redisBenchmark(server, command)
  }

  private static let sharedWrite = Benchmark(
    name: "shared-write-10-KiB",
    unit: .rate,
    count: 2_000
  ) { world, _ in
    guard let server = try await server() else { return [] }
    let (shared, disk) = (try await store(server), DiskStore(directory: world.newFolder("shared")))
    let body = Data(repeating: 7, count: 10_240)
    let responses = urls(500).map { stored($0, body) }
    func contender(_ name: String, _ store: any ResourceStore) -> Contender {
      Contender(name: name) { count, _ in
        for index in 0..<count { _ = try await store.keep(responses[index % responses.count]) }
      }
    }
    let text = String(repeating: "x", count: 10_240)
    return [contender("freshet", shared), contender("disk store", disk)]
      + redisBenchmark(server, ["SET", "present", text])
  }

  /// Two clients with stores of their own, as two processes have them, fetch the same new URL at once.
  private static let sharedFlight = Benchmark(
    name: "shared-single-flight",
    unit: .rate,
    count: 500
  ) { world, _ in
    guard let server = try await server() else { return [] }
    let run = UUID().uuidString
    func contender(
      _ name: String,
      _ coalescing: SharedStore.Coalescing?
    ) async throws -> Contender {
      var clients: [Client] = []
      for _ in 0..<2 {
        let store = try await store(server) { $0.coalescing = coalescing }
        clients.append(
          Client {
            $0.memory = nil
            $0.shared = store
          }
        )
      }
      return Contender(name: name) { [clients] count, _ in
        let round = UUID().uuidString
        for index in 0..<count {
          let request = Request(world.http("/1k?\(run)\(round)\(index)"))
          async let first = clients[0].resource(request).value
          async let second = clients[1].resource(request).value
          _ = try await (first, second)
        }
      }
    }
    return [
      try await contender("freshet", SharedStore.Coalescing()),
      try await contender("each asks", nil),
    ]
  }

  /// A server of a case's own; `nil` where it is not installed.
  private static func server() async throws -> RedisServer? {
    RedisServer.executable == nil ? nil : try await RedisServer()
  }

  private static func store(
    _ server: RedisServer,
    _ configure: (inout SharedStore.Configuration) -> Void = { _ in }
  ) async throws -> SharedStore {
    let store = try SharedStore(server.url) {
      $0.timeout = .seconds(5)
      configure(&$0)
    }
    try await store.connect()
    return store
  }

  /// As many round trips by the server's own tool, with its start.
  private static func redisBenchmark(_ server: RedisServer, _ command: [String]) -> [Contender] {
    guard let tool = Program.path("redis-benchmark") else { return [] }
    return [
      Contender(name: "redis-benchmark") { count, _ in
        try Command.output(
          tool,
          ["-p", "\(server.port)", "-c", "1", "-n", "\(count)", "-q"] + command
        )
      }
    ]
  }
}
#endif
