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

    var answer: LoopbackServer.Answer {
      .handler { request in
        self.counts.withLock { $0[request.path, default: 0] += 1 }
        let headers: HTTPHeaders = [
          .cacheControl: "max-age=600", .eTag: "\"1\"", .date: HTTPDate.format(Date()),
        ]
        let answer: LoopbackServer.Answer =
          request.headers[.ifNoneMatch] == "\"1\""
          ? .response(.notModified, headers: headers)
          : .response(.ok, headers: headers, body: Data("page \(request.path)".utf8))
        return answer.delayed(by: .milliseconds(50))
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
        Program.built("FreshetRedisProbe"),
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

    func begin() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }
    func kill() { process.signal(SIGKILL) }
    func end() async -> ChildProcess.End { await process.end() }
  }

  /// Stores expired copies of all pages, and starts the processes.
  private func start(
    _ world: SharedWorld,
    _ server: LoopbackServer,
    lease: Int
  ) async throws -> [Worker] {
    let shared = try await world.connected()
    for number in 0..<Self.size.urls {
      let url = server.url("/\(number)").absoluteString
      let old = Date(timeIntervalSinceNow: -3_600)
      _ = try await shared.keep(.sample(url, body: Data("page /\(number)".utf8), time: old))
    }
    let base = server.url("/").absoluteString.dropLast()
    let workers = try (0..<Self.size.processes)
      .map { seed in
        try Worker(
          ["coalesce", world.server.url, "\(base)", "\(Self.size.urls)", "\(seed)", "\(lease)"]
        )
      }
    #expect(try await eventually { workers.allSatisfy { $0.lines.first == "ready" } })
    return workers
  }

  private func expectAll(_ worker: Worker) {
    let expected = (0..<Self.size.urls).map { "fetched \($0) page /\($0)" }
    #expect(Set(worker.lines.filter { $0.hasPrefix("fetched") }) == Set(expected))
    #expect(worker.lines.last == "done")
  }

  @Test(.timeLimit(.minutes(10)))
  func `processes that find everything expired validate each URL once`() async throws {
    let world = try await SharedWorld()
    let origin = Origin()
    let server = try LoopbackServer(["/*": origin.answer])
    let workers = try await start(world, server, lease: 60_000)

    for worker in workers { try worker.begin() }
    for worker in workers {
      let end = await worker.end()
      #expect(end.status == 0 && !end.wasKilled)
    }

    #expect(try await eventually { workers.allSatisfy { $0.lines.last == "done" } })
    for worker in workers { expectAll(worker) }
    #expect(origin.total == Self.size.urls)
    #expect(origin.counts.withLock { $0.values.allSatisfy { $0 == 1 } })
    print("= \(workers.count) processes, \(Self.size.urls) URLs, \(origin.total) requests")
    await server.stop()
  }

  @Test(.timeLimit(.minutes(10)))
  func `leaders that are killed cost a request for each of their leases`() async throws {
    let world = try await SharedWorld()
    let origin = Origin()
    let server = try LoopbackServer(["/*": origin.answer])
    let workers = try await start(world, server, lease: 6_000)
    for worker in workers { try worker.begin() }

    var generator = SeededGenerator(seed: 7)
    let victims = workers.shuffled(using: &generator).prefix(workers.count / 4)
    var held = 0
    for (number, victim) in victims.enumerated() {
      // They are in the middle of it.
      let goal = Self.size.urls * (number + 1) / (victims.count + 2)
      #expect(try await eventually { origin.total >= goal })
      victim.kill()
      _ = await victim.end()
      held += 8
    }
    for worker in workers where !victims.contains(where: { $0 === worker }) {
      let end = await worker.end()
      #expect(end.status == 0 && !end.wasKilled)
      #expect(try await eventually { worker.lines.last == "done" })
      expectAll(worker)
    }

    // A process has at most eight leases, because it fetches eight URLs at once.
    #expect(origin.total <= Self.size.urls + held)
    print(
      "= \(workers.count) processes, \(victims.count) killed, \(Self.size.urls) URLs,",
      "\(origin.total) requests"
    )
    await server.stop()
  }
}
#endif
