import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// The fetches that a batch's worker runs in its own task, while others share them.
@Suite(.timeLimit(.minutes(5))) struct BatchLeadTests {
  let world = BatchWorld()
  let coalescer = Coalescer()

  private func client(
    _ transport: any Transport,
    _ edit: @escaping @Sendable (FetchChain) -> FetchChain = { $0 }
  ) -> Client {
    Client {
      $0.transport = transport
      $0.coalescer = coalescer
      $0.editChain = edit
    }
  }

  /// Starts a batch of requests, one after the other, of which the first one waits for the gate.
  private func start(
    _ client: Client,
    _ requests: [Request] = [BatchWorld.request("gated")]
  ) async -> Task<[Resource], any Error> {
    let batch = Task {
      var resources: [Resource] = []
      for try await event in client.batch(requests).run(maxConcurrent: 1) {
        switch event {
        case .received(_, let resource): resources.append(resource)
        case .failed(_, let error): throw error
        case .started, .progressed, .advanced, .finished: break
        }
      }
      return resources
    }
    await world.gate.waiting()
    return batch
  }

  private func subscribers(_ count: Int) async {
    while coalescer.subscriberCount != count { await Task.yield() }
  }

  @Test func `a fetch joins an item up to its end, and both report it`() async throws {
    let transport = world.origin()
    let client = client(transport)
    let batch = await start(client)
    let screen = Task {
      var last: Resource?
      for try await event in client.resource(at: BatchWorld.url("gated")) {
        last = event.value ?? last
      }
      return last
    }
    await subscribers(2)

    world.gate.open()

    let (joined, items) = (try await screen.value, try await batch.value)
    #expect(joined?.explanation.contains(.coalesced(with: 1)) == true)
    #expect(items.map { $0.explanation.contains(.coalesced(with: 1)) } == [true])
    #expect(transport.counts.started == 1 && coalescer.count == 0)
  }

  @Test func `the failure of an item reaches the fetches that share it`() async throws {
    let gate = world.gate
    let client = client(ScriptedTransport { _ in ScriptedResponse(404).waiting(for: gate) })
    let batch = await start(client)
    let screen = client.resource(at: BatchWorld.url("gated")).start()
    await subscribers(2)

    gate.open()

    let errors = [
      await #expect(throws: FreshetError.self) { try await screen.value },
      await #expect(throws: FreshetError.self) { try await batch.value },
    ]
    #expect(errors.map { $0?.kind } == ["status", "status"])
  }

  @Test func `the last fetch that shares an item of a cancelled batch ends its transfer`()
    async throws
  {
    let transport = world.origin()
    let client = client(transport)
    let batch = await start(client)
    let screen = client.resource(at: BatchWorld.url("gated")).start()
    await subscribers(2)

    batch.cancel()
    await subscribers(1)
    #expect(transport.counts.running == 1)
    screen.cancel()

    await transport.counted { $0.cancelled == 1 }
    #expect(coalescer.count == 0)
  }

  @Test(arguments: [true, false])
  func `an observer sees the item of a cancelled batch as cancelled though others share it`(
    succeeds: Bool
  ) async throws {
    let transport = ScriptedTransport { [gate = world.gate] _ in
      (succeeds ? ScriptedResponse.text("one") : ScriptedResponse(404)).waiting(for: gate)
    }
    let client = client(transport)
    let observer = FetchEnds()
    client.observe(by: observer)
    let batch = await start(client)
    let screen = client.resource(at: BatchWorld.url("gated")).start()
    await subscribers(2)

    batch.cancel()
    await subscribers(1)
    world.gate.open()

    _ = try? await screen.value
    while observer.ends.value.count < 2 { await Task.yield() }
    let end = succeeds ? "delivered" : "status"
    #expect(observer.ends.value == [1: ["cancelled"], 2: [end]])
  }

  @Test func `an item has the highest priority of those that share it, and the next its own`()
    async throws
  {
    let handles = Guarded<[ObservedValue<Request.Priority>?]>([])
    let priorities = Guarded<[Request.Priority?]>([])
    let transport = ScriptedTransport { [gate = world.gate] request in
      handles.change { $0.append(Request.Priority.current) }
      priorities.change { $0.append(Request.Priority.current?.value) }
      let response = ScriptedResponse.text("one")
      return request.priority == .normal ? response.waiting(for: gate) : response
    }
    let client = client(transport)
    let batch = await start(client, [.normal, .low].map { BatchWorld.request("\($0)", $0) })
    let screen = client.resource(BatchWorld.request("normal", .high)).start()
    await subscribers(2)

    #expect(handles.value.map { $0?.value } == [.high])
    world.gate.open()

    _ = try await (screen.value, batch.value)
    #expect(priorities.value == [.normal, .low])
  }

  @Test func `a refresh behind an item has a low priority without a coalescer`() async throws {
    let world = ClientWorld()
    let refreshes = Refreshes()
    let priorities = Guarded<[Request.Priority]>([])
    let transport = ScriptedTransport { request in
      priorities.change { $0.append(Request.Priority.current?.value ?? request.priority) }
      return world.response("one", control: "max-age=60, stale-while-revalidate=30")
    }
    let client = world.client(transport) {
      $0.coalescer = nil
      $0.refreshes = refreshes
      $0.policy.stale = .servedWhileRefreshing
    }
    var request = try world.request
    request.priority = .high
    _ = try await client.resource(request).value
    world.clock.advance(by: .seconds(80))

    for try await _ in client.batch([request]).run() {}
    await refreshes.idle()

    #expect(priorities.value == [.high, .low])
  }

  @Test func `an item leads in the first of two coalescers`() async throws {
    let transport = world.origin()
    let inner = Coalescer()
    let client = client(transport) { $0.inserting(Coalesce(in: inner), after: .coalesce) }
    let batch = await start(client)
    let screen = client.resource(at: BatchWorld.url("gated")).start()
    await subscribers(2)

    world.gate.open()

    #expect(try await screen.value.body.length == 10)
    #expect(try await batch.value.map(\.body.length) == [10])
    #expect(inner.count == 0)
  }

  @Test func `the stages that an item leads restart at most three times`() async throws {
    let stage = Restarting()
    let transport = world.origin()
    let client = client(transport) { $0.inserting(stage, after: .coalesce) }

    _ = try await client.batch([BatchWorld.request("10")]).run().value

    #expect(stage.count == 4)
    #expect(transport.counts.started == 1 && coalescer.count == 0)
  }

  @Test func `a fetch ends after the copy that an item finds while they share it`() async throws {
    let stored = MemoryStore()
    let origin = world.client(world.origin(), memory: stored)
    _ = try await origin.resource(at: BatchWorld.url("10")).value
    let transport = world.origin()
    let client = client(transport) { [gate = world.gate] in
      $0.inserting(Lookup(in: stored), after: .coalesce)
        .inserting(Entrance(gate: gate), after: .coalesce)
    }
    let batch = await start(client, [BatchWorld.request("10")])
    let screen = Task {
      var values: [Resource] = []
      for try await event in client.resource(at: BatchWorld.url("10")) {
        if let value = event.value { values.append(value) }
      }
      return values
    }
    await subscribers(2)

    world.gate.open()

    #expect(try await screen.value.map(\.body.length) == [10])
    #expect(try await batch.value.map(\.body.length) == [10])
    #expect(transport.counts.started == 0 && coalescer.count == 0)
  }

  @Test func `a cancelled worker leads no shared fetch`() throws {
    let worker = WorkerTask { _ in }
    let context = FetchContext(request: BatchWorld.request("10"), partition: "")
    let outcome = coalescer.subscribe(
      .init(context: context, explanation: Explanation()),
      to: CoalescingKey(context, .label("")),
      epoch: nil
    )
    guard case .leads(let subscription) = outcome else { throw FreshetError.noValue }

    worker.cancel()

    #expect(worker.lead(subscription) == nil)
  }
}

