import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// A chain as a value: what a client returns, edits and stages of one's own.
@Suite(.timeLimit(.minutes(5))) struct FetchChainTests {
  let world = FetchWorld()

  private func client(
    _ transport: ScriptedTransport,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    Client {
      $0.transport = transport
      $0.memory = world.memory
      $0.now = world.now
      configure(&$0)
    }
  }

  // MARK: - Presets

  @Test func `a preset is the chain that its client returns`() throws {
    let client = client(ScriptedTransport(sequence: [.text("never")]))
    let chain = client.chain(for: try world.request)

    #expect("\(client.resource(try world.request))" == "\(chain)\n  .settle()")
    #expect("\(client.resource(try world.request).chain)" == "\(chain)")
  }

  @Test func `a client's chain runs as its preset does`() async throws {
    let transport = ScriptedTransport(sequence: [world.minute("one")])
    let client = client(transport)

    let names = try await client.chain(for: try world.request).names
    let again = try await client.chain(for: try world.request).settle().value

    #expect(names == ["progress", "downloaded"])
    #expect(again.source == .memory)
    #expect(transport.counts.started == 1)
  }

  // MARK: - Editing

  @Test func `stages are inserted, removed and replaced by their names`() throws {
    let chain = client(ScriptedTransport(sequence: [.text("never")])).chain(for: try world.request)
    let tally = Tally(handles: .wanted)
    let before = chain.inserting(tally, before: .persist).stageNames
    let after = chain.inserting(tally, after: .persist).stageNames

    let first = chain.stageNames.firstIndex(of: .persist(in: .memory))
    #expect(before.firstIndex(of: "tally") == first)
    #expect(after.last == "tally")
    #expect(!chain.removing(.persist).stageNames.contains(.persist(in: .memory)))
    #expect(chain.replacing(.download, with: tally).stageNames.contains("tally"))
    #expect(!chain.replacing(.download, with: tally).stageNames.contains(.download))
    #expect(chain.inserting(tally, before: "nothing").stageNames == chain.stageNames)
  }

  @Test func `a name without a store selects the stages of all stores`() throws {
    let chain = Fetch.request(try world.request)
      .lookup(in: world.memory)
      .persist(in: world.memory)

    #expect(chain.removing(.lookup).stageNames == [.persist(in: .memory)])
    #expect(chain.removing(.lookup(in: .disk)).stageNames == chain.stageNames)
  }

  @Test func `an edit of the client applies to all of its fetches`() async throws {
    let transport = ScriptedTransport { [world] _ in world.minute("one", control: "no-store") }
    let tally = Tally(handles: .downloaded)
    let client = client(transport) {
      $0.editChain = { chain in chain.inserting(tally, after: .download) }
    }
    let request = try world.request

    _ = try await client.resource(request).value
    _ = try await client.resource(request, policy: ResourcePolicy { $0.expiry = .always }).value
    _ = try await client.batch([request]).run().value
    _ = try await client.send(request) { $0.cache = ResourcePolicy() }.value

    #expect(tally.count == 4)
    #expect(transport.counts.started == 4)
  }

  @Test func `an edited chain shares no transfer with other chains of the client`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { _ in ScriptedResponse.text("one").waiting(for: gate) }
    let client = client(transport)
    let edited = client.chain(for: try world.request)
      .inserting(Tally(handles: .downloaded), after: .download)
      .settle()

    let all = [
      client.resource(try world.request).start(), client.resource(try world.request).start(),
      edited.start(), edited.start(),
    ]
    while client.configuration.coalescer?.subscriberCount != 4 { await Task.yield() }
    await gate.waiting(count: 2)
    gate.open()
    for running in all { _ = try await running.value }

    #expect(transport.counts.started == 2)
  }

  // MARK: - Stages

  @Test func `a step passes a stage that does not handle it`() async throws {
    let tally = Tally(handles: .found)
    let chain = Fetch.request(try world.request)
      .appending(tally)
      .download(over: ScriptedTransport(sequence: [.text("one")]))

    #expect(try await chain.names == ["progress", "downloaded"])
    #expect(tally.count == 0)
  }

  @Test func `a chain restarts at most three times`() async throws {
    let stage = Restarting()
    let transport = ScriptedTransport(sequence: [.text("one")])

    let value = try await Fetch.request(try world.request)
      .appending(stage)
      .download(over: transport)
      .settle()
      .value

    #expect(try value.text == "one")
    #expect(stage.count == 4)
    #expect(transport.counts.started == 1)
  }

  @Test func `behind a coalescer, the shared stages restart at most three times`() async throws {
    let (tally, stage) = (Tally(handles: .wanted), Restarting())
    let transport = ScriptedTransport(sequence: [.text("one")])

    let value = try await Fetch.request(try world.request)
      .appending(tally)
      .coalesce(in: Coalescer())
      .appending(stage)
      .download(over: transport)
      .settle()
      .value

    #expect(try value.text == "one")
    #expect(tally.count == 1)
    #expect(stage.count == 4)
    #expect(transport.counts.started == 1)
  }

  @Test func `each step of a sequence that a chain begins with restarts by itself`() async throws {
    let stage = Restarting(path: "2")
    let chain = FetchChain(Wanted(paths: ["1", "2", "3"]))
      .appending(stage)
      .coalesce(in: Coalescer())
      .download(over: ScriptedTransport { .text($0.url.lastPathComponent) })

    var bodies: [String] = []
    for try await case .value(let resource) in chain.settle() { bodies.append(try resource.text) }

    #expect(bodies == ["1", "2", "3"])
    #expect(stage.count == 4)
  }

  @Test func `a step in place of a failure restarts its element of a sequence`() async throws {
    let lost = FreshetError.connection(.lost, url: FetchWorld.url)
    let (wanted, stage) = (Wanted(paths: ["1"]), Restarting())
    let chain = FetchChain(wanted)
      .download(over: ScriptedTransport { _ in .failure(lost) })
      .appending(Recovering(wanted: wanted))
      .appending(stage)
      .download(over: ScriptedTransport { _ in .text("one") })

    #expect(try await chain.settle().value.text == "one")
    #expect(stage.count == 4)
  }

  @Test func `a failure passes the later stages, which can replace it`() async throws {
    let lost = FreshetError.connection(.lost, url: FetchWorld.url)
    let chain = Fetch.request(try world.request)
      .download(over: ScriptedTransport(sequence: [.failure(lost)]))
      .appending(Forgiving())
      .settle()

    let error = await #expect(throws: FreshetError.self) { try await chain.value }

    #expect(error == .noValue)
  }

  @Test func `operators of the standard library can be placed between stages`() async throws {
    let transport = ScriptedTransport(sequence: [world.minute("one")])
    let now = world.now
    let chain = Fetch.request(try world.request)
      .download(over: transport, now: now)
      .filter { $0.kind != .progress }
      .persist(in: world.memory)

    #expect(try await chain.names == ["downloaded"])
    #expect(world.memory.count == 1)
  }

  // MARK: - Background refreshes

  @Test func `a written chain refreshes in the background what it serves stale`() async throws {
    try await world.store(world.minute("one", control: "max-age=60, stale-while-revalidate=60"))
    world.clock.advance(by: .seconds(61))
    let refreshes = Refreshes()
    let transport = ScriptedTransport(sequence: [world.minute("two", eTag: "\"v2\"")])
    let (memory, now) = (world.memory, world.now)
    let chain = Fetch.request(try world.request)
      .lookup(in: memory)
      .checkExpiry(now: now)
      .announceStale(.servedWhileRefreshing, refreshes: refreshes)
      .revalidate(over: transport, now: now)
      .persist(in: memory)
      .settle()

    let stale = try await chain.value
    await refreshes.idle()
    let fresh = try await chain.value

    #expect(try stale.text == "one")
    #expect(stale.freshness == .stale && stale.isFinal)
    #expect(try fresh.text == "two")
    #expect(fresh.source == .memory)
    #expect(transport.counts.started == 1)
  }
}

