import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct BatchRunTests {
  @Test(arguments: [Int.max, 0, -1])
  func `accepts runs without a limit, and runs at least one item`(limit: Int) async throws {
    let batch = world.client(world.origin())
      .batch(
        AsyncStream { continuation in
          continuation.yield(BatchWorld.request("1"))
          continuation.finish()
        }
      )

    let result = try await batch.run(maxConcurrent: limit, perHost: limit).value

    #expect(result.completedItems == 1)
  }

  let world = BatchWorld()

  private func urls(_ paths: [String]) -> [URL] { paths.map(BatchWorld.url) }

  // MARK: - Events

  @Test func `each item starts, progresses and ends, and then the batch ends`() async throws {
    let client = world.client(world.origin())
    var names: [String] = []
    var last: BatchProgress?

    for try await event in client.batch(urls(["30", "missing"])).run(maxConcurrent: 1) {
      names.append(event.name)
      last = event.advanced ?? last
    }

    #expect(
      names.filter { $0 != "advanced" } == [
        "started 30", "progressed 30", "received 30", "started missing", "failed missing",
        "finished",
      ]
    )
    #expect(names.suffix(2) == ["advanced", "finished"])
    #expect(last?.completedBytes == 30 && last?.totalBytes == 30)
    #expect(last?.endedItems == 2 && last?.totalItems == 2 && last?.failedItems == 1)
    #expect(last?.fraction == 1)
  }

  @Test func `a relative request and an absolute one to the base URL have one host`() async throws {
    let origin = world.origin()
    let client = Client {
      $0.transport = origin
      $0.baseURL = BatchWorld.url("")
    }
    let batch = client.batch([.get("gated_1"), BatchWorld.request("gated_2")])
    var names: [String] = []

    for try await event in batch.run(maxConcurrent: 2, perHost: 1) {
      names.append(event.name)
      guard case .started = event else { continue }
      await world.gate.waiting()
      world.gate.pass()
    }

    #expect(
      names.filter { $0.hasPrefix("started") || $0.hasPrefix("received") } == [
        "started gated_1", "received gated_1", "started gated_2", "received gated_2",
      ]
    )
  }

  private static func old(_ text: String) -> ScriptedResponse {
    ScriptedResponse(
      headers: [.cacheControl: "max-age=0", .eTag: "\"\(text)\""],
      body: Data(text.utf8)
    )
  }

  @Test func `an item with a stale replacement has a value and a failure`() async throws {
    let lost = FreshetError.connection(.refused, url: "http://a.example/x")
    let transport = ScriptedTransport(sequence: [
      Self.old("one"), .failure(lost), Self.old("two"),
    ])
    let client = world.client(transport)
    let sandbox = StoreSandbox()
    let journal = BatchJournal(at: sandbox.url.appending(path: "journal"))
    _ = try await client.resource(at: BatchWorld.url("x")).value
    var names: [String] = []
    var shown: [Resource] = []
    var result: BatchResult?

    for try await event in client.batch(urls(["x"])).run(journal: journal) {
      names.append(event.name)
      if case .received(_, let resource) = event { shown.append(resource) }
      result = event.value ?? result
    }

    #expect(
      names.filter { $0 != "advanced" } == ["started x", "received x", "failed x", "finished"]
    )
    #expect(try shown.map { try $0.data() } == [Data("one".utf8)])
    #expect(shown.map(\.isFinal) == [true] && shown.map(\.freshness) == [.stale])
    #expect(result?.failures.map(\.error) == [lost])
    #expect(result?.completedItems == 0)
    #expect(result?.progress.failedItems == 1 && result?.progress.endedItems == 1)
    #expect(try journal.remaining()?.items.count == 1)

    let again = try await result?.failed.run(journal: journal).value
    #expect(again?.failures.isEmpty == true && again?.completedItems == 1)
    #expect(transport.requests.count == 3)
    #expect(
      try await client.resource(at: BatchWorld.url("x")) { $0.network = .forbidden }
        .value.data() == Data("two".utf8)
    )
    #expect(try journal.remaining() == nil)
  }

  @Test func `the stale limit decides whether a copy replaces a failure`() async throws {
    let lost = FreshetError.connection(.refused, url: "http://a.example/x")
    let client = world.client(ScriptedTransport(sequence: [Self.old("one"), .failure(lost)]))
    _ = try await client.resource(at: BatchWorld.url("x")).value
    let policy = ResourcePolicy(staleLimits: StaleLimits(onError: .zero))
    var names: [String] = []

    await #expect(throws: lost) {
      for try await event in client.batch(urls(["x"]), policy: policy).run(onFailure: .end) {
        names.append(event.name)
      }
    }

    #expect(names.filter { $0 != "advanced" } == ["started x", "failed x"])
  }

  @Test func `readers of a shared run get its sums and result, late ones too`() async throws {
    let transport = world.origin()
    let run = world.client(transport).batch(urls(["30", "gated", "missing"])).run().share()
    let first = Task {
      var sums: [TransferProgress] = []
      for try await event in run {
        if let progress = event.progress { sums.append(progress) }
      }
      return sums
    }
    let second = Task { try await run.value }
    await world.gate.waiting()
    world.gate.open()

    let sums = try await first.value
    #expect(sums.last == TransferProgress(completed: 40, total: 40))
    #expect(sums.map(\.completed) == sums.map(\.completed).sorted())
    #expect(try await second.value.completedItems == 2)
    #expect(try await run.value.failures.map(\.item.index) == [2])
    #expect(transport.requests.count == 3)
  }

  @Test func `an empty batch ends with a result`() async throws {
    let result = try await world.client(world.origin()).batch([URL]()).run().value

    #expect(result.completedItems == 0 && result.failures.isEmpty)
    #expect(result.progress.fraction == 1 && result.progress.totalBytes == 0)
  }

  @Test func `repeated requests are fetched and counted once`() async throws {
    let transport = world.origin()

    let result = try await world.client(transport)
      .batch(urls(["1", "2", "1", "2", "1"]))
      .run()
      .value

    #expect(result.progress.totalItems == 2)
    #expect(transport.counts.started == 2)
  }

  @Test func `a repeated request has its highest priority`() async throws {
    let requests = [
      BatchWorld.request("1"), BatchWorld.request("2"), BatchWorld.request("2", .high),
    ]

    // Nobody has waited long enough to rank higher than at first, however busy the machine is.
    let run = world.client(world.origin())
      .batch(requests)
      .run(maxConcurrent: 1, clock: VirtualClock())
    var started: [String] = []
    for try await event in run {
      if case .started(let item) = event { started.append(item.request.url.lastPathComponent) }
    }

    #expect(started == ["2", "1"])
  }

  @Test func `requests are compared after the client has completed them`() async throws {
    let transport = world.origin()
    let client = Client {
      $0.transport = transport
      $0.memory = nil
      $0.baseURL = BatchWorld.url("")
      $0.headers = ["X-User": "ann"]
    }
    var anonymous = Request(BatchWorld.url("1"))
    anonymous.omittedHeaders = ["X-User"]
    let requests = [
      Request(BatchWorld.url("1")), Request.get("1"), anonymous,
      Request(.get, BatchWorld.url("1"), body: .text("a")),
      Request(.get, BatchWorld.url("1"), body: .text("b")),
    ]

    let result = try await client.batch(requests).run().value

    #expect(result.progress.totalItems == 4)
    #expect(transport.counts.started == 4)
  }

  @Test func `stored resources are not fetched and count no bytes`() async throws {
    let transport = world.origin()
    let client = world.client(transport)
    _ = try await client.resource(at: BatchWorld.url("30")).value

    let result = try await client.batch(urls(["30", "40"])).run().value

    #expect(result.completedItems == 2 && result.progress.completedBytes == 40)
    #expect(transport.counts.started == 2)
  }

  @Test func `totals never decrease and never exceed the whole`() async throws {
    let client = world.client(world.origin())
    let paths = (1...200).map { "\($0 * 37 % 500)_\($0)" } + ["missing", "chunked", "chunked_2"]
    let plan = try await client.batch(urls(paths)).plan().value
    var last = BatchProgress()

    for try await event in plan.run(maxConcurrent: 8, perHost: 8) {
      guard let progress = event.advanced else { continue }
      #expect(progress.completedBytes >= last.completedBytes)
      #expect(progress.completedBytes <= progress.totalBytes ?? .max)
      #expect(progress.fraction ?? 0 >= last.fraction ?? 0)
      last = progress
    }

    #expect(last.endedItems == 203 && last.failedItems == 1)
    #expect(last.completedBytes == plan.totals.bytes + 20)
  }

  // MARK: - Failures

  @Test(arguments: [1_000 as Int64, nil])
  func `the bytes of a request's body are none of its response`(length: Int64?) async throws {
    let body = RequestBody.bytes(Data(repeating: 0x62, count: 5_000))
    let gate = Gate()
    let answer = LoopbackServer.Answer.text(String(repeating: "a", count: 1_000))
    let server = try LoopbackServer(["/search": answer.delayed(until: gate)])
    var entry = BatchEntry(Request(.post, server.url("/search"), body: body))
    entry.expectedLength = length
    let client = Client { $0.memory = nil }

    var sent = 0
    for try await event in client.batch([entry]).run() {
      if case .progressed(_, let progress) = event, progress.completed == 5_000 {
        sent += 1
        gate.open()
      }
      guard let whole = event.advanced else { continue }
      #expect(whole.completedBytes <= 1_000)
      #expect([1_000, length].contains(whole.totalBytes))
    }

    #expect(sent == 1)
  }

  @Test func `collects the failures, which can be run again`() async throws {
    let isUp = Gate()
    let transport = ScriptedTransport { request in
      // A gate that is open lets through what waits for it, which this only looks at.
      isUp.waitingCount == 0 && request.headers.contains("X-Down")
        ? ScriptedResponse(503) : .text(request.url.lastPathComponent)
    }
    let down = ["b", "d"]
      .map { path in
        var request = BatchWorld.request(path)
        request.headers["X-Down"] = "1"
        return request
      }
    let requests = [BatchWorld.request("a"), down[0], BatchWorld.request("c"), down[1]]
    let client = world.client(transport)

    let result = try await client.batch(requests).run().value
    let again = try await result.failed.run().value

    #expect(
      result.completedItems == 2 && result.failures.map(\.error.kind) == ["status", "status"]
    )
    #expect(Set(result.failures.map(\.item.index)) == [1, 3])
    #expect(again.progress.totalItems == 2 && again.failures.count == 2)
    #expect(Set(again.failures.map(\.item.index)) == [1, 3])
  }

  @Test func `with onFailure end, a failure ends the run and cancels the rest`()
    async throws
  {
    let transport = world.origin()
    let run = world.client(transport)
      .batch(urls(["gated", "missing", "10"]))
      .run(maxConcurrent: 2, onFailure: .end)
    var names: [String] = []

    let error = await #expect(throws: FreshetError.self) {
      for try await event in run { names.append(event.name) }
    }

    #expect(error?.kind == "status")
    #expect(names.last == "failed missing")
    // The gated one, which nothing else ends; the last one may be under way, too, or over.
    await transport.counted { $0.cancelled > 0 && $0.running == 0 }
  }

  // MARK: - Limits

  @Test(arguments: [(1, 3), (2, 5)])
  func `limits the running items in all and for each host`(
    hosts: Int,
    count: Int
  ) async throws {
    let client = world.client(world.origin())
    let requests = try (0..<9 * hosts)
      .map { try Request("http://\($0 / 9).example/gated_\($0)") }
    let running = client.batch(requests).run(maxConcurrent: 5, perHost: 3).start()

    await world.gate.waiting(count: count)
    for _ in 0..<1_000 { await Task.yield() }
    #expect(world.gate.waitingCount == count)
    world.gate.open()

    #expect(try await running.value.completedItems == requests.count)
  }

  /// Requests to hosts that do not answer before the gate opens, and then or in turn with them five to another one.
  private func silent(_ hosts: Int, inTurn: Bool) throws -> [Request] {
    let silent = try (0..<hosts)
      .map { host in try (0..<60).map { try Request("http://\(host).example/gated_\($0)") } }
    let answering = try (0..<5).map { try Request("http://b.example/10_\($0)") }
    guard inTurn else { return silent.flatMap(\.self) + answering }
    return (0..<60)
      .flatMap { index in silent.map { $0[index] } + answering.dropFirst(index).prefix(1) }
  }

  @Test(arguments: [1, 3, 15])
  func `hosts that do not answer stop no other host`(hosts: Int) async throws {
    let transport = world.origin()
    let requests = try silent(hosts, inTurn: false)
    let running = world.client(transport).batch(requests).run().start()

    await transport.counted { $0.finished == 5 }
    world.gate.open()

    #expect(try await running.value.completedItems == requests.count)
  }

  @Test(arguments: [1, 3, 10])
  func `hosts that do not answer stop no other host of a sequence`(hosts: Int) async throws {
    let transport = world.origin()
    let requests = try silent(hosts, inTurn: true)
    let script = RequestScript(requests: requests)
    let running = world.client(transport).batch(script).run().start()

    await transport.counted { $0.finished == 5 }
    world.gate.open()

    #expect(try await running.value.completedItems == requests.count)
  }

  @Test func `hosts have their share of a sequence however long it waits for room`() async throws {
    let early = Gate()
    let transport = ScriptedTransport { [world] request in
      let response = ScriptedResponse(headers: [.contentLength: "1"], body: Data("a".utf8))
      switch request.url.lastPathComponent.prefix(5) {
      case "early": return response.waiting(for: early)
      case "gated": return response.waiting(for: world.gate)
      default: return response
      }
    }
    let all = try silent(3, inTurn: true)
    // The window of 16 is full of those that do not answer.
    let silent = all.filter { $0.url.lastPathComponent.hasPrefix("gated") }.prefix(60)
    let answering = all.filter { $0.url.lastPathComponent.hasPrefix("10") }
    let requests = [BatchWorld.request("early")] + silent + answering
    let (clock, taken) = (VirtualClock(), Guarded(0))
    let running = world.client(transport)
      .batch(RequestScript(requests: requests) { taken.value = $0 + 1 })
      .run(maxConcurrent: 4, clock: clock)
      .start()

    await world.gate.waiting(count: 3)
    await early.waiting()
    // Behind the 16 of the window, at least one has been taken that waits for room.
    while taken.value < 17 { await Task.yield() }
    for _ in 0..<1_000 { await Task.yield() }
    clock.advance(by: .seconds(1))
    early.open()
    while transport.counts.finished < 6, world.gate.waitingCount < 4 { await Task.yield() }
    // Behind the last item of the sequence, hosts take all places.
    let names = transport.requests.map(\.url.lastPathComponent)
    #expect(names.prefix { $0 != "10_4" }.count { $0.hasPrefix("gated") } == 3)
    world.gate.open()

    #expect(try await running.value.completedItems == requests.count)
  }

  @Test func `hosts that do not answer stop no other host of a plan`() async throws {
    let transport = world.origin()
    let planning = world.client(transport).batch(try silent(3, inTurn: false)).plan().start()

    await transport.counted { $0.finished == 5 }
    world.gate.open()

    #expect(try await planning.value.totals.bytes == 1_850)
  }

  @Test(arguments: [[9], [9, 9], [9, 1, 1]])
  func `a host takes what the others leave`(counts: [Int]) async throws {
    let requests = try counts.indices.flatMap { host in
      try (0..<counts[host]).map { try Request("http://\(host).example/gated_\($0)") }
    }
    let batch = world.client(world.origin()).batch(requests)
    let running = batch.run(maxConcurrent: 6, perHost: 6).start()

    await world.gate.waiting(count: 6)
    world.gate.open()

    #expect(try await running.value.completedItems == requests.count)
  }

  @Test func `a sequence is not read farther than 64 times what runs at once`() async throws {
    let taken = Guarded(0)
    let requests = (0..<1_000).map { BatchWorld.request("gated_\($0)") }
    let running = world.client(world.origin())
      .batch(RequestScript(requests: requests) { taken.value = $0 + 1 })
      .run(maxConcurrent: 3, perHost: 1)
      .start()

    // One runs, and one has been taken that waits for room.
    while taken.value < 194 { await Task.yield() }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(taken.value == 194)
    world.gate.open()

    #expect(try await running.value.completedItems == 1_000)
  }

  @Test func `higher priorities start first, wherever they are in a list`() async throws {
    let transport = world.origin()
    let list =
      (0..<200).map { BatchWorld.request("1_\($0)") }
      + (0..<10).map { BatchWorld.request("2_\($0)", .high) }

    _ = try await world.client(transport).batch(list).run(maxConcurrent: 1).value

    let paths = transport.requests.map(\.url.lastPathComponent)
    #expect(paths == (0..<10).map { "2_\($0)" } + (0..<200).map { "1_\($0)" })
  }

  @Test func `higher priorities start first`() async throws {
    let transport = world.origin()
    let requests = [
      BatchWorld.request("1", .low), BatchWorld.request("2"), BatchWorld.request("3", .high),
      BatchWorld.request("4", .low), BatchWorld.request("5", .high),
    ]
    let taken = Guarded(0)
    let control = BatchControl()
    control.pause()
    let running = world.client(transport)
      .batch(RequestScript(requests: requests) { taken.value = $0 })
      .run(maxConcurrent: 1, control: control, clock: VirtualClock())
      .start()
    // Four are read ahead for one that runs.
    while taken.value < 4 { await Task.yield() }
    control.resume()
    _ = try await running.value

    let paths = transport.requests.map(\.url.lastPathComponent)
    #expect(paths.first == "3")
    #expect(paths.filter { $0 != "5" } == ["3", "2", "1", "4"])
  }

  @Test func `a paused run starts nothing until it is resumed`() async throws {
    let transport = world.origin()
    let control = BatchControl()
    let running = world.client(transport)
      .batch(urls(["gated", "1", "2"]))
      .run(maxConcurrent: 1, control: control)
      .start()
    await world.gate.waiting()

    control.pause()
    #expect(control.isPaused)
    world.gate.open()
    await transport.counted { $0.finished == 1 }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(transport.counts.started == 1)
    control.resume()

    #expect(try await running.value.completedItems == 3)
  }

  @Test func `a control pauses and resumes several runs`() async throws {
    let transport = world.origin()
    let client = world.client(transport)
    let control = BatchControl()
    control.pause()
    let runs = [["1", "2"], ["3", "4"]]
      .map { client.batch(urls($0)).run(control: control).start() }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(transport.counts.started == 0)

    control.resume()

    for running in runs { #expect(try await running.value.completedItems == 2) }
  }

  @Test func `a low batch yields the network to visible resources`() async throws {
    let transport = world.origin()
    let client = Client {
      $0.transport = transport
      $0.scheduler = RequestScheduler {
        $0.background = 1
        $0.patience = .seconds(3_600)
      }
    }
    let screen = client.resource(at: BatchWorld.url("gated_screen")).start()
    await world.gate.waiting()
    let prefetch = client.batch(urls((0..<4).map { "gated_\($0)" }), priority: .low).run().start()

    await world.gate.waiting(count: 2)
    for _ in 0..<1_000 { await Task.yield() }
    #expect(world.gate.waitingCount == 2)
    world.gate.open()

    _ = try await screen.value
    #expect(try await prefetch.value.completedItems == 4)
  }

  // MARK: - Ends

  @Test func `cancelling the reader cancels the running items`() async throws {
    let transport = world.origin()
    let client = world.client(transport)
    let task = Task { try await client.batch(urls(["gated_1", "gated_2", "3"])).run().value }
    await world.gate.waiting(count: 2)

    task.cancel()

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    await transport.counted { $0.running == 0 }
    #expect(client.configuration.coalescer?.count == 0)
  }

  @Test func `a control can be used while a cancelled run releases its requests`() async throws {
    let (control, released, read) = (BatchControl(), Counter(), Gate())
    let paths = Mutex(["gated", "1", "2"])
    let requests = AsyncStream<Request> { () -> Request? in
      guard let path = paths.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        read.open()
        return nil
      }
      let owner = Owner { [control, released] in
        control.resume()
        _ = released.next()
      }
      return Request(
        .post,
        BatchWorld.url(path),
        body: .stream {
          defer { withExtendedLifetime(owner) {} }
          return AsyncThrowingStream<Data, any Error> { $0.finish() }
        }
      )
    }
    let batch = world.client(world.origin()).batch(requests)
    let task = Task { try await batch.run(maxConcurrent: 1, control: control).value }
    await world.gate.waiting()
    control.pause()
    try await read.enter()
    // The items are offered before the end of the sequence is asked for.

    task.cancel()

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    #expect(released.value >= 2)
    #expect(!control.isPaused)
  }

  /// Calls a closure when it is released.
  private final class Owner: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void) {
      self.onRelease = onRelease
    }

    deinit {
      onRelease()
    }
  }

  @Test func `a cancelled reader throws before any event`() async throws {
    let run = world.client(world.origin()).batch(urls((0..<2_000).map { "10_\($0)" })).run()
    var events = 0

    await #expect(throws: FreshetError.cancelled) {
      for try await event in run {
        if Task.isCancelled { events += 1 }
        if case .received = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }

    #expect(events == 0)
  }

  @Test func `leaving the loop cancels the running items`() async throws {
    let transport = world.origin()
    for try await event in world.client(transport).batch(urls(["gated", "2"])).run() {
      guard case .received = event else { continue }
      await world.gate.waiting()
      break
    }

    await transport.counted { $0.running == 0 && $0.cancelled == 1 }
  }

  @Test func `a cancelled batch leaves a shared transfer to its other subscribers`() async throws {
    let transport = world.origin()
    let client = world.client(transport)
    let batch = Task { try await client.batch(urls(["gated"])).run().value }
    await world.gate.waiting()
    let screen = client.resource(at: BatchWorld.url("gated")).start()
    while client.configuration.coalescer?.subscriberCount != 2 { await Task.yield() }

    batch.cancel()
    await #expect(throws: FreshetError.cancelled) { try await batch.value }
    while client.configuration.coalescer?.subscriberCount != 1 { await Task.yield() }
    world.gate.open()

    #expect(try await screen.value.body.length == 10)
    #expect(transport.counts.started == 1)
  }

  @Test func `a batch joins a running transfer without changing it`() async throws {
    let transport = world.origin()
    let client = world.client(transport)
    let screen = client.resource(at: BatchWorld.url("gated")).start()
    await world.gate.waiting()
    let batch = Task { try await client.batch(urls(["gated"])).run().value }
    while client.configuration.coalescer?.subscriberCount != 2 { await Task.yield() }

    batch.cancel()
    while client.configuration.coalescer?.subscriberCount != 1 { await Task.yield() }
    world.gate.open()

    #expect(try await screen.value.body.length == 10)
    #expect(transport.counts.started == 1)
  }

  @Test func `two batches with equal requests share transfers`() async throws {
    let transport = world.origin()
    let client = world.client(transport)
    let all = (0..<2).map { _ in client.batch(urls(["gated_1", "gated_2"])).run().start() }
    while client.configuration.coalescer?.subscriberCount != 4 { await Task.yield() }
    world.gate.open()

    for batch in all { #expect(try await batch.value.completedItems == 2) }
    #expect(transport.counts.started == 2)
  }

  // MARK: - Sequences

  @Test func `reads a sequence only a little ahead`() async throws {
    let taken = Guarded(0)
    let requests = (0..<2_000).map { BatchWorld.request("1_\($0)") }
    let script = RequestScript(requests: requests) { taken.value = $0 }
    var received = 0

    for try await event in world.client(world.origin(), memory: nil)
      .batch(script)
      .run(maxConcurrent: 4, perHost: 4)
    {
      guard case .received = event else { continue }
      received += 1
      // Four times the workers wait, twice their number of signals are ahead, each worker has one.
      #expect(taken.value - received <= 4 * 4 + 2 * 4 + 4 * 3)
    }

    #expect(received == 2_000)
  }

  @Test func `a sequence has no total before its end`() async throws {
    let requests = (0..<50).map { BatchWorld.request("3_\($0)") }
    var progress: [BatchProgress] = []

    for try await event in world.client(world.origin()).batch(RequestScript(requests: requests))
      .run()
    {
      if let step = event.advanced { progress.append(step) }
    }

    #expect(progress.last?.totalItems == 50 && progress.last?.endedItems == 50)
    #expect(progress.last?.totalBytes == 150 && progress.last?.knowsAllItems == true)
    #expect(progress.allSatisfy { $0.knowsAllItems || $0.totalBytes == nil })
    #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.totalItems <= $1.totalItems })
  }

  @Test func `a failing sequence ends the run after its items`() async throws {
    let requests = ["1", "2"].map { BatchWorld.request($0) }
    let script = RequestScript(requests: requests, failure: .store("the list is gone"))
    var names: [String] = []

    let error = await #expect(throws: FreshetError.self) {
      for try await event in world.client(world.origin()).batch(script).run() {
        names.append(event.name)
      }
    }

    #expect(error == .store("the list is gone"))
    #expect(names.filter { $0.hasPrefix("received") }.count == 2)
    #expect(!names.contains("finished"))
  }

  @Test func `a slow reader misses no value`() async throws {
    let paths = (0..<300).map { "5_\($0)" }
    var received: [String] = []

    for try await event in world.client(world.origin()).batch(urls(paths)).run() {
      if case .received(let item, _) = event {
        received.append(item.request.url.lastPathComponent)
        for _ in 0..<5 { await Task.yield() }
      }
    }

    #expect(received.count == 300 && Set(received) == Set(paths))
  }

  @Test func `rates and remaining time follow the injected clock`() async throws {
    let clock = VirtualClock()
    let client = world.client(world.origin())
    let plan = try await client.batch(urls(["1000_1", "1000_2", "held"])).plan().value
    var last: BatchProgress?

    for try await event in client.batch(plan).run(maxConcurrent: 1, clock: clock) {
      if case .received = event { clock.advance(by: .seconds(1)) }
      if let progress = event.advanced, progress.endedItems == 2 {
        last = last ?? progress
        world.gate.open()
      }
    }

    // Two thousand bytes in two seconds, and ten bytes to go.
    #expect(last?.bytesPerSecond == 1_000)
    #expect(last?.timeLeft == .milliseconds(10))
  }
}
