import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct ClientTests {
  let world = FetchWorld()

  private func client(
    _ transport: ScriptedTransport,
    disk: DiskStore? = nil,
    policy: ResourcePolicy = ResourcePolicy()
  ) -> Client {
    Client {
      $0.transport = transport
      $0.memory = world.memory
      $0.disk = disk
      $0.policy = policy
      $0.now = world.now
    }
  }

  @Test func `the preset fetches, caches, validates and falls back`() async throws {
    let lost = FreshetError.connection(.lost, url: FetchWorld.url)
    let transport = ScriptedTransport(sequence: [
      world.minute("one"),
      ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "max-age=60"]),
      .failure(lost),
    ])
    let client = client(transport)
    let request = try world.request

    let first = try await client.resource(request).value
    let second = try await client.resource(request).value
    world.clock.advance(by: .seconds(61))
    let third = try await client.resource(request).value
    world.clock.advance(by: .seconds(61))
    let fourth = try await client.resource(request).value

    #expect([first, second, third, fourth].map(\.source) == [.network, .memory, .memory, .memory])
    #expect(
      [first, second, third, fourth].map(\.freshness) == [.fresh, .fresh, .revalidated, .stale]
    )
    #expect(transport.counts.started == 3)
  }

  @Test func `the preset and its written chain have equal explanations`() async throws {
    let preset = try await client(ScriptedTransport(sequence: [world.minute("one")]))
      .resource(try world.request)
      .value
    let memory = MemoryStore()
    let transport = ScriptedTransport(sequence: [world.minute("one")])

    let chain = try await Fetch.request(try world.request)
      .lookup(in: memory)
      .checkExpiry(.http, now: world.now)
      .revalidate(.conditional, over: transport, now: world.now)
      .download(over: transport, now: world.now)
      .persist(in: memory)
      .settle()
      .value

    #expect(preset.explanation == chain.explanation)
  }

  @Test func `a stale copy comes first, the fresh one last`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(61))
    let policy = ResourcePolicy { $0.stale = .beforeValidation }
    let client = client(
      ScriptedTransport(sequence: [world.minute("two", eTag: "\"v2\"")]),
      policy: policy
    )

    var values: [Resource] = []
    for try await event in client.resource(try world.request) {
      if let value = event.value { values.append(value) }
    }

    #expect(try values.map { try $0.text } == ["one", "two"])
    #expect(values.map(\.isFinal) == [false, true])
    #expect(try await client.resource(try world.request).first.text == "two")
  }

  @Test func `the first value of a stale resource is the stale copy`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(61))
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [world.minute("two").waiting(for: gate)])
    let client = client(transport, policy: ResourcePolicy { $0.stale = .beforeValidation })

    #expect(try await client.resource(try world.request).first.text == "one")
    #expect(transport.counts.started == 0)
  }

  @Test func `offline returns stored copies of any age, and nothing else`() async throws {
    try await world.store(world.minute("one"))
    world.clock.advance(by: .seconds(1_000))
    let transport = ScriptedTransport(sequence: [world.minute("two")])
    let client = client(transport, policy: ResourcePolicy { $0.network = .forbidden })

    let stale = try await client.resource(try world.request).value
    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(try Request("http://a.example/other")).value
    }

    #expect(stale.freshness == .stale)
    #expect(error == .notStored(url: "http://a.example/other"))
    #expect(transport.counts.started == 0)
  }

  @Test func `finds everything on disk after a restart`() async throws {
    try await TemporaryDirectory.scope { folder in
      let transport = ScriptedTransport(sequence: [world.minute("one")])
      let disk = DiskStore(directory: folder.url)
      _ = try await client(transport, disk: disk).resource(try world.request).value
      await disk.close()

      let again = Client {
        $0.transport = transport
        $0.disk = DiskStore(directory: folder.url)
        $0.now = world.now
      }
      let resource = try await again.resource(try world.request).value

      #expect(resource.source == .disk)
      #expect(try resource.text == "one")
      #expect(transport.counts.started == 1)
    }
  }

  @Test func `the client's headers are added unless the request has its own`() async throws {
    let transport = ScriptedTransport(sequence: [.text("one")])
    let client = Client {
      $0.transport = transport
      $0.headers = [.accept: "text/html", .userAgent: "tests"]
    }
    var request = try world.request
    request.headers[.accept] = "image/png"

    _ = try await client.send(request).value

    #expect(transport.requests.first?.headers[values: .accept] == ["image/png"])
    #expect(transport.requests.first?.headers[.userAgent] == "tests")
  }

  @Test func `a started fetch can be awaited any number of times and runs once`() async throws {
    let transport = ScriptedTransport(sequence: [world.minute("one")])
    let running = client(transport).resource(try world.request).start()

    #expect(try await running.value.text == "one")
    #expect(try await running.value.text == "one")
    #expect(transport.counts.started == 1)
  }

  @Test func `cancelling a started fetch cancels its transfer`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(sequence: [world.minute("one").waiting(for: gate)])
    let running = client(transport).resource(try world.request).start()
    await gate.waiting()

    running.cancel()

    await transport.counted { $0.cancelled == 1 }
    let error = await #expect(throws: FreshetError.self) { try await running.value }
    #expect(error == .cancelled)
  }

  @Test(arguments: [(3, false), (2, true)])
  func `a body over the threshold goes to a file while it arrives`(
    threshold: Int,
    isFile: Bool
  ) async throws {
    let client = Client {
      $0.transport = ScriptedTransport(sequence: [world.minute("one")])
      $0.memory = nil
      $0.memoryThreshold = threshold
    }

    let resource = try await client.resource(try world.request).value

    #expect((resource.body.fileURL != nil) == isFile)
    #expect(try resource.text == "one")
  }

  // MARK: - send

  @Test(arguments: [200, 404, 500])
  func `any status of a sent request is a value`(status: Int) async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(HTTPStatus(status), chunks: [Data("ab".utf8), Data("c".utf8)])
    ])

    let response = try await client(transport).send(try world.request).value

    #expect(response.status.rawValue == status)
    #expect(response.value == Data("abc".utf8))
  }

  @Test func `a sent request's body has a limit`() async throws {
    let transport = ScriptedTransport(sequence: [.text("abcdef")])

    let error = await #expect(throws: FreshetError.self) {
      try await client(transport).send(try world.request, limit: 5).value
    }

    #expect(error?.kind == "limitExceeded")
  }

  @Test func `sending reports the progress of the upload and then of the body`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse.text("ok").sending(TransferProgress(completed: 5, total: 5))
    ])
    var progress: [Int64] = []

    for try await event in client(transport).send(try world.request) {
      if let step = event.progress { progress.append(step.completed) }
    }

    #expect(progress == [5, 2])
  }
}