// MARK: - Plans

@Suite struct FetchPlanTests {
  let world = FetchWorld()

  private func plan(
    _ transport: ScriptedTransport,
    _ headers: HTTPHeaders = [:],
    _ policy: ResourcePolicy = ResourcePolicy()
  ) async throws -> FetchPlan {
    let client = Client {
      $0.transport = transport
      $0.memory = world.memory
      $0.now = world.now
    }
    var request = try world.request
    request.headers = headers
    return try await client.chain(for: request, policy: policy).plan()
  }

  @Test func `ends at the stage that would send a request, and sends nothing`() async throws {
    let transport = ScriptedTransport(sequence: [.text("never")])

    let plan = try await plan(transport)

    #expect(plan.stage == .download)
    #expect(plan.request?.url.absoluteString == FetchWorld.url)
    #expect(plan.step.kind == .wanted)
    #expect(transport.counts.started == 0)
  }

  @Test func `a plan with a stage that surrounds others sends nothing, and writes nothing`()
    async throws
  {
    let transport = ScriptedTransport(sequence: [.text("never")])
    let client = Client {
      $0.transport = transport
      $0.memory = world.memory
      $0.editChain = { $0.inserting(Surrounding(), before: .download) }
    }

    let plan = try await client.chain(for: try world.request).plan()
    let batch = try await client.batch([try world.request]).plan().value

    #expect(plan.stage == .download)
    #expect(plan.request?.url.absoluteString == FetchWorld.url)
    #expect(batch.items.count == 1)
    #expect(transport.requests.filter { $0.method != .head }.isEmpty)
    #expect(world.memory.count == 0)
  }

