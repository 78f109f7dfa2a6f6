import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

/// Stored ranges of bytes whose whole has changed, is gone, or must not be stored any more.
@Suite(.timeLimit(.minutes(5))) struct EndedPartsTests {
  let sandbox = StoreSandbox()
  let clock = VirtualClock()
  let server: LoopbackServer
  let disk: DiskStore
  let client: Client
  let file = GeneratedBytes(length: 2_000_000, seed: 1)

  init() throws {
    let (clock, disk) = (clock, DiskStore(directory: sandbox.url.appendingPathComponent("store")))
    self.disk = disk
    server = try LoopbackServer()
    client = Client {
      $0.disk = disk
      $0.now = { clock.date }
    }
    route(file, "\"v1\"")
  }

  private func route(_ bytes: GeneratedBytes, _ tag: String, _ control: String = "max-age=600") {
    server.route("/film", .generated(bytes, eTag: tag, cacheControl: control))
  }

  private func get(_ range: String?, tags: Set<String> = []) async throws -> Response<Data> {
    var request = Request(.get, server.url("/film"))
    if let range { request.headers[.range] = range }
    request.tags = tags
    return try await client.send(request) { $0.cache = ResourcePolicy() }.value
  }

  private var asked: [String] { server.requests.map { $0.headers[.range] ?? "all" } }

  @Test func `a whole that must not be stored removes the parts that it was to complete`()
    async throws
  {
    _ = try await get("bytes=0-99")
    #expect(try await disk.partEntries().count == 1)
    let whole = file.bytes(in: 0..<file.length)
    server.route(
      "/film",
      .response(200, headers: [.eTag: "\"v1\"", .cacheControl: "no-store"], body: whole)
    )

    #expect(try await get(nil).value == whole)

    #expect(asked == ["bytes=0-99", "bytes=100-1999999"])
    #expect(try await disk.partEntries().isEmpty)
    let new = GeneratedBytes(length: 2_000_000, seed: 2)
    route(new, "\"v2\"")
    #expect(try await get("bytes=0-99").value == new.bytes(in: 0..<100))
  }

  @Test(arguments: ["bytes=100-199", "bytes=0-99"], ["films", "new"])
  func `parts have the tags of all requests that they were stored for, in other processes too`(
    next: String,
    tag: String
  ) async throws {
    _ = try await get("bytes=0-99", tags: ["films"])
    // Otherwise nothing is asked for.
    if next == "bytes=0-99" { clock.advance(by: .seconds(601)) }
    _ = try await get(next, tags: ["new"])
    let other = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
    #expect(try await other.partEntries().count == 1)

    try await other.removeAll(tag: tag)

    #expect(try await other.partEntries().isEmpty)
  }

  @Test func `parts whose validation forbids to store them are delivered and removed`()
    async throws
  {
    _ = try await get("bytes=0-99")
    clock.advance(by: .seconds(601))
    server.route(
      "/film",
      .response(304, headers: [.eTag: "\"v1\"", .cacheControl: "no-store"])
    )

    #expect(try await get("bytes=0-99").value == file.bytes(in: 0..<100))

    #expect(try await disk.partEntries().isEmpty)
    #expect(try await disk.statistics().count == 0)
  }

  @Test(arguments: ["everything", "key", "tag", "prefix"])
  func `a range that was requested before a removal by another process is not stored`(
    how: String
  ) async throws {
    let gate = Gate()
    let range: HTTPHeaders = [
      .eTag: "\"v1\"", .contentRange: "bytes 0-4/2000", .cacheControl: "max-age=600",
    ]
    let answer = ScriptedResponse(206, headers: range, body: Data("water".utf8))
    let client = Client {
      $0.transport = ScriptedTransport { _ in answer.waiting(for: gate) }
      $0.disk = disk
      $0.now = { [clock] in clock.date }
    }
    var request = try Request("http://a.example/film")
    request.headers[.range] = "bytes=0-4"
    request.tags = ["films"]
    let late = client.send(request) { $0.cache = ResourcePolicy() }.start()
    await gate.waiting()
    let other = DiskStore(directory: sandbox.url.appendingPathComponent("store"))

    switch how {
    case "key": try await other.remove(CacheKey(Request("http://a.example/film")))
    case "tag": try await other.removeAll(tag: "films")
    case "prefix": try await other.removeAll(prefix: "http://a.example/")
    default: try await other.removeAll()
    }
    gate.open()

    #expect(try await late.value.value == Data("water".utf8))
    #expect(try await disk.partEntries().isEmpty)
  }

  @Test(arguments: [404, 410] as [HTTPStatus])
  func `an answer that the resource is gone removes its parts`(status: HTTPStatus) async throws {
    _ = try await get("bytes=0-99")
    #expect(try await disk.partEntries().count == 1)
    server.route("/film", .status(status))

    _ = try? await get("bytes=0-999")

    #expect(asked == ["bytes=0-99", "bytes=100-999"])
    #expect(try await disk.partEntries().isEmpty)
  }

  @Test(arguments: [404, 410] as [HTTPStatus])
  func `a stored answer that the resource is gone removes its parts`(
    status: HTTPStatus
  ) async throws {
    _ = try await get("bytes=0-99")
    #expect(try await disk.partEntries().count == 1)
    server.route("/film", .response(status, headers: [.cacheControl: "max-age=60"]))

    for _ in 0..<2 { _ = try? await get(nil) }

    #expect(asked == ["bytes=0-99", "bytes=100-1999999"])
    #expect(try await disk.partEntries().isEmpty)
  }

  @Test func `a failure of the server leaves the parts`() async throws {
    _ = try await get("bytes=0-99")
    server.route("/film", .status(501))

    _ = try? await get("bytes=0-999")

    #expect(try await disk.partEntries().count == 1)
  }

  @Test(arguments: [
    ("\"v1\"", "max-age=600", true), ("\"v2\"", "max-age=600", false),
    ("\"v1\"", "no-store", false),
  ])
  func `the answer to a HEAD removes parts that it contradicts or that must not be stored`(
    tag: String,
    control: String,
    areKept: Bool
  ) async throws {
    _ = try await get("bytes=0-99")
    route(file, tag, control)

    _ = try await client.send(Request(.head, server.url("/film"))).value

    #expect(try await disk.partEntries().isEmpty == !areKept)
  }

  @Test func `parts that were requested before a change in another process are not used`()
    async throws
  {
    _ = try await get("bytes=0-99")
    #expect(try await get("bytes=0-99").value == file.bytes(in: 0..<100))
    clock.advance(by: .seconds(1))
    let other = DiskStore(directory: disk.directory)
    let (key, mark) = (CacheKey(server.url("/film")), ChangeMark(clock.date, heard: .now))

    // As if they had arrived after the other process had removed the files.
    try await other.writer.perform { transaction throws(SQLiteError) in
      try transaction.invalidate(key, mark)
    }

    clock.advance(by: .seconds(1))
    for _ in 0..<2 { #expect(try await get("bytes=0-99").value == file.bytes(in: 0..<100)) }
    #expect(asked == ["bytes=0-99", "bytes=0-99"])
  }

  @Test func `a change that a clock that was ahead has recorded does not remove later parts`()
    async throws
  {
    let (key, time) = (CacheKey(server.url("/film")), Date(timeIntervalSinceNow: 400 * 86_400))
    try await disk.writer.perform { transaction throws(SQLiteError) in
      try transaction.invalidate(key, ChangeMark(time: time, heard: .now))
    }

    for _ in 0..<2 { #expect(try await get("bytes=0-99").value == file.bytes(in: 0..<100)) }

    #expect(asked == ["bytes=0-99"])
  }

  @Test(arguments: 0..<8)
  func `what is removed while its parts are put together does not come back`(
    steps: Int
  ) async throws {
    _ = try await get("bytes=0-999999")
    _ = try await get("bytes=1000000-1999999")
    let (disk, key) = (disk, CacheKey(server.url("/film")))
    let executor = SteppingExecutor()
    let reading = Task(executorPreference: executor) { await disk.find(key, for: [:]) }
    for _ in 0..<steps { await executor.step() }

    try await disk.removeAll()
    executor.release()

    #expect(await reading.value == nil)
    #expect(await disk.find(key, for: [:]) == nil)
    #expect(try await disk.statistics().count == 0)
  }
}

/// Runs the jobs of one task, one by one until its release.
private final class SteppingExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isReleased = false
  }

  private let queue = DispatchQueue(label: "steps")
  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isReleased = state.withLock { state in
      if !state.isReleased { state.jobs.append(job) }
      return state.isReleased
    }
    if isReleased { queue.async { self.perform(job) } }
  }

  /// Runs the next job, if there is one.
  func step() async {
    let job: UnownedJob? = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    guard let job else { return }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      queue.async {
        self.perform(job)
        continuation.resume()
      }
    }
  }

  /// Runs all jobs from now on.
  func release() {
    let jobs = state.withLock { state in
      defer { state.jobs = [] }
      state.isReleased = true
      return state.jobs
    }
    for job in jobs { queue.async { self.perform(job) } }
  }

  private func perform(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
