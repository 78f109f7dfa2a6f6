import Foundation
import Freshet
import FreshetTesting
import Testing

/// Answers that there is no resource, which stores keep as long as they say.
@Suite struct StoredRefusalTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  enum Store: CaseIterable { case memory, disk }

  private func client(_ store: Store, _ transport: some Transport) -> Client {
    world.client(transport) {
      if store == .disk {
        $0.memory = nil
        $0.disk = DiskStore(directory: sandbox.url.appendingPathComponent("store"))
      }
    }
  }

  private func failure(
    _ client: Client,
    _ request: Request? = nil,
    _ configure: (inout ResourcePolicy) -> Void = { _ in }
  ) async throws -> FreshetError? {
    let request = try request ?? world.request
    return await #expect(throws: FreshetError.self) {
      try await client.resource(request, policy: ResourcePolicy(configure)).value
    }
  }

  @Test(arguments: Store.allCases, [404, 405, 410, 414, 501, 403])
  func `3: an error response with explicit freshness is reused`(
    store: Store,
    status: Int
  ) async throws {
    let transport = ScriptedTransport(sequence: [
      world.response("gone", status: HTTPStatus(status)), world.response("back"),
    ])
    let client = client(store, transport)

    let first = try await failure(client)
    world.clock.advance(by: .seconds(59))
    let second = try await failure(client)

    #expect(transport.counts.started == 1)
    #expect(first?.source == .network)
    #expect(second?.source == (store == .disk ? .disk : .memory))
    #expect(second?.explanation?.contains(.hit(store == .disk ? .disk : .memory)) == true)
    #expect(second?.head?.status == HTTPStatus(status))
    #expect(second?.head?.headers[.age] == "59")
    guard case .status(_, let body) = second else {
      Issue.record("\(String(describing: second))")
      return
    }
    #expect(body == Data("gone".utf8))
    world.clock.advance(by: .seconds(1))
    #expect(try await client.resource(try world.request).value.text == "back")
  }

  @Test func `it equals the network's error except for its age`() async throws {
    let client = client(
      .memory,
      ScriptedTransport(sequence: [world.response("gone", status: 404)])
    )
    let first = try await failure(client)
    var second = try await failure(client)

    if case .status(var head, let body)? = second {
      head.headers.remove(.age)
      second = .status(head, body: body)
    }
    #expect(first == second)
  }

  @Test(
    arguments: [
      (404, [.cacheControl: "no-store, max-age=60"]), (404, [:]),
      (404, [.cacheControl: "max-age=0"]),
      (401, [.cacheControl: "max-age=60"]), (407, [.cacheControl: "max-age=60"]),
      (428, [.cacheControl: "max-age=60"]), (429, [.cacheControl: "max-age=60"]),
      (431, [.cacheControl: "max-age=60"]), (511, [.cacheControl: "max-age=60"]),
      (500, [.cacheControl: "max-age=0"]), (503, [:]),
    ] as [(Int, HTTPHeaders)]
  )
  func `an error response without freshness, or with no-store, is requested again`(
    status: Int,
    headers: HTTPHeaders
  ) async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(HTTPStatus(status), headers: headers)
    ])
    let client = client(.memory, transport)

    _ = try await failure(client)
    _ = try await failure(client)

    #expect(transport.counts.started == 2)
    #expect(world.memory.count == 0)
  }

  @Test func `an error response without freshness keeps the good copy`() async throws {
    let transport = ScriptedTransport(sequence: [world.response("one"), ScriptedResponse(404)])
    let client = client(.memory, transport)
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))

    _ = try await failure(client)

    let offline = ResourcePolicy { $0.network = .forbidden }
    #expect(try await client.resource(try world.request, policy: offline).value.text == "one")
  }

  @Test func `a stored error response replaces no network failure`() async throws {
    let lost = FreshetError.connection(.refused, url: ClientWorld.url)
    let client = client(
      .memory,
      ScriptedTransport(sequence: [world.response("", status: 404), .failure(lost)])
    )
    _ = try await failure(client)
    world.clock.advance(by: .seconds(61))

    #expect(try await failure(client) == lost)
  }

  @Test(arguments: [ExpiryPolicy.never, .after(.seconds(1_000_000))])
  func `the client's expiry policy does not extend it`(expiry: ExpiryPolicy) async throws {
    let transport = ScriptedTransport(sequence: [
      world.response("", status: 404), world.response("back"),
    ])
    let client = client(.memory, transport)
    _ = try await failure(client) { $0.expiry = expiry }
    world.clock.advance(by: .seconds(61))

    let policy = ResourcePolicy { $0.expiry = expiry }
    #expect(try await client.resource(try world.request, policy: policy).value.text == "back")
  }

  @Test func `an error body over the limit is not stored`() async throws {
    let text = String(repeating: "x", count: 65_537)
    let client = client(
      .memory,
      ScriptedTransport(sequence: [world.response(text, status: 404)])
    )

    _ = try await failure(client)

    #expect(world.memory.count == 0)
  }

  @Test func `301: a redirect is reused as the answer, and followed elsewhere`()
    async throws
  {
    let transport = ScriptedTransport { [world] request in
      request.url.path == "/new"
        ? world.response("new")
        : world.response("", status: 301, headers: [.location: "/new"])
    }
    let client = client(.memory, transport)
    var asking = try world.request
    asking.redirects = .none

    _ = try await failure(client, asking)
    let second = try await failure(client, asking)
    let followed = try await client.resource(try world.request).value

    #expect(second?.source == .memory)
    #expect(try followed.text == "new")
    #expect(transport.counts.started == 3)
  }

  @Test(arguments: [404, 410] as [HTTPStatus])
  func `an expected digest applies to the resource and not to a 404 or a 410`(
    status: HTTPStatus
  ) async throws {
    let client = client(
      .memory,
      ScriptedTransport(sequence: [world.response("gone", status: status)])
    )
    let digest = try #require(SHA256Checksum(hex: VerifyTests.one))

    for _ in 0..<2 {
      #expect(try await failure(client) { $0.expected = .sha256(digest) }?.kind == "status")
    }
  }
}
