#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// Processes that share their fetches, some of which are killed.
///
/// `FRESHET_FLEET=50x100` runs fifty processes and one hundred URLs in place of eight and twenty.
@Suite(.besideRedis, .serialized) struct CoalesceProcessTests {
  private static var size: (processes: Int, urls: Int) {
    let text = ProcessInfo.processInfo.environment["FRESHET_FLEET"] ?? "8x20"
    let numbers = text.split(separator: "x").compactMap { Int($0) }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : (8, 20)
  }

  /// An origin that has each page once, and counts the requests for each.
  private final class Origin: Sendable {
    let counts = Mutex<[String: Int]>([:])
    /// A gate that the responses wait at, if there is one; others take 50 ms.
    private let gate: Gate?
    private let control: String

    init(_ control: String = "max-age=600", gate: Gate? = nil) {
      self.control = control
      self.gate = gate
    }

    var answer: LoopbackServer.Answer {
      .handler { request in
        self.counts.withLock { $0[request.path, default: 0] += 1 }
        let headers: HTTPHeaders = [
          .cacheControl: self.control, .eTag: "\"1\"", .date: HTTPDate.format(Date()),
        ]
        let answer: LoopbackServer.Answer =
          request.headers[.ifNoneMatch] == "\"1\""
          ? .response(.notModified, headers: headers)
          : .response(.ok, headers: headers, body: Data("page \(request.path)".utf8))
        return self.gate.map(answer.delayed(until:)) ?? answer.delayed(by: .milliseconds(50))
      }
    }

    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
  }

  /// A process, its input and what it has printed.
  private final class Worker: Sendable {
    private let process: ChildProcess
    private let input = Pipe()
    private let output = Pipe()
    private let text = Mutex(Data())

    init(_ words: [String]) throws {
      process = try ChildProcess(
        Program.built("FreshetProbe"),
        words,
        standards: Standards(input: .pipe(input), output: .pipe(output))
      )
      output.fileHandleForReading.readabilityHandler = { [weak self] handle in
        let bytes = handle.availableData
        if bytes.isEmpty { handle.readabilityHandler = nil }
        self?.text.withLock { $0 += bytes }
      }
    }

    var lines: [String] {
      text.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").map(String.init)
    }

    var processIdentifier: Int32 { process.processIdentifier }