  @Test func `has the conditions that validate an expired copy`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(61))

    let plan = try await plan(ScriptedTransport(sequence: [.text("never")]))

    #expect(plan.stage == .revalidate)
    #expect(plan.request?.headers[.ifNoneMatch] == "\"v1\"")
    #expect(plan.step.kind == .expired)
  }

  @Test func `has no request where a store answers`() async throws {
    try await world.store(world.minute("one"))

    let plan = try await plan(ScriptedTransport(sequence: [.text("never")]))

    #expect(plan.request == nil && plan.stage == nil)
    #expect(plan.step.kind == .resource)
  }

  @Test func `has no request that the fetch would not send`() async throws {
    let plan = try await plan(
      ScriptedTransport(sequence: [.text("never")]),
      [.cacheControl: "only-if-cached"]
    )

    #expect(plan.request == nil)
    #expect(plan.step.kind == .wanted)
  }

  @Test func `shows the copy that would be announced`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(61))

    let plan = try await plan(
      ScriptedTransport(sequence: [.text("never")]),
      [:],
      ResourcePolicy { $0.stale = .beforeValidation }
    )

    #expect(try plan.announced?.text == "one")
  }

  @Test func `a batch's plan sends nothing for a request that only a store may answer`()
    async throws
  {
    let transport = ScriptedTransport(sequence: [.text("never")])
    let client = Client { $0.transport = transport }
    var request = try world.request
    request.headers = [.cacheControl: "only-if-cached"]

    let plan = try await client.batch([request]).plan().value

    #expect(plan.items.map(\.need) == [.unknown])
    #expect(transport.counts.started == 0)
  }
}

// MARK: - Stages of the tests

/// Counts the steps of a kind.
private final class Tally: FetchStage {
  let handles: Fetch.Kinds
  private let counter = Atomic(0)

  init(handles: Fetch.Kinds) {
    self.handles = handles
  }

  var count: Int { counter.load(ordering: .relaxed) }

  func replyNow(to step: Fetch) -> Fetch.Reply? {
    counter.add(1, ordering: .relaxed)
    return .pass
  }
}

/// Starts the chain again whenever it is asked.
final class Restarting: FetchStage {
  private let counter = Atomic(0)
  private let path: String?

  init(path: String? = nil) {
    self.path = path
  }

  var count: Int { counter.load(ordering: .relaxed) }
  var handles: Fetch.Kinds { .wanted }

  func replyNow(to step: Fetch) -> Fetch.Reply? {
    if let path, case .wanted(let wanted) = step, wanted.request.url.lastPathComponent != path {
      return .pass
    }
    counter.add(1, ordering: .relaxed)
    return .restart
  }
}

/// A sequence of the steps that request some paths.
private struct Wanted: AsyncSequence, Sendable {
  let paths: [String]

  func makeAsyncIterator() -> Iterator { Iterator(paths: paths[...]) }

  struct Iterator: AsyncIteratorProtocol {
    var paths: ArraySlice<String>

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      guard let path = paths.popFirst() else { return nil }
      var steps = Fetch.request(try Request("http://a.example/\(path)")).makeAsyncIterator()
      return try await steps.next(isolation: actor)
    }
  }
}

/// Requests something in place of a failure.
private struct Recovering: FetchStage {
  let wanted: Wanted

  var handles: Fetch.Kinds { .failure }

  func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply {
    var steps = wanted.makeAsyncIterator()
    guard let step = try await steps.next() else { throw failure }
    return .step(step)
  }
}

/// Surrounds the stages after it.
private struct Surrounding: FetchStage {
  var handles: Fetch.Kinds { .wanted }

  func reply(to step: Fetch, at place: FetchPlace) async throws(FreshetError) -> Fetch.Reply {
    place.results(from: step) { $0 }
  }
}

/// Throws another failure in place of any.
private struct Forgiving: FetchStage {
  var handles: Fetch.Kinds { .failure }

  func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply {
    throw .noValue
  }
}
