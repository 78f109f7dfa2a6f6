#if !canImport(Darwin)
import Foundation
import Freshet

/// Small requests of tasks on the event loops, and of several loops.
extension Catalogue {
  static let loops: [Benchmark] = [sequentialOnLoop, concurrentOnLoop, twoLoops]

  private static let sequentialOnLoop = Benchmark(
    name: "get-sequential-on-loop",
    unit: .rate,
    count: 8_000
  ) { world, _ in
    let url = world.http("/1k")
    return onLoop(url, tasks: 1) + [
      Contender(name: "C easy loop") { try CurlLoops.easy(url, $0, $1) }
    ]
  }

  private static let concurrentOnLoop = Benchmark(
    name: "get-64-tasks-on-loop",
    unit: .rate,
    count: 20_000
  ) { world, _ in
    let url = world.http("/1k")
    return onLoop(url, tasks: 64) + Contender.multi(url, parallel: 64)
  }

  /// Requests to two hosts, each of which has its loop if there are two.
  private static let twoLoops = Benchmark(
    name: "get-two-hosts-two-loops",
    unit: .rate,
    count: 40_000
  ) { world, _ in
    let urls = [world.http("/1k"), try alias(of: world.http("/1k"))]
    return [(2, "freshet"), (1, "freshet, one loop")]
      .map { loops, name in
        let client = client(transport(loops: loops))
        return Contender(name: name) { count, meter in
          try await send(client, to: urls, count, meter, tasks: 32)
        }
      }
  }

  /// The tasks on the loop, and on the threads of Swift's pool.
  private static func onLoop(_ url: URL, tasks: Int) -> [Contender] {
    let transport = transport(loops: 1)
    let client = client(transport)
    return [
      Contender(name: "freshet, on the loop") { count, meter in
        try await withTaskExecutorPreference(transport.taskExecutor) {
          try await send(client, to: [url], count, meter, tasks: tasks)
        }
      },
      Contender(name: "freshet") { count, meter in
        try await send(client, to: [url], count, meter, tasks: tasks)
      },
    ]
  }

  /// Sends from so many tasks to each host, and prints the CPU time of the loops' threads.
  ///
  /// On standard error: what is printed is for machines.
  private static func send(
    _ client: Client,
    to urls: [URL],
    _ count: Int,
    _ meter: Meter,
    tasks: Int
  ) async throws {
    // The threads start with the first request to each host.
    for url in urls { _ = try await client.send(Request(url)).value }
    let before = Meter.loopSeconds
    meter.restart()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for url in urls {
        let request = Request(url)
        group.addTask {
          try await Workers.run(count / urls.count, tasks: tasks) { _ in
            _ = try await client.send(request).value
          }
        }
      }
      try await group.waitForAll()
    }
    meter.stop()
    let cost = (Meter.loopSeconds - before) / Double(count) * 1e6
    let text = String(format: "event loops: %.1f µs of CPU time an operation\n", cost)
    FileHandle.standardError.write(Data(text.utf8))
  }

  /// The same server by another name, so that it is another host.
  private static func alias(of url: URL) throws -> URL {
    var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
    components?.host = "localhost"
    guard let url = components?.url else { throw BenchError("no URL") }
    return url
  }

  private static func client(_ transport: CurlTransport) -> Client {
    Client {
      $0.memory = nil
      $0.transport = transport
    }
  }

  private static func transport(loops: Int) -> CurlTransport {
    CurlTransport {
      $0.loops = loops
      $0.maximumConnections = 1_024
      $0.maximumConnectionsPerHost = 128
      $0.proxy = .none
    }
  }
}
#endif