    func begin() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }
    func kill() { process.signal(SIGKILL) }
    func end() async -> ChildProcess.End { await process.end() }
  }

  /// Stores expired copies of all pages, and starts the processes, whose leases no test outlives.
  private func start(
    _ world: SharedWorld,
    _ server: LoopbackServer,
    urls: Int = Self.size.urls
  ) async throws -> [Worker] {
    let shared = try await world.connected()
    for number in 0..<urls {
      let url = server.url("/\(number)").absoluteString
      let old = Date(timeIntervalSinceNow: -3_600)
      _ = try await shared.keep(.sample(url, body: Data("page /\(number)".utf8), time: old))
    }
    let base = server.url("/").absoluteString.dropLast()
    let workers = try (0..<Self.size.processes)
      .map { seed in
        try Worker(
          ["coalesce", world.server.url, "\(base)", "\(urls)", "\(seed)", "600000"]
        )
      }
    #expect(try await eventually { workers.allSatisfy { $0.lines.first == "ready" } })
    return workers
  }

  /// Waits for a process, which has to have all pages.
  private func expectAll(_ worker: Worker, urls: Int = Self.size.urls) async throws {
    let end = await worker.end()
    #expect(end.status == 0 && !end.wasKilled)
    #expect(try await eventually { worker.lines.contains("done") })
    let expected = (0..<urls).map { "fetched \($0) page /\($0)" }
    #expect(Set(worker.lines.filter { $0.hasPrefix("fetched") }) == Set(expected))
  }

  /// Counts the leases of a process, the fetches that it leads, and ends them on demand, as time does.
  private func leases(
    of worker: Worker,
    _ world: SharedWorld,
    ends: Bool = false
  ) async throws -> Int {
    let script = """
      local count = 0
      for _, key in ipairs(redis.call('KEYS', '*:lease:*')) do
        if string.find(redis.call('GET', key) or '', ARGV[1], 1, true) then
          if ARGV[2] == 'true' then redis.call('PEXPIRE', key, 1) end
          count = count + 1
        end
      end
      return count
      """
    let owner = ":\(worker.processIdentifier)."
    return try #require(Int(try await world.server.command("EVAL", script, "0", owner, "\(ends)")))
  }

  @Test(.timeLimit(.minutes(10)))
  func `processes that find everything expired validate each URL once`() async throws {
    let world = try await SharedWorld()
    let origin = Origin()
    let server = try LoopbackServer(["/*": origin.answer])
    let workers = try await start(world, server)

    for worker in workers { try worker.begin() }

    for worker in workers { try await expectAll(worker) }
    #expect(origin.total == Self.size.urls)
    #expect(origin.counts.withLock { $0.values.allSatisfy { $0 == 1 } })
    print("= \(workers.count) processes, \(Self.size.urls) URLs, \(origin.total) requests")
    await server.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `processes that wait for one validation get its result, although it may not be used again`()
    async throws
  {
    // The server's log of commands tells which processes have asked for which leases.
    let world = try await SharedWorld([
      "--slowlog-log-slower-than", "0", "--slowlog-max-len", "1000000",
    ])
    let gate = Gate()
    let origin = Origin("no-cache", gate: gate)
    let server = try LoopbackServer(["/*": origin.answer])
    // A process fetches eight at once.
    let urls = 8
    let workers = try await start(world, server, urls: urls)

    for worker in workers { try worker.begin() }
    #expect(await gate.waiting(count: urls))
    let haveAsked = try await eventually {
      let words = try await world.server.command("SLOWLOG", "GET", "-1").split(separator: "\n")
      var asked: Set<String> = []
      for (lease, withdrawal) in zip(words, words.dropFirst())
      where lease.hasPrefix("freshet:lease:") && withdrawal.hasPrefix("freshet:withdrawal:") {
        asked.insert("\(lease) \(withdrawal.prefix { $0 != "." })")
      }
      return asked.count == urls * workers.count
    }
    #expect(haveAsked)
    gate.open()

    for worker in workers { try await expectAll(worker, urls: urls) }
    #expect(origin.counts.withLock { $0.values.allSatisfy { $0 == 1 } })
    print("= \(workers.count) processes, \(urls) URLs with no-cache, \(origin.total) requests")
    await server.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `each fetch that a process led when it was killed costs one request at most`()
    async throws
  {
    let world = try await SharedWorld()
    let gate = Gate()
    let origin = Origin(gate: gate)
    let server = try LoopbackServer(["/*": origin.answer])
    let workers = try await start(world, server)
    for worker in workers { try worker.begin() }

    let victims = try await killLeaders(among: workers, world, gate)
    var led = 0
    for victim in victims { led += try await leases(of: victim, world, ends: true) }
    gate.open()
    for worker in workers where !victims.contains(where: { $0 === worker }) {
      try await expectAll(worker)
    }

    // A leader is a pair of a process and a URL: a process leads up to eight fetches at once.
    #expect(led >= victims.count)
    #expect(origin.total <= Self.size.urls + led)
    print(
      "= \(workers.count) processes, \(victims.count) killed that led \(led) fetches,",
      "\(Self.size.urls) URLs, \(origin.total) requests"
    )
    await server.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `leaders and a server that are killed in mid-run cost no answer`() async throws {
    let world = try await SharedWorld()
    let gate = Gate()
    let origin = Origin(gate: gate)
    let server = try LoopbackServer(["/*": origin.answer])
    let workers = try await start(world, server)
    for worker in workers { try worker.begin() }

    let victims = try await killLeaders(among: workers, world, gate)
    world.server.kill()
    try await world.server.start()
    gate.open()

    for worker in workers where !victims.contains(where: { $0 === worker }) {
      try await expectAll(worker)
    }
    #expect(origin.counts.withLock { $0.values.allSatisfy { $0 <= workers.count } })
    print(
      "= \(workers.count) processes, \(victims.count) and the server killed,",
      "\(origin.total) requests"
    )
    await server.stop()
  }

  /// Kills leaders at random while their requests wait at the origin: a quarter of the processes at most.
  private func killLeaders(
    among workers: [Worker],
    _ world: SharedWorld,
    _ gate: Gate
  ) async throws -> [Worker] {
    // A process fetches eight at once, and each of these has a leader.
    #expect(await gate.waiting(count: min(8, Self.size.urls)))
    var leaders: [Worker] = []
    for worker in workers where try await leases(of: worker, world) > 0 { leaders.append(worker) }
    var generator = SeededGenerator(seed: 7)
    let victims = Array(leaders.shuffled(using: &generator).prefix(workers.count / 4))
    #expect(!victims.isEmpty)
    for victim in victims {
      victim.kill()
      _ = await victim.end()
    }
    return victims
  }
}
#endif
