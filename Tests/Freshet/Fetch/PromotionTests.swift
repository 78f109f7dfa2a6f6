import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// What becomes of a hit on the disk that a memory store keeps as well.
@Suite struct PromotionTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  private func client(_ transport: ScriptedTransport) -> Client {
    world.client(transport) {
      $0.disk = DiskStore(directory: sandbox.url)
      $0.memory = MemoryStore()
    }
  }

  @Test func `a hit that is promoted to memory keeps no file open`() async throws {
    let text = String(repeating: "water", count: 20_000)
    let transport = ScriptedTransport(sequence: [world.response(text)])
    _ = try await client(transport).resource(try world.request).value

    let resource = try await client(transport).resource(try world.request).value

    #expect(resource.source == .disk)
    #expect(try resource.text == text)
    #expect(resource.body.fileURL == nil)
    #expect(openDescriptors(below: sandbox.url.appendingPathComponent("bodies")) == 0)
  }

  @Test func `a hit whose file was damaged is downloaded again`() async throws {
    let text = String(repeating: "water", count: 20_000)
    let transport = ScriptedTransport(sequence: [world.response(text), world.response(text)])
    _ = try await client(transport).resource(try world.request).value
    let file = try #require(sandbox.files(in: "bodies").first)
    let handle = try FileHandle(
      forUpdating: sandbox.url.appendingPathComponent("bodies/\(file)")
    )
    try handle.write(contentsOf: Data("fire!".utf8))
    try handle.close()

    let resource = try await client(transport).resource(try world.request).value

    #expect(resource.source == .network)
    #expect(try resource.text == text)
  }

  @Test func `an unreadable stale copy leaves the network's failure as the error`()
    async throws
  {
    let writer = try SpoolWriter(Spool(directory: sandbox.url, threshold: 0))
    try writer.append(noise(5_000))
    let body = try writer.finish().body
    truncate(try #require(body.fileURL).path, 100)
    let request = try world.request
    let copy = Fetch.Expired(
      context: FetchContext(request: request, partition: ""),
      response: try .sample(ClientWorld.url, body: body),
      source: .disk,
      uses: [.onError],
      explanation: Explanation()
    )
    let lost = FreshetError.connection(.refused, url: ClientWorld.url)

    let error = await #expect(throws: FreshetError.self) {
      try await FetchChain(OneStep(step: .expired(copy)))
        .revalidate(over: ScriptedTransport(sequence: [.failure(lost)]))
        .persist(in: MemoryStore())
        .settle()
        .value
    }

    #expect(error == lost)
  }

  @Test(arguments: [true, false])
  func `a copy that is invalidated while it is promoted is fetched again, or delivered`(
    isFollowed: Bool
  ) async throws {
    let memory = MemoryStore()
    let found = Fetch.Found(
      context: FetchContext(request: try world.request, partition: ""),
      response: try .sample(ClientWorld.url, time: world.clock.date.timeIntervalSinceReferenceDate),
      source: .disk,
      explanation: Explanation()
    )
    let key = found.context.key
    let changing = Changing { [world] in await memory.invalidate(key, at: world.clock.date) }
    let chain = FetchChain(OneStep(step: .resource(Resource(fresh: found))))
      .appending(changing).persist(in: memory)

    let wire = ScriptedTransport(sequence: [world.response("new")])
    let whole = isFollowed ? chain.download(over: wire) : chain

    let resource = try await whole.settle().value

    #expect(resource.source == (isFollowed ? .network : .disk))
    #expect(memory.count == 0)
  }

  @Test func `a stale copy that was removed while the network failed is not promoted`()
    async throws
  {
    let gate = Gate()
    let lost = ScriptedResponse().waiting(for: gate)
      .failing(with: .connection(.refused, url: ClientWorld.url))
    let disk = DiskStore(directory: sandbox.url)
    let client = world.client(ScriptedTransport(sequence: [world.response("one"), lost])) {
      $0.disk = disk
    }
    _ = try await client.resource(try world.request).value
    world.memory.removeAll()
    world.clock.advance(by: .seconds(61))

    let late = client.resource(try world.request).start()
    await gate.waiting()
    try await disk.removeAll()
    world.memory.removeAll()
    gate.open()

    #expect(try await late.value.freshness == .stale)
    #expect(world.memory.count == 0)
  }

  @Test(arguments: [false, true])
  func `a refresh that waited does not store what was removed in the meantime`(
    changesVary: Bool
  ) async throws {
    let gate = Gate()
    let control = "max-age=60, stale-while-revalidate=600"
    let transport = ScriptedTransport { [world] request in
      guard request.headers.contains(.ifNoneMatch) else {
        return world.response("one", control: control)
      }
      let fields: HTTPHeaders = changesVary ? [.vary: "Accept"] : [:]
      let headers = fields.merging([.eTag: "\"v1\""])
      let confirmed = world.response(
        "",
        control: control,
        status: .notModified,
        headers: headers
      )
      return request.url.path == "/first" ? confirmed.waiting(for: gate) : confirmed
    }
    let disk = DiskStore(directory: sandbox.url)
    let refreshes = Refreshes(maximumConcurrent: 1)
    let client = world.client(transport) {
      $0.disk = disk
      $0.refreshes = refreshes
      $0.policy.stale = .servedWhileRefreshing
    }
    let requests = [try Request("http://a.example/first"), try world.request]
    for request in requests { _ = try await client.resource(request).value }
    world.memory.removeAll()
    world.clock.advance(by: .seconds(61))
    for request in requests {
      #expect(try await client.resource(request).value.freshness == .stale)
    }
    await gate.waiting()
    #expect(refreshes.count == 2)

    try await disk.removeAll()
    world.memory.removeAll()
    gate.open()
    await refreshes.idle()

    #expect(transport.counts.started == 4)
    #expect(world.memory.count == 0)
    #expect(try await disk.statistics().count == 0)
  }

  @Test func `a hit that is too large for memory still answers`() async throws {
    let text = String(repeating: "water", count: 20_000)
    let transport = ScriptedTransport(sequence: [world.response(text)])
    _ = try await client(transport).resource(try world.request).value
    let small = world.client(transport) {
      $0.disk = DiskStore(directory: sandbox.url)
      $0.memory = MemoryStore(configuration: .init(costLimit: 80_000))
    }

    let resource = try await small.resource(try world.request).value

    #expect(resource.source == .disk)
    #expect(try resource.text == text)
  }
}

/// A sequence of one step.
private struct OneStep: AsyncSequence, Sendable {
  let step: Fetch

  struct Iterator: AsyncIteratorProtocol {
    var step: Fetch?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? { step.take() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(step: step) }
}

/// Changes something on the way of a copy.
private struct Changing: FetchStage {
  let change: @Sendable () async -> Void

  var handles: Fetch.Kinds { .resource }

  func reply(to step: Fetch, at place: FetchPlace) async throws(FreshetError) -> Fetch.Reply {
    await change()
    return .pass
  }
}