/// A stage that waits at a gate.
private struct Entrance: FetchStage {
  let gate: Gate

  var handles: Fetch.Kinds { .wanted }

  func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply {
    try await gate.enter()
    return .pass
  }
}

/// An observer that notes the values and the failure of each fetch, by its number.
private final class FetchEnds: ClientObserver {
  let ends = Guarded<[Int: [String]]>([:])
  private let count = Guarded(0)

  func fetchBegan(_ request: Request, _ stages: ObservedStages) -> any FetchObserver {
    count.change { $0 += 1 }
    return Ends(number: count.value, ends: ends)
  }

  func callBegan(_ request: Request) -> any CallObserver { Ignored() }
  func batchBegan(_ description: String) -> any BatchObserver { Ignored() }

  private final class Ends: FetchObserver {
    let number: Int
    let ends: Guarded<[Int: [String]]>

    init(number: Int, ends: Guarded<[Int: [String]]>) {
      self.number = number
      self.ends = ends
    }

    func delivered(_ event: Event<Resource>) {
      if case .value = event { note("delivered") }
    }

    func failed(_ error: FreshetError) { note(error.kind) }

    private func note(_ text: String) {
      ends.change { $0[number, default: []].append(text) }
    }

    func stageReplied(_ index: Int, to step: Fetch.Kinds, _ reply: ObservedReply) {}
    func refreshed(_ outcome: Result<Resource, FreshetError>) {}
  }

  private final class Ignored: CallObserver, BatchObserver {
    func received(_ event: TransferEvent) {}
    func ended(_ error: FreshetError?) {}
    func received(_ event: BatchEvent) {}
    func failed(_ error: FreshetError) {}
  }
}
