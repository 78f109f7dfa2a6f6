import Foundation
import Freshet
import FreshetTesting
import Testing

/// What the choices of a policy do to a fetch.
@Suite(.timeLimit(.minutes(5))) struct ResourcePolicyTests {
  let world = ClientWorld()

  static let lost = ScriptedResponse.failure(.connection(.refused, url: ClientWorld.url))

  private func shown(
    _ client: Client,
    _ configure: (inout ResourcePolicy) -> Void = { _ in }
  ) async throws -> [String] {
    try await client.resource(try world.request, policy: ResourcePolicy(configure)).shown
  }

  // MARK: Stale while revalidating

  @Test func `shows what stale-while-revalidate allows, and then the validated value`()
    async throws
  {
    let control = "max-age=60, stale-while-revalidate=30"
    let client = world.client(
      ScriptedTransport(sequence: [
        world.response("one", control: control), world.response("", status: 304),
      ])
    )
    _ = try await shown(client)

    world.clock.advance(by: .seconds(80))

    #expect(
      try await shown(client) == ["memory stale: one, not final", "memory revalidated: one"]
    )
  }

  @Test(arguments: [
    ("max-age=60, stale-while-revalidate=30", 91),
    ("max-age=60", 80),
    ("max-age=60, stale-while-revalidate=30, must-revalidate", 80),
  ])
  func `shows nothing stale that the server does not allow`(
    control: String,
    seconds: Int
  ) async throws {
    let client = world.client(
      ScriptedTransport(sequence: [
        world.response("one", control: control), world.response("", status: 304),
      ])
    )
    _ = try await shown(client)

    world.clock.advance(by: .seconds(seconds))

    #expect(try await shown(client) == ["memory revalidated: one"])
  }

  @Test func `withholds on request what stale-while-revalidate allows`() async throws {
    let control = "max-age=60, stale-while-revalidate=30"
    let client = world.client(
      ScriptedTransport(sequence: [
        world.response("one", control: control), world.response("", status: 304),
      ])
    )
    _ = try await shown(client)

    world.clock.advance(by: .seconds(80))

    #expect(try await shown(client) { $0.stale = .withheld } == ["memory revalidated: one"])
  }

  @Test func `value waits for the validated copy, first returns the stale one`() async throws {
    let gate = Gate()
    let control = "max-age=60, stale-while-revalidate=30"
    let transport = ScriptedTransport(sequence: [
      world.response("one", control: control),
      world.response("two", headers: [.eTag: "\"v2\""]).waiting(for: gate),
    ])
    let client = world.client(transport)
    _ = try await shown(client)

    world.clock.advance(by: .seconds(80))
    let first = try await client.resource(try world.request).first
    gate.open()
    let value = try await client.resource(try world.request).value

    #expect(try first.text == "one")
    #expect(try value.text == "two")
  }

  // MARK: Served while refreshing

  private static let window = "max-age=60, stale-while-revalidate=30"

  @Test(.timeLimit(.minutes(5)))
  func `a cancelled fetch does not wait for a background refresh`() async throws {
    let (refreshes, gate) = (Refreshes(), Gate())
    let transport = ScriptedTransport { [world] request in
      let response = world.response("one", control: Self.window)
      return request.headers.contains(.ifNoneMatch) ? response.waiting(for: gate) : response
    }
    let client = world.client(transport) {
      $0.refreshes = refreshes
      $0.policy.stale = .servedWhileRefreshing
    }
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(80))
    _ = try await client.resource(try world.request).value
    await gate.waiting()

    let task = Task { await refreshes.idle() }
    task.cancel()
    await task.value

    #expect(refreshes.count == 1)
    gate.open()
    await refreshes.idle()
    #expect(refreshes.count == 0)
  }

  @Test func `RFC 5861 3: a stale copy is the value while it is refreshed in the background`()
    async throws
  {
    let refreshes = Refreshes()
    let gate = Gate()
    let transport = ScriptedTransport { [world] request in
      request.headers.contains(.ifNoneMatch)
        ? world.response("two", headers: [.eTag: "\"v2\""]).waiting(for: gate)
        : world.response("one", control: Self.window)
    }
    let client = world.client(transport) {
      $0.refreshes = refreshes
      $0.policy.stale = .servedWhileRefreshing
    }
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(80))

    let stale = try await client.resource(try world.request).value
    await gate.waiting()
    let again = try await client.resource(try world.request).shown
    #expect(client.activity.count <= 1 && refreshes.count == 1)
    gate.open()
    await refreshes.idle()

    #expect(try stale.text == "one")
    #expect(stale.isFinal && stale.freshness == .stale)
    #expect(stale.explanation.last == .servedWhileRefreshing)
    #expect(again == ["memory stale: one"])
    #expect(try await client.resource(try world.request).value.text == "two")
    #expect(transport.counts.started == 2)
  }

  @Test func `a refresh is one of the client's calls and ends with the client`() async throws {
    let gate = Gate()
    let activity = ClientActivity()
    let transport = ScriptedTransport { [world] request in
      request.headers.contains(.ifNoneMatch)
        ? world.response("two").waiting(for: gate)
        : world.response("one", control: Self.window)
    }
    var client: Client? = world.client(transport) {
      $0.activity = activity
      $0.policy.stale = .servedWhileRefreshing
    }
    _ = try await client?.resource(try world.request).value
    world.clock.advance(by: .seconds(80))
    _ = try await client?.resource(try world.request).value
    await gate.waiting()
    #expect(activity.count == 1)

    client = nil

    await transport.counted { $0.cancelled == 1 }
    #expect(transport.counts.running == 0)
  }

  @Test func `waits for the validation outside of stale-while-revalidate`() async throws {
    let transport = ScriptedTransport(sequence: [
      world.response("one", control: Self.window), world.response("two", headers: [:]),
    ])
    let client = world.client(transport) { $0.policy.stale = .servedWhileRefreshing }
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(91))

    #expect(try await client.resource(try world.request).value.text == "two")
  }

  // MARK: Failures

  @Test(arguments: [
    ("max-age=60", 100_000, true),
    ("max-age=60, stale-if-error=10", 69, true),
    ("max-age=60, stale-if-error=10", 71, false),
    ("max-age=60, must-revalidate", 61, false),
  ])
  func `a copy replaces a failure within stale-if-error`(
    control: String,
    seconds: Int,
    isServed: Bool
  ) async throws {
    let client = world.client(
      ScriptedTransport(sequence: [world.response("one", control: control), Self.lost])
    )
    _ = try await shown(client)

    world.clock.advance(by: .seconds(seconds))

    if isServed {
      #expect(try await shown(client) == ["memory stale: one"])
    } else {
      let error = await #expect(throws: FreshetError.self) { try await shown(client) }
      #expect(error?.kind == "connection")
    }
  }

  @Test func `a copy replaces a failure only within the client's limit`() async throws {
    let client = world.client(
      ScriptedTransport(sequence: [world.response("one"), Self.lost])
    )
    _ = try await shown(client)
    world.clock.advance(by: .seconds(100))

    let policy = { (limit: Duration) in
      { (policy: inout ResourcePolicy) in policy.staleLimits.onError = limit }
    }

    #expect(try await shown(client, policy(.seconds(40))) == ["memory stale: one"])
    await #expect(throws: FreshetError.self) { try await shown(client, policy(.seconds(39))) }
  }

  @Test func `a failed validation neither renews the copy nor deletes it`() async throws {
    let transport = ScriptedTransport(sequence: [world.response("one"), Self.lost])
    let client = world.client(transport)
    _ = try await shown(client)
    world.clock.advance(by: .seconds(61))

    for _ in 0..<3 { #expect(try await shown(client) == ["memory stale: one"]) }

    #expect(transport.counts.started == 4)
  }

  // MARK: Limits

  @Test func `a copy within the stale limit answers without the network`() async throws {
    let transport = ScriptedTransport(sequence: [
      world.response("one"), world.response("", status: 304),
    ])
    let client = world.client(transport)
    _ = try await shown(client)
    let lenient = { (policy: inout ResourcePolicy) in
      policy.staleLimits.unvalidated = .seconds(30)
    }

    world.clock.advance(by: .seconds(90))
    #expect(try await shown(client, lenient) == ["memory stale: one"])
    #expect(transport.counts.started == 1)
    world.clock.advance(by: .seconds(1))
    #expect(try await shown(client, lenient) == ["memory revalidated: one"])
  }

  @Test(arguments: ["max-age=60, must-revalidate", "no-cache, max-age=60"])
  func `no limit overrides fields that forbid stale use`(control: String) async throws {
    let client = world.client(
      ScriptedTransport(sequence: [
        world.response("one", control: control),
        world.response("", control: control, status: 304),
      ])
    )
    _ = try await shown(client)
    world.clock.advance(by: .seconds(61))

    let values = try await shown(client) { $0.staleLimits.unvalidated = .seconds(1_000) }

    #expect(values == ["memory revalidated: one"])
  }

  // MARK: Network

  @Test func `offline returns stored copies of any age and sends nothing`() async throws {
    let transport = ScriptedTransport(sequence: [world.response("one")])
    let client = world.client(transport)
    _ = try await shown(client)
    world.clock.advance(by: .seconds(1_000_000))

    #expect(try await shown(client) { $0.network = .forbidden } == ["memory stale: one"])
    let other = client.resource(
      try Request("http://a.example/other"),
      policy: ResourcePolicy { $0.network = .forbidden }
    )
    let error = await #expect(throws: FreshetError.self) { try await other.value }
    #expect(error?.kind == "notStored")
    #expect(transport.counts.started == 1)
  }

  @Test func `a forced download bypasses the lookups and stores its result`() async throws {
    let transport = ScriptedTransport(sequence: [world.response("one"), world.response("two")])
    let client = world.client(transport)
    _ = try await shown(client)

    let forced = try await shown(client) { $0.network = .required }

    #expect(forced == ["network fresh: two"])
    #expect(transport.requests[1].headers.isEmpty)
    #expect(try await shown(client) == ["memory fresh: two"])
  }

  @Test func `a forced download that fails keeps the stored copy`() async throws {
    let client = world.client(
      ScriptedTransport(sequence: [world.response("one"), Self.lost])
    )
    _ = try await shown(client)

    await #expect(throws: FreshetError.self) {
      try await shown(client) { $0.network = .required }
    }

    #expect(try await shown(client) == ["memory fresh: one"])
  }

  @Test func `only-if-cached sends no request`() async throws {
    let transport = ScriptedTransport(sequence: [world.response("one")])
    let client = world.client(transport)
    var request = try world.request
    request.headers[.cacheControl] = "only-if-cached"

    let missing = await #expect(throws: FreshetError.self) {
      try await client.resource(request).value
    }
    _ = try await shown(client)
    let fresh = try await client.resource(request).shown
    world.clock.advance(by: .seconds(61))
    let stale = await #expect(throws: FreshetError.self) {
      try await client.resource(request).value
    }
    request.headers[.cacheControl] = "only-if-cached, max-stale"
    let accepted = try await client.resource(request).shown

    #expect(missing?.kind == "notStored")
    #expect(fresh == ["memory fresh: one"])
    #expect(stale?.kind == "notStored")
    #expect(accepted == ["memory stale: one"])
    #expect(transport.counts.started == 1)
  }

  @Test func `only-if-cached returns at most what stale-while-revalidate allows`() async throws {
    let control = "max-age=60, stale-while-revalidate=30"
    let client = world.client(
      ScriptedTransport(sequence: [world.response("one", control: control)])
    )
    _ = try await shown(client)
    var request = try world.request
    request.headers[.cacheControl] = "only-if-cached"
    world.clock.advance(by: .seconds(80))

    #expect(try await client.resource(request).shown == ["memory stale: one"])
  }

  // MARK: Persistence

  @Test func `stores nothing on request, and still looks up`() async throws {
    let sandbox = StoreSandbox()
    let disk = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
    let client = world.client(ScriptedTransport(sequence: [world.response("one")])) {
      $0.disk = disk
    }

    _ = try await shown(client) { $0.persistence = .nowhere }
    #expect(world.memory.count == 0)
    _ = try await shown(client) { $0.persistence = .memoryOnly }
    #expect(world.memory.count == 1)
    #expect(try await disk.statistics().count == 0)
    _ = try await shown(client) {
      $0.persistence = .everywhere
      $0.network = .required
    }
    #expect(try await disk.statistics().count == 1)
    #expect(try await shown(client) { $0.persistence = .nowhere } == ["memory fresh: one"])
  }
}
