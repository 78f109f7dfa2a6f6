import Foundation
import Freshet
import FreshetTesting
import Testing

/// What a newer response says about what is stored, and what a stored one says about itself.
@Suite struct FreshFieldsTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  private let offline = ResourcePolicy { $0.network = .forbidden }

  private func isStored(_ client: Client) async -> Bool {
    guard let request = try? world.request else { return false }
    return (try? await client.resource(request, policy: offline).value) != nil
  }

  private func client(_ responses: [ScriptedResponse]) -> Client {
    world.client(ScriptedTransport(sequence: responses)) {
      $0.disk = DiskStore(directory: sandbox.url)
    }
  }

  // MARK: Age

  @Test func `4: a response that is reused without validation has its current Age`() async throws {
    let headers: HTTPHeaders = [.eTag: "\"v1\"", .age: "7"]
    let client = client([
      world.response("one", headers: headers), world.response("", status: 304, headers: [:]),
    ])

    let first = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(20))
    let fresh = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(100))
    let stale = try await client.resource(try world.request, policy: offline).value
    let validated = try await client.resource(try world.request).value

    #expect(first.headers[values: .age] == ["7"])
    #expect(fresh.headers[values: .age] == ["27"])
    #expect(fresh.response.head.headers[.age] == "7")
    #expect(stale.headers[values: .age] == ["127"])
    #expect(validated.headers[.age] == nil)
  }

  @Test func `4: a replacement for a failure has its current Age`() async throws {
    let lost = ScriptedResponse.failure(.connection(.refused, url: ClientWorld.url))
    let client = client([world.response("one"), lost])
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(100))

    #expect(try await client.resource(try world.request).value.headers[.age] == "100")
  }

  @Test func `4: a copy that is known to be outdated has the Age since it was received`()
    async throws
  {
    let lost = ScriptedResponse.failure(.connection(.refused, url: ClientWorld.url))
    let client = client([world.response("one"), world.response("", status: 404), lost])
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(100))
    await #expect(throws: FreshetError.self) {
      try await client.resource(try world.request).value
    }

    let stale = try await client.resource(try world.request, policy: offline).value

    #expect(try stale.text == "one")
    #expect(stale.headers[.age] == "100")
  }

  // MARK: no-store

  @Test(arguments: [200, 304])
  func `5.2.2.5: a later no-store removes the stored response`(status: Int) async throws {
    let client = client([
      world.response("one"),
      world.response("two", control: "no-store", status: HTTPStatus(status)),
    ])
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))

    _ = try await client.resource(try world.request).value

    #expect(await isStored(client) == false)
    #expect(try await client.configuration.disk?.statistics().count == 0)
  }

  @Test func `5.2.2.5: also when the stores were bypassed`() async throws {
    let client = client([world.response("one"), world.response("two", control: "no-store")])
    _ = try await client.resource(try world.request).value

    let anew = ResourcePolicy { $0.network = .required }
    _ = try await client.resource(try world.request, policy: anew).value

    #expect(await isStored(client) == false)
  }

  @Test func `5.2.2.5: a HEAD with no-store removes the stored response`() async throws {
    let client = client([world.response("one"), world.response("", control: "no-store")])
    _ = try await client.resource(try world.request).value

    _ = try await client.send(try Request(.head, ClientWorld.url)).value

    #expect(await isStored(client) == false)
  }

  @Test func `5.2.1.5: a request's no-store keeps the stored response`() async throws {
    let client = client([world.response("one"), world.response("two")])
    _ = try await client.resource(try world.request).value
    var request = try world.request
    request.headers[.cacheControl] = "no-store, no-cache"

    _ = try await client.resource(request).value

    #expect(await isStored(client))
  }

  // MARK: Choosing anew

  @Test func `4.1: a 304 that changes Vary removes the copy with the former selection`()
    async throws
  {
    let transport = ScriptedTransport { [world] request in
      request.headers.contains(.ifNoneMatch)
        ? world.response("", status: 304, headers: [.eTag: "\"v1\"", .vary: "Accept"])
        : world.response("one", headers: [.eTag: "\"v1\"", .vary: "Accept-Language"])
    }
    let client = world.client(transport) { $0.disk = DiskStore(directory: sandbox.url) }
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))

    _ = try await client.resource(try world.request).value

    #expect(world.memory.count == 1)
    #expect(try await client.configuration.disk?.statistics().count == 1)
    #expect(try await client.resource(try world.request).shown == ["memory fresh: one"])
  }

  @Test func `4.1: a forced download takes precedence over an older selection`() async throws {
    let client = client([
      world.response("by language", headers: [.vary: "Accept-Language"]),
      world.response("for all", headers: [:]),
    ])
    _ = try await client.resource(try world.request).value

    let anew = ResourcePolicy { $0.network = .required }
    _ = try await client.resource(try world.request, policy: anew).value

    #expect(try await client.resource(try world.request).value.text == "for all")
  }

  // MARK: HEAD

  @Test func `4.3.4: a 304 for another version updates nothing`() async throws {
    let client = client([
      world.response("one"),
      world.response("", control: "max-age=900", status: 304, headers: [.eTag: "\"v9\""]),
      .failure(.connection(.refused, url: ClientWorld.url)),
    ])
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))

    let stale = try await client.resource(try world.request).value

    #expect(stale.freshness == .stale)
    let stored = try #require(world.memory.peek(try world.request))
    #expect(stored.head.headers[.cacheControl] == "max-age=60")
    #expect(stored.head.headers[.eTag] == "\"v1\"")
    let onDisk = await client.configuration.disk?.find(CacheKey(try world.request), for: [:])
    #expect(onDisk?.head.headers[.cacheControl] == "max-age=60")
  }

  @Test func `4.3.4: the 304 to a HEAD renews the stored GET`() async throws {
    let transport = ScriptedTransport { [world] request in
      request.headers.contains(.ifNoneMatch)
        ? world.response("", status: 304) : world.response("one")
    }
    let client = world.client(transport)
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))

    let head = try await client.resource(try Request(.head, ClientWorld.url)).value
    let get = try await client.resource(try world.request).value

    #expect(head.freshness == .revalidated && head.body.length == 0)
    #expect(try get.text == "one")
    #expect(get.freshness == .fresh)
    #expect(transport.requests.map(\.method) == [.get, .head])
  }

  // MARK: Invalidation

  @Test(arguments: [true, false])
  func `4.4: a change affects all stored responses of its URL`(onDisk: Bool) async throws {
    let transport = ScriptedTransport { [world] request in
      request.method == .put ? ScriptedResponse(204) : world.response("one")
    }
    let client = world.client(transport) {
      if onDisk {
        $0.memory = nil
        $0.disk = DiskStore(directory: sandbox.url)
      }
    }
    var tenant = Request(.get, try world.request.url, headers: ["X-Tenant": "1"])
    tenant.cacheIdentity = .url(with: ["X-Tenant"])
    var search = Request(.post, try world.request.url, body: .text("q"))
    search.cacheIdentity = .request()
    var host = try world.request
    host.headers[.host] = "b.example"
    let longer = try Request("\(ClientWorld.url)s")
    for request in [tenant, search, host, longer] {
      _ = try await client.resource(request).value
    }
    func stored() async -> [Bool] {
      var stored: [Bool] = []
      for request in [tenant, search, host, longer] {
        stored.append((try? await client.resource(request, policy: offline).value) != nil)
      }
      return stored
    }
    #expect(await stored() == [true, true, true, true])

    _ = try await client.send(try Request(.put, ClientWorld.url)).value

    #expect(await stored() == [false, false, false, true])
  }

  @Test func `4.4: a PUT for another host keeps the responses of this one`() async throws {
    let transport = ScriptedTransport { [world] request in
      request.method == .put ? ScriptedResponse(204) : world.response("one")
    }
    let client = world.client(transport)
    _ = try await client.resource(try world.request).value
    var put = try Request(.put, ClientWorld.url)
    put.headers[.host] = "b.example"

    _ = try await client.send(put).value

    #expect(await isStored(client))
  }

  @Test func `4.4: a stream of events after a POST invalidates its URL`() async throws {
    let transport = ScriptedTransport { [world] request in
      request.method == .post
        ? ScriptedResponse(
          headers: [.contentType: "text/event-stream"],
          body: Data("data: x\n\n".utf8)
        )
        : world.response("one")
    }
    let client = world.client(transport)
    _ = try await client.resource(try world.request).value

    var events = client.events(try Request(.post, ClientWorld.url)).makeAsyncIterator()
    _ = try await events.next()

    #expect(await isStored(client) == false)
  }
}
