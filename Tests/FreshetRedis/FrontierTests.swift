#if Redis && !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import FreshetRedis

/// Runs that work off one frontier.
@Suite(.besideRedis, .timeLimit(.minutes(5))) struct FrontierTests {
  /// An origin that counts the requests by path; `gated` waits, `failing` fails, `missing` is not
  /// there, `busy` asks for a pause.
  private final class Origin: Sendable {
    let gate = Gate()
    let counts = Mutex<[String: Int]>([:])
    let failures: Int

    init(failures: Int = .max) {
      self.failures = failures
    }

    func client() -> Client {
      Client {
        $0.memory = nil
        $0.transport = ScriptedTransport { [self] request in
          let path = request.url.lastPathComponent
          let count = counts.withLock { counts in
            counts[path, default: 0] += 1
            return counts[path, default: 0]
          }
          if path.hasPrefix("failing"), count <= failures { return ScriptedResponse(503) }
          if path.hasPrefix("missing") { return ScriptedResponse(404) }
          if path.hasPrefix("busy") {
            return ScriptedResponse(503, headers: [.retryAfter: "1800"])
          }
          if path.hasPrefix("limited") {
            return ScriptedResponse(403, headers: [.retryAfter: "1800"])
          }
          let response = ScriptedResponse(.ok, body: Data(path.utf8))
          return path.hasPrefix("gated") ? response.waiting(for: gate) : response
        }
      }
    }

    func count(_ path: String) -> Int { counts.withLock { $0[path] ?? 0 } }
    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
  }

  private static func urls(_ paths: [String]) -> [URL] {
    paths.compactMap { URL(string: "http://a.example/\($0)") }
  }

  private static func urls(_ range: Range<Int>) -> [URL] { urls(range.map { "\($0)" }) }

  private func frontier(
    _ world: SharedWorld,
    _ configure: (inout Frontier.Configuration) -> Void = { _ in }
  ) throws -> Frontier {
    Frontier("crawl", in: try world.store()) {
      $0.retryPause = .zero
      $0.timeout = .seconds(60)
      configure(&$0)
    }
  }

  @Test func `works as before where the server has lost the scripts`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(["1"]))

    try await world.server.command("SCRIPT", "FLUSH")
    try await frontier.add(Self.urls(["2"]))
    try await world.server.command("SCRIPT", "FLUSH")
    try await frontier.close()

    let progress = try await frontier.progress()
    #expect(progress.totalItems == 2 && progress.isClosed)
  }

  @Test func `a server without room takes what is done`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    let origin = Origin()
    try await frontier.add(Self.urls(["gated1", "gated2"]))
    try await frontier.close()
    let run = Task { try await origin.client().batch(from: frontier).run().value }
    await origin.gate.waiting(count: 2)
    try await world.server.command("CONFIG", "SET", "maxmemory", "1")

    origin.gate.open()

    #expect(try await run.value.completedItems == 2)
    #expect(try await frontier.progress().completedItems == 2)
  }

  @Test func `a refused request is shown without its secrets`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    let url = try #require(URL(string: "https://a.example/x?token=abc"))
    let request = Request(.post, url, body: .text("x"))

    let error = await #expect(throws: FreshetError.self) { try await frontier.add([request]) }

    #expect(
      error
        == .invalidRequest(
          "a frontier takes requests without a body",
          url: "https://a.example/x"
        )
    )
  }

  @Test func `an operation waits no longer for a server than it may`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.timeout = .milliseconds(200) }
    world.server.signal(SIGSTOP)
    defer { world.server.signal(SIGCONT) }
    let began = ContinuousClock.now

    await #expect(throws: FreshetError.self) { try await frontier.progress() }

    #expect(ContinuousClock.now - began < .seconds(45))
  }

  // MARK: - Requests

  @Test func `one worker fetches each request once, and its run ends when the frontier is closed`()
    async throws
  {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    let origin = Origin()
    #expect(try await frontier.add(Self.urls(0..<1_200)) == 1_200)
    let run = Task { try await origin.client().batch(from: frontier).run().value }
    #expect(try await eventually { try await frontier.progress().completedItems == 1_200 })
    #expect(try await frontier.progress().hasEnded == false)

    try await frontier.close()
    let result = try await run.value

    #expect(result.completedItems == 1_200)
    #expect(origin.total == 1_200)
    let progress = try await frontier.progress()
    #expect(progress.hasEnded)
    #expect(progress.fraction == 1)
    #expect(progress.totalItems == 1_200 && progress.takenItems == 0 && progress.waitingItems == 0)
    #expect(try await world.server.command("XLEN", "freshet:frontier:crawl:queue") == "0")
  }

  @Test func `a request is added once, and a fragment or a priority makes no other one`()
    async throws
  {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    var urgent = try Request("http://a.example/1")
    urgent.priority = .high
    var other = try Request("http://a.example/1")
    other.headers[.acceptLanguage] = "de"

    #expect(try await frontier.add(Self.urls(["1", "2", "1", "1#part"])) == 2)
    #expect(try await frontier.add([urgent, other]) == 1)
    #expect(try await frontier.add(Self.urls(["1", "2"])) == 0)

    #expect(try await frontier.progress().totalItems == 3)
  }

  @Test func `tags, times and limits make no other request, nor does the fragment of a path`()
    async throws
  {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    var tagged = try Request("http://a.example/1")
    tagged.tags = ["seed"]
    tagged.timeouts.total = .seconds(9)
    tagged.limits.bodyBytes = 9
    tagged.redirects.maximumCount = 9
    tagged.cacheIdentity = .request()

    #expect(try await frontier.add([Request("http://a.example/1")]) == 1)
    #expect(try await frontier.add([tagged]) == 0)
    #expect(try await frontier.add([.get("news/1")]) == 1)
    #expect(try await frontier.add([.get("news/1#part")]) == 0)
    #expect(try await frontier.add([.get(.atOrigin("news/1#part"))]) == 1)
    #expect(try await frontier.add([.head("news/1")]) == 1)
  }

  @Test func `a request comes with its method and header fields, and without credentials`()
    async throws
  {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    var request = Request(.head, try #require(URL(string: "http://a.example/1")))
    request.headers[.acceptLanguage] = "de"
    request.headers[.authorization] = "Bearer secret"
    request.tags = ["t"]
    try await frontier.add([request])
    try await frontier.close()
    let taken = Mutex<[Request]>([])
    let client = Client {
      $0.transport = ScriptedTransport { request in
        taken.withLock { $0.append(request) }
        return ScriptedResponse(.ok)
      }
    }

    _ = try await client.batch(from: frontier).run().value

    let found = try #require(taken.withLock { $0.first })
    #expect(found.method == .head)
    #expect(found.headers[.acceptLanguage] == "de")
    #expect(found.headers[.authorization] == nil)
    #expect(found.tags == ["t"])
    var upload = Request(.post, request.url)
    upload.body = .bytes(Data("x".utf8))
    await #expect(throws: FreshetError.self) { try await frontier.add([upload]) }
  }

  @Test func `requests can be added until all have ended, and not afterwards`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    let origin = Origin()
    try await frontier.add(Self.urls(["0"]))
    try await frontier.close()

    for try await event in origin.client().batch(from: frontier).run() {
      guard case .received(let item, _) = event,
        let number = Int(item.request.url.lastPathComponent), number < 20
      else { continue }
      try await frontier.add(Self.urls(number..<number + 3))
    }

    #expect(origin.total == 22)
    #expect(try await frontier.add(Self.urls(["0"])) == 0)
    await #expect(throws: FreshetError.self) { try await frontier.add(Self.urls(["late"])) }
    #expect(try await frontier.progress().totalItems == 22)
  }

  @Test func `several workers share the requests, and all of them wait for the last one`()
    async throws
  {
    let world = try await SharedWorld()
    let origin = Origin()
    try await frontier(world).add(Self.urls(0..<500) + Self.urls(["gated"]))
    try await frontier(world).close()
    let runs = try (0..<3)
      .map { _ in
        let frontier = try frontier(world)
        return Task { try await origin.client().batch(from: frontier).run().value.completedItems }
      }
    await origin.gate.waiting()
    #expect(try await eventually { try await frontier(world).progress().completedItems == 500 })
    origin.gate.open()

    var total = 0
    for run in runs { total += try await run.value }

    #expect(total == 501)
    #expect(origin.total == 501)
  }

  // MARK: - Failures

  @Test func `a failed request comes again, up to the limit, and is then among the dead`()
    async throws
  {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(["failing", "1"]))
    try await frontier.close()
    let origin = Origin()

    let result = try await origin.client().batch(from: frontier).run().value

    #expect(origin.count("failing") == 3)
    #expect(result.failures.count == 3)
    let progress = try await frontier.progress()
    #expect(progress.completedItems == 1 && progress.failedItems == 1)
    #expect(progress.failedAttempts == 3)
    let dead = try await frontier.deadRequests()
    #expect(dead.map { $0.request?.url } == Self.urls(["failing"]))
    #expect(dead.first?.attempts == 3)
    #expect(dead.first?.reason.contains("503") == true)
  }

  @Test func `a request is dead at once if another attempt would fail in the same way`()
    async throws
  {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(["missing", "1"]))
    try await frontier.close()
    let origin = Origin()

    let result = try await origin.client().batch(from: frontier).run().value

    #expect(origin.count("missing") == 1)
    #expect(result.failures.count == 1)
    let progress = try await frontier.progress()
    #expect(progress.completedItems == 1 && progress.failedItems == 1)
    #expect(try await frontier.deadRequests().map(\.attempts) == [1])
  }

  @Test func `a request that succeeds at last has not failed`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(["failing"]))
    try await frontier.close()
    let origin = Origin(failures: 2)

    _ = try await origin.client().batch(from: frontier).run().value

    #expect(origin.count("failing") == 3)
    let progress = try await frontier.progress()
    #expect(progress.completedItems == 1 && progress.failedItems == 0)
    #expect(try await frontier.deadRequests().isEmpty)
  }

  @Test(arguments: [("failing", 3_600), ("busy", 1_800), ("limited", 1_800)])
  func `a failed request waits in the server for its pause, or as Retry-After says`(
    path: String,
    pause: Int
  ) async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.retryPause = .seconds(path == "failing" ? pause : 1) }
    try await frontier.add(Self.urls([path]))
    let origin = Origin()
    let run = Task { try await origin.client().batch(from: frontier).run().value }

    #expect(try await eventually { try await frontier.progress().failedAttempts == 1 })
    let time = try await world.server.command(
      "ZRANGE",
      "freshet:frontier:crawl:later",
      "0",
      "-1",
      "WITHSCORES"
    )
    let due = Double(time.split(separator: "\n").last ?? "") ?? 0

    #expect(abs(due / 1_000 - Double(pause) - Date().timeIntervalSince1970) < 300)
    #expect(try await frontier.progress().waitingItems == 1)
    run.cancel()
    _ = await run.result
  }

  @Test func `an entry of another version is not fetched, and is among the dead`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(["1"]))
    try await world.server.command(
      "XADD",
      "freshet:frontier:crawl:queue",
      "*",
      "v",
      "2",
      "r",
      #"{"url":"http://a.example/2"}"#,
      "a",
      "0"
    )
    try await world.server.command("HINCRBY", "freshet:frontier:crawl:state", "added", "1")
    try await frontier.close()

    let result = try await Origin().client().batch(from: frontier).run().value

    #expect(result.completedItems == 1 && result.failures.isEmpty)
    let dead = try await frontier.deadRequests()
    #expect(dead.count == 1)
    #expect(dead.first?.request == nil)
    #expect(dead.first?.reason.contains("version") == true)
  }

  // MARK: - Workers that leave

  @Test func `a run that is cancelled gives its requests back at once`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.lease = .seconds(3_600) }
    try await frontier.add(Self.urls((0..<100).map { "gated_\($0)" }))
    try await frontier.close()
    let first = Origin()
    let run = Task { try await first.client().batch(from: frontier).run().value }
    await first.gate.waiting()

    run.cancel()
    _ = await run.result

    #expect(try await eventually { try await frontier.progress().waitingItems == 100 })
    let second = Origin()
    second.gate.open()
    #expect(
      try await second.client().batch(from: frontier).run().value.completedItems == 100
    )
    // What was given back is no attempt.
    #expect(try await frontier.progress().failedItems == 0)
  }

  /// Takes an entry as a worker that dies at once.
  private func takeAndDie(_ world: SharedWorld, worker: String) async throws {
    try await world.server.command(
      "XREADGROUP",
      "GROUP",
      "workers",
      worker,
      "COUNT",
      "1",
      "STREAMS",
      "freshet:frontier:crawl:queue",
      ">"
    )
  }

  @Test func `the requests of a worker that has died are taken over`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.lease = .seconds(3) }
    try await frontier.add(Self.urls(0..<10))
    try await frontier.close()
    try await takeAndDie(world, worker: "dead")
    let origin = Origin()

    let result = try await origin.client().batch(from: frontier).run().value

    #expect(result.completedItems == 10)
    #expect(origin.total == 10)
    #expect(try await frontier.progress().takeovers == 1)
  }

  @Test func `a request that ends its workers is among the dead after the limit`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) {
      $0.lease = .seconds(3)
      $0.attemptLimit = 2
    }
    try await frontier.add(Self.urls(["1"]))
    try await frontier.close()
    try await takeAndDie(world, worker: "first")
    let id = try await world.server
      .command("XPENDING", "freshet:frontier:crawl:queue", "workers", "-", "+", "1")
      .split(separator: "\n").first.map(String.init)
    try await world.server.command(
      "XCLAIM",
      "freshet:frontier:crawl:queue",
      "workers",
      "second",
      "0",
      try #require(id)
    )
    let origin = Origin()

    _ = try await origin.client().batch(from: frontier).run().value

    #expect(origin.total == 0)
    let dead = try await frontier.deadRequests()
    #expect(dead.map { $0.request?.url } == Self.urls(["1"]))
    #expect(dead.first?.attempts == 2)
  }

  /// The names of the workers that the server knows, and the numbers of their entries.
  private func workers(_ world: SharedWorld) async throws -> [String: Int] {
    let text = try await world.server
      .command("XINFO", "CONSUMERS", "freshet:frontier:crawl:queue", "workers")
    let words = text.split(separator: "\n").map(String.init)
    var workers: [String: Int] = [:]
    for (index, word) in words.enumerated() where word == "name" {
      workers[words[index + 1]] = Int(words[index + 3])
    }
    return workers
  }

  @Test func `the server forgets a worker that leaves`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.lease = .seconds(3_600) }
    try await frontier.add(Self.urls(["1", "gated"]))
    let origin = Origin()
    let cancelled = Task { try await origin.client().batch(from: frontier).run().value }
    await origin.gate.waiting()
    #expect(try await workers(world).count == 1)

    cancelled.cancel()
    _ = await cancelled.result

    #expect(try await eventually { try await workers(world).isEmpty })
    origin.gate.open()
    try await frontier.close()
    _ = try await origin.client().batch(from: frontier).run().value
    #expect(try await workers(world).isEmpty)
  }

  /// Runs the script as a worker that wants one entry, confirms one, or leaves.
  @discardableResult
  private func turn(
    _ frontier: Frontier,
    worker: String,
    confirming entry: String? = nil,
    takesOver: Bool = true,
    leaves: Bool = false
  ) async throws -> RedisReply {
    let wants = entry == nil && !leaves
    let words = [
      "new", "", worker, wants ? "1" : "0", "0", takesOver ? "1" : "0", "0-0", "9", "0", "0",
      entry == nil ? "0" : "1", "0", "0", "0", leaves ? "1" : "0",
    ]
    let begun = entry.map { [$0, "1"] } ?? []
    return try await frontier.run(.frontierTurn, (words + begun).map(RedisArgument.text))
  }

  @Test func `a delivery that is lost on the way is no attempt`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) {
      $0.lease = .seconds(3)
      $0.attemptLimit = 1
    }
    try await frontier.add(Self.urls(["1"]))
    try await frontier.close()
    // Nobody hears of what these were given.
    try await turn(frontier, worker: "first")
    try await turn(frontier, worker: "second")
    let origin = Origin()

    let result = try await origin.client().batch(from: frontier).run().value

    #expect(result.completedItems == 1 && origin.total == 1)
    let progress = try await frontier.progress()
    #expect(progress.completedItems == 1 && progress.failedItems == 0)
    #expect(progress.takeovers == 2)
  }

  @Test func `an attempt counts once, however often its beginning is confirmed`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) {
      $0.lease = .seconds(3)
      $0.attemptLimit = 2
    }
    try await frontier.add(Self.urls(["1", "failing"]))
    try await frontier.close()
    for _ in 0..<2 {
      let reply = try await turn(frontier, worker: "dead", takesOver: false)
      let entry = try #require(reply.elements?[3].elements?[0].text)
      for _ in 0..<2 { try await turn(frontier, worker: "dead", confirming: entry) }
    }
    let origin = Origin()

    _ = try await origin.client().batch(from: frontier).run().value

    #expect(origin.count("1") == 1 && origin.count("failing") == 1)
    #expect(try await frontier.progress().failedItems == 1)
    #expect(try await frontier.deadRequests().map(\.attempts) == [2])
  }

  @Test func `the server forgets no worker that has requests`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(0..<2))
    for _ in 0..<2 { try await takeAndDie(world, worker: "first") }

    try await turn(frontier, worker: "first", leaves: true)
    #expect(try await workers(world) == ["first": 2])
    try await turn(frontier, worker: "second")
    #expect(try await workers(world) == ["first": 1, "second": 1])
    try await turn(frontier, worker: "third")

    // The turn takes over what is first in the queue, which is the entry of the second worker.
    let pending = try await workers(world)
    #expect(pending.values.reduce(0, +) == 2)
    #expect(pending["third"] == 1 && !pending.values.contains(0))
  }

  @Test func `the server forgets a worker that was taken over`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.lease = .seconds(3) }
    try await frontier.add(Self.urls(0..<2))
    try await takeAndDie(world, worker: "dead")
    let origin = Origin()
    let run = Task { try await origin.client().batch(from: frontier).run().value }

    #expect(try await eventually { try await workers(world)["dead"] == nil })
    #expect(try await frontier.progress().takeovers >= 1)
    #expect(try await eventually { try await frontier.progress().completedItems == 2 })
    try await frontier.close()
    _ = try await run.value
  }

  @Test func `a worker renews its lease while a request takes long`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.lease = .seconds(3) }
    try await frontier.add(Self.urls(["gated"]))
    try await frontier.close()
    let origin = Origin()
    let run = Task { try await origin.client().batch(from: frontier).run().value }
    await origin.gate.waiting()

    // The time without news of the worker falls only when it renews its lease.
    var last = 0
    let isRenewed = try await eventually {
      let pending = try await world.server
        .command("XPENDING", "freshet:frontier:crawl:queue", "workers", "-", "+", "1")
      let idle = Int(pending.split(separator: "\n").dropFirst(2).first ?? "") ?? 0
      defer { last = idle }
      return idle < last
    }
    origin.gate.open()

    #expect(isRenewed)
    #expect(try await run.value.completedItems == 1)
    #expect(origin.total == 1)
  }

  @Test func `what a late worker has fetched counts, and counts once`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.lease = .seconds(3_600) }
    try await frontier.add(Self.urls(["gated"]))
    try await frontier.close()
    let origin = Origin()
    let run = Task { try await origin.client().batch(from: frontier).run().value }
    await origin.gate.waiting()
    let queue = "freshet:frontier:crawl:queue"
    let id = try await world.server.command("XPENDING", queue, "workers", "-", "+", "1")
      .split(separator: "\n").first.map(String.init)
    let entry = try #require(id)
    try await world.server.command("XCLAIM", queue, "workers", "other", "0", entry)

    origin.gate.open()
    _ = try await run.value

    #expect(try await frontier.progress().completedItems == 1)
    #expect(try await world.server.command("XACK", queue, "workers", entry) == "0")
  }

  // MARK: - The server

  @Test func `a run continues by itself after the server was gone`() async throws {
    let world = try await SharedWorld(["--appendonly", "yes", "--appendfsync", "always"])
    let frontier = try frontier(world) { $0.lease = .milliseconds(500) }
    try await frontier.add(Self.urls((0..<400).map { $0 == 200 ? "gated" : "\($0)" }))
    try await frontier.close()
    let origin = Origin()
    let run = Task { try await origin.client().batch(from: frontier).run().value }
    await origin.gate.waiting()

    world.server.kill()
    origin.gate.open()
    await #expect(throws: FreshetError.self) {
      try await Frontier("crawl", in: world.store()) { $0.timeout = .zero }.progress()
    }
    try await world.server.start()
    _ = try await run.value

    let progress = try await frontier.progress()
    #expect(progress.completedItems == 400 && progress.failedItems == 0)
    #expect((0..<400).allSatisfy { $0 == 200 || origin.count("\($0)") >= 1 })
    #expect(origin.total <= 400 + 100)
  }

  @Test func `a run fails when the server has lost the frontier, or it was removed`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(["1"]))
    let run = Task { try await Origin().client().batch(from: frontier).run().value }
    #expect(try await eventually { try await frontier.progress().completedItems == 1 })

    try await frontier.removeAll()

    await #expect(throws: FreshetError.self) { try await run.value }
    #expect(try await world.server.command("KEYS", "*frontier*").isEmpty)
  }

  @Test func `a run and an operation fail at once when the server refuses them`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world) { $0.timeout = .seconds(3_600) }
    // A text where the state should be.
    try await world.server.command("SET", "freshet:frontier:crawl:state", "x")

    await #expect(throws: FreshetError.self) { try await frontier.progress() }
    await #expect(throws: FreshetError.self) {
      try await Origin().client().batch(from: frontier).run().value
    }
  }

  @Test func `a run fails if the server refuses the password`() async throws {
    let world = try await SharedWorld(["--requirepass", "right"])
    let store = try SharedStore("redis://:wrong@127.0.0.1:\(world.server.port)")
    let frontier = Frontier("crawl", in: store)

    let error = await #expect(throws: FreshetError.self) {
      try await Origin().client().batch(from: frontier).run().value
    }

    #expect("\(try #require(error))".contains("WRONGPASS"))
  }

  @Test func `an operation fails if the server refuses the password`() async throws {
    let world = try await SharedWorld(["--requirepass", "right"])
    let store = try SharedStore("redis://:wrong@127.0.0.1:\(world.server.port)")

    for timeout in [Duration.seconds(4), .seconds(3_600)] {
      let frontier = Frontier("crawl", in: store) { $0.timeout = timeout }
      let error = await #expect(throws: FreshetError.self) {
        try await frontier.add(Self.urls(0..<1))
      }
      #expect("\(try #require(error))".contains("WRONGPASS"))
    }
  }

  @Test func `dead requests are read in portions, up to the limit`() async throws {
    let world = try await SharedWorld()
    let script = """
      for i = 1, 2500 do
        redis.call('XADD', KEYS[1], '*', 'v', '1', 'r', '', 'a', '1', 'e', i)
      end
      """
    try await world.server.command("EVAL", script, "1", "freshet:frontier:crawl:dead")
    let frontier = try frontier(world)

    let all = try await frontier.deadRequests(limit: 5_000).map(\.reason)
    #expect(all == (1...2_500).map { "\($0)" })
    #expect(try await frontier.deadRequests(limit: 1_400).map(\.reason) == Array(all.prefix(1_400)))
    #expect(try await frontier.deadRequests(limit: 2_000).count == 2_000)
    #expect(try await frontier.deadRequests(limit: 0).count == 1)
  }

  // MARK: - Progress

  @Test func `the updates of the progress end when the frontier has ended`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(0..<100) + Self.urls(["gated"]))
    try await frontier.close()
    let origin = Origin()
    let run = Task { try await origin.client().batch(from: frontier).run().value }
    await origin.gate.waiting()

    var last: FrontierProgress?
    for await progress in frontier.progressUpdates(every: .milliseconds(10)) {
      #expect(progress.completedItems >= last?.completedItems ?? 0)
      last = progress
      if progress.completedItems == 100 {
        #expect(progress.takenItems == 1)
        origin.gate.open()
      }
    }

    #expect(last?.hasEnded == true)
    #expect(last?.completedItems == 101)
    _ = try await run.value
  }

  @Test func `the updates of the progress end when the frontier was removed`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(0..<2))

    var totals: [Int] = []
    for await progress in frontier.progressUpdates(every: .milliseconds(10)) {
      totals.append(progress.totalItems)
      try await frontier.removeAll()
      // Another one under the same name.
      try await frontier.add(Self.urls(0..<3))
    }

    #expect(totals == [2])
  }

  @Test func `the updates of the progress end when the server refuses them`() async throws {
    let world = try await SharedWorld()
    let frontier = try frontier(world)
    try await frontier.add(Self.urls(0..<2))

    var count = 0
    for await _ in frontier.progressUpdates(every: .milliseconds(10)) {
      count += 1
      // A text where the state should be.
      try await world.server.command("SET", "freshet:frontier:crawl:state", "x")
    }

    #expect(count == 1)
  }
}
#endif
