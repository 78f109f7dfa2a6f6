import Foundation
import Freshet

#if !canImport(Darwin)
import CCurl
#endif

/// Many small requests.
extension Catalogue {
  static let requests: [Benchmark] = [
    start, sequential, concurrent, crowded, multiplexed, revalidation, slowStreams,
  ]

  /// A client without stores, which trusts the world's certificate.
  static func plainClient(_ world: World, connections: Int = 1_024) -> Client {
    Client { configuration in
      configuration.memory = nil
      #if !canImport(Darwin)
      configuration.transport = CurlTransport {
        if world.isNginx { $0.trust = .file(world.certificate) }
        $0.maximumConnections = connections
        $0.maximumConnectionsPerHost = connections
      }
      #endif
    }
  }

  static func sending(_ client: Client, _ url: URL, tasks: Int) -> Contender {
    Contender(name: "freshet") { count, _ in
      let request = Request(url)
      try await Workers.run(count, tasks: tasks) { _ in
        _ = try await client.send(request).value
      }
    }
  }

  private static let sequential = Benchmark(
    name: "get-sequential",
    unit: .rate,
    count: 8_000
  ) { world, _ in
    let url = world.http("/1k")
    var contenders = [sending(plainClient(world), url, tasks: 1)]
    #if !canImport(Darwin)
    contenders += [
      Contender(name: "C easy loop") { try CurlLoops.easy(url, $0, $1) }
    ]
    #endif
    contenders += Contender.curl(url)
    contenders += Contender.wrk(url, connections: 1)
    return contenders + [.session(url, tasks: 1, share: 0.25)]
  }

  private static let concurrent = Benchmark(
    name: "get-64-tasks",
    unit: .rate,
    count: 20_000
  ) { world, _ in
    let url = world.http("/1k")
    let client = plainClient(world)
    let transport = client.configuration.transport
    var contenders = [
      sending(client, url, tasks: 64),
      Contender(name: "transport, 64 tasks") { count, _ in
        let request = Request(url)
        try await Workers.run(count, tasks: 64) { _ in
          for try await _ in transport.send(request) {}
        }
      },
    ]
    #if !canImport(Darwin)
    contenders += Contender.multi(url, parallel: 64)
    #endif
    contenders += Contender.curl(url, parallel: 64, share: 0.5)
    contenders += Contender.wrk(url, connections: 64)
    return contenders + [.session(url, tasks: 64, share: 0.1)]
  }

  /// As many connections as tasks, of interest for the memory of each.
  private static let crowded = Benchmark(
    name: "get-4096-tasks",
    unit: .rate,
    count: 20_480
  ) { world, _ in
    guard world.isNginx else { return [] }
    let url = world.http("/1k")
    let tasks = 4_096
    let plain = plainClient(world, connections: tasks)
    let client = Client {
      $0.memory = nil
      $0.transport = plain.configuration.transport
      $0.scheduler = RequestScheduler { ($0.total, $0.perHost) = (tasks, tasks) }
    }
    var contenders = [sending(client, url, tasks: tasks)]
    #if !canImport(Darwin)
    contenders.append(
      Contender(name: "C multi, epoll") { try CurlLoops.action(url, $0, parallel: tasks, $1) }
    )
    #endif
    return contenders
  }

  private static let multiplexed = Benchmark(
    name: "get-http2-64-streams",
    unit: .rate,
    count: 20_000
  ) { world, _ in
    guard world.isNginx else { return [] }
    let url = world.https("/1k")
    var contenders = [sending(plainClient(world), url, tasks: 64)]
    #if !canImport(Darwin)
    let settings = CurlLoops.Settings(
      version: CURL_HTTP_VERSION_2TLS,
      certificate: world.certificate.path
    )
    contenders += Contender.multi(url, parallel: 64, settings)
    #endif
    return contenders
  }

  private static let revalidation = Benchmark(
    name: "revalidate-304",
    unit: .rate,
    count: 8_000
  ) { world, _ in
    let url = world.http("/10k")
    let plain = plainClient(world)
    let client = Client {
      $0.transport = plain.configuration.transport
      $0.policy.expiry = .always
    }
    _ = try await client.resource(at: url).value
    var contenders = [
      Contender(name: "freshet") { count, _ in
        for _ in 0..<count {
          let resource = try await client.resource(at: url).value
          guard resource.freshness == .revalidated else { throw BenchError("not revalidated") }
        }
      },
      Contender(name: "freshet, plain GET") { count, _ in
        let request = Request(url)
        for _ in 0..<count { _ = try await plain.send(request).value }
      },
    ]
    #if !canImport(Darwin)
    contenders.append(Contender(name: "C easy loop, GET") { try CurlLoops.easy(url, $0, $1) })
    #endif
    return contenders
  }

  private static let slowStreams = Benchmark(
    name: "get-beside-500-slow",
    unit: .rate,
    count: 10_000
  ) { world, count in
    guard world.isNginx else { return [] }
    let url = world.http("/1k")
    let slow = world.http("/slow")
    let others = world.options.count(500)
    let client = plainClient(world)
    var contenders = [
      Contender(name: "freshet") { count, meter in
        try await besideSlowStreams(client, slow, others) {
          let request = Request(url)
          try await Workers.run(128, tasks: 64) { _ in _ = try await client.send(request).value }
          meter.restart()
          try await Workers.run(count, tasks: 64) { _ in _ = try await client.send(request).value }
          meter.stop()
        }
      }
    ]
    #if !canImport(Darwin)
    let settings = CurlLoops.Settings(slow: slow, slowCount: others)
    contenders += [
      Contender(name: "C multi, epoll") {
        try CurlLoops.action(url, $0, parallel: 64, $1, settings)
      },
      Contender(name: "C multi, poll", share: 0.5) {
        try CurlLoops.poll(url, $0, parallel: 64, $1, settings)
      },
    ]
    #endif
    return contenders
  }

  /// Runs work while so many bodies drip in.
  private static func besideSlowStreams(
    _ client: Client,
    _ url: URL,
    _ count: Int,
    _ work: @Sendable () async throws -> Void
  ) async throws {
    let transport = client.configuration.transport
    try await withThrowingTaskGroup(of: Void.self) { group in
      let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
      for _ in 0..<count {
        group.addTask {
          var isNew = true
          do {
            for try await event in transport.send(Request(url)) {
              if case .body = event, isNew {
                isNew = false
                arrival.yield()
              }
            }
          } catch FreshetError.cancelled {}
        }
      }
      var iterator = arrivals.makeAsyncIterator()
      for _ in 0..<count { _ = await iterator.next() }
      try await work()
      group.cancelAll()
      try await group.waitForAll()
    }
  }
}
