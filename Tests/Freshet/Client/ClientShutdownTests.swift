import Dispatch
import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClientShutdownTests {
  private let clock = VirtualClock()

  private func client(
    _ wire: some Transport,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    Client {
      $0.transport = wire
      $0.clock = clock
      configure(&$0)
    }
  }

  /// Waits until a shutdown has begun.
  private func refusal(of client: Client) async throws {
    while true {
      let request = try Request(to: "http://a.test/other")
      do throws(FreshetError) {
        _ = try await client.resource(request).value
      } catch .shutDown {
        return
      }
    }
  }

  @Test func `new calls of the client and its copies fail with an explanation`() async throws {
    let wire = ScriptedTransport { _ in .text("x") }
    let client = client(wire)
    let (copy, request) = (client, try Request(to: "http://a.test/x?y"))
    let early = copy.send(request)

    await client.shutdown()

    let error = FreshetError.shutDown(url: "http://a.test/x")
    await #expect(throws: error) { try await early.value }
    await #expect(throws: error) { try await copy.send(request).value }
    await #expect(throws: error) { try await copy.resource(request).value }
    await #expect(throws: error) { for try await _ in copy.stream(request) {} }
    await #expect(throws: error) { for try await _ in copy.events(request) {} }
    let result = try await copy.batch([request.url]).run().value
    #expect(result.failures.map(\.error) == [error])
    #expect(wire.counts.started == 0)
    #expect(client.activity.isIdle)
    #expect(
      "\(error)"
        == "The client was shut down before the request for http://a.test/x; use another client."
    )
  }

  @Test func `a fetch that a store could answer fails too`() async throws {
    let world = FetchWorld()
    let memory = MemoryStore()
    let client = client(ScriptedTransport(sequence: [world.minute("x")])) {
      $0.memory = memory
      $0.now = world.now
    }
    _ = try await client.resource(try world.request).value
    #expect(memory.count == 1)
    let later = Client { $0.memory = memory }

    await client.shutdown()

    await #expect(throws: FreshetError.shutDown(url: FetchWorld.url)) {
      try await client.resource(try world.request).value
    }
    #expect(memory.count == 1)
    await later.shutdown()
    #expect(memory.count == 0)
  }

  @Test func `a running call finishes, and the shutdown waits for it`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport {
      $0.url.path == "/slow" ? .text("x").waiting(for: gate) : .text("y")
    }
    let client = client(wire)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await client.send(Request(to: "http://a.test/slow")).value },
      { _ = try await client.resource(Request(to: "http://a.test/slow")).value },
    ]
    let tasks = calls.map { call in Task { try await call() } }
    await gate.waiting(count: 2)

    let shutdown = Task { await client.shutdown() }
    try await refusal(of: client)
    await clock.sleepers(count: 1)
    gate.open()
    await shutdown.value

    for task in tasks { try await task.value }
    #expect(wire.counts.running == 0)
  }

  @Test func `a fetch that is between two transfers begins none after the grace period`()
    async throws
  {
    let (world, gate) = (FetchWorld(), Gate())
    let wire = ScriptedTransport { request in
      world.minute("x", eTag: "\"\(request.method)\"")
    }
    let memory = MemoryStore()
    let client = client(wire) {
      $0.memory = memory
      $0.now = world.now
      $0.editChain = {
        $0.inserting(Holding(gate: gate, handles: .wanted), before: .download)
      }
    }
    let request = try world.request
    let policy = ResourcePolicy {
      $0.expiry = .always
      $0.revalidation = .head
    }
    let other = Client {
      $0.transport = wire
      $0.memory = memory
      $0.now = world.now
    }
    _ = try await other.resource(request).value
    let fetch = Task { try await client.resource(request, policy: policy).value }
    await gate.waiting(count: 1)
    let count = wire.requests.count

    await client.shutdown(grace: .zero)
    gate.open()

    await #expect(throws: FreshetError.self) { try await fetch.value }
    #expect(wire.requests.count == count)
  }

  @Test func `waits for the work of a fetch after its transfer, and stores last`() async throws {
    try await TemporaryDirectory.scope { directory in
      let (world, gate) = (FetchWorld(), Gate())
      let disk = DiskStore(directory: directory.url)
      let client = client(ScriptedTransport(sequence: [world.minute("x")])) {
        $0.disk = disk
        $0.now = world.now
        $0.editChain = { $0.inserting(Holding(gate: gate), after: .download) }
      }
      let request = try world.request
      let task = Task { try await client.resource(request).value }
      await gate.waiting()
      #expect(client.activity.isIdle)

      let shutdown = Task { await client.shutdown() }
      await clock.sleepers(count: 1)
      gate.open()
      await shutdown.value

      #expect(try await task.value.explanation.contains(.stored(.disk)))
      let reopened = DiskStore(directory: directory.url)
      #expect(try await reopened.statistics().count == 1)
    }
  }

  @Test func `after the grace period, calls of this client are cancelled and others are not`()
    async throws
  {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let activity = ClientActivity()
    let client = client(wire) { $0.activity = activity }
    let other = self.client(wire) { $0.activity = activity }
    let request = try Request(to: "http://a.test/slow")
    let task = Task { try await client.resource(request).value }
    let spared = Task { try await other.resource(request).value.data() }
    await gate.waiting(count: 2)

    let shutdown = Task { await client.shutdown(grace: .seconds(5)) }
    await clock.sleepers(count: 1)
    clock.advance(by: .seconds(4))
    #expect(activity.count == 2)
    clock.advance(by: .seconds(1))
    await shutdown.value

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    #expect(activity.count == 1)
    gate.open()
    #expect(try await spared.value == Data("x".utf8))
  }

  @Test func `a running call continues with its retries and pages`() async throws {
    let gate = Gate()
    let next: HTTPHeaders = ["Link": #"</2>; rel="next""#]
    let second = ScriptedTransport(sequence: [ScriptedResponse(503).waiting(for: gate), .text("2")])
    let others = ScriptedTransport { _ in ScriptedResponse(200, headers: next) }
    struct Wire: Transport {
      let second, others: ScriptedTransport

      func send(_ request: Request) -> Transfer {
        (request.url.path == "/2" ? second : others).send(request)
      }
    }
    let client = client(Wire(second: second, others: others)) {
      $0.retry = RetryPolicy { $0.baseDelay = .zero }
    }
    var pages = client.pages(try Request(to: "http://a.test/1"), next: .link).makeAsyncIterator()
    var values = 0
    while values == 0 { if case .value = try await pages.next() { values += 1 } }
    let shutdown = Task { await client.shutdown() }
    // It waits, although nothing is sent between two pages.
    await clock.sleepers(count: 1)
    gate.open()

    while let event = try await pages.next() { if case .value = event { values += 1 } }

    #expect(values == 2)
    await shutdown.value
    #expect(second.requests.count == 2)
  }

  @Test func `an upload that pauses before a retry continues`() async throws {
    let wire = ScriptedTransport(sequence: [
      ScriptedResponse(503), ScriptedResponse(200, headers: ["Upload-Complete": "?1"]),
    ])
    let client = client(wire)
    let url = try #require(URL(string: "http://a.test/x"))
    let upload = client.upload(Request(.put, url, body: .text("much water"))) {
      $0.retry = RetryPolicy(retries: 1, after: .seconds(1))
    }
    let task = Task { try await upload.value.status }
    await clock.sleepers(count: 1)
    let shutdown = Task { await client.shutdown() }
    await clock.sleepers(count: 2)
    clock.advance(by: .seconds(1))

    #expect(try await task.value == 200)
    await shutdown.value
  }

  @Test func `cancelling the task ends the grace period`() async throws {
    let gate = Gate()
    let client = client(ScriptedTransport { _ in .text("x").waiting(for: gate) })
    let task = Task { try await client.send(Request(to: "http://a.test/slow")).value }
    await gate.waiting()
    let shutdown = Task { await client.shutdown() }
    await clock.sleepers(count: 1)

    shutdown.cancel()
    await shutdown.value

    await #expect(throws: FreshetError.cancelled) { try await task.value }
  }

  @Test func `waits no longer for running calls than any clock can`() async throws {
    let gate = Gate()
    let client = client(ScriptedTransport { _ in .text("x").waiting(for: gate) })
    let task = Task { try await client.send(Request(to: "http://a.test/slow")).value }
    await gate.waiting()

    let shutdown = Task { await client.shutdown(grace: .seconds(Int64.max)) }
    await clock.sleepers(count: 1)

    // A century: the system's clocks trap when they cannot add a duration.
    #expect(clock.advance() == .seconds(3_155_760_000))
    await shutdown.value
    await #expect(throws: FreshetError.cancelled) { try await task.value }
  }

  @Test func `the last client of a disk store writes and closes it`() async throws {
    try await TemporaryDirectory.scope { directory in
      let world = FetchWorld()
      let disk = DiskStore(directory: directory.url)
      let wire = ScriptedTransport { _ in world.minute("x") }
      let clients = (0..<3)
        .map { _ in
          client(wire) {
            $0.disk = disk
            $0.now = world.now
          }
        }
      do { _ = client(wire) { $0.disk = disk } }
      _ = try await clients[0].resource(try world.request).value

      await clients[0].shutdown()
      await clients[0].shutdown()
      await clients[1].shutdown()
      #expect(try await disk.statistics().count == 1)
      await clients[2].shutdown()

      await #expect(throws: FreshetError.store("the store is closed")) {
        try await disk.statistics()
      }
    }
  }

  @Test func `a call that begins while the running ones are cancelled is cancelled too`()
    async throws
  {
    let (begins, mayBegin) = (Gate(), DispatchSemaphore(value: 0))
    let isWatched = Atomic(true)
    let activity = ClientActivity(now: {
      if isWatched.exchange(false, ordering: .relaxed) {
        begins.open()
        mayBegin.wait()
      }
      return Date()
    })
    let client = client(ScriptedTransport { _ in .text("x") }) { $0.activity = activity }
    let request = try Request(to: "http://a.test/x")
    // The closure blocks its thread, which is not one that others need.
    let call = Task(executorPreference: QueueExecutor()) { try await client.send(request).value }
    try await begins.enter()

    await client.shutdown(grace: .zero)
    mayBegin.signal()

    await #expect(throws: FreshetError.cancelled) { try await call.value }
    #expect(activity.isIdle)
  }

  #if !canImport(Darwin)
  @Test func `another client with the same transport continues and opens new connections`()
    async throws
  {
    let gate = Gate()
    let server = try LoopbackServer([
      "/x": .text("x"), "/slow": .text("slow").delayed(until: gate),
    ])
    let wire = DefaultTransport()
    let (client, other) = (
      Client { $0.transport = wire }, Client { $0.transport = wire.retrying() }
    )
    #expect(try await client.send(Request(server.url("/x"))).value.value.count == 1)
    let slow = Task { try await other.send(Request(server.url("/slow"))).value.value }
    while server.requests.count < 2 { await Task.yield() }

    await client.shutdown()
    await other.configuration.transport.closeIdleConnections()
    gate.open()

    #expect(try await slow.value == Data("slow".utf8))
    #expect(try await other.send(Request(server.url("/x"))).value.value == Data("x".utf8))
    await server.stop()
  }
  #endif
}

/// A stage that waits.
private struct Holding: FetchStage {
  let gate: Gate
  var handles = Fetch.Kinds.downloaded

  func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply {
    try await gate.enter()
    return .pass
  }
}
