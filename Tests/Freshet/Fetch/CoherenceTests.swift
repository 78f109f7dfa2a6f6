import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// What is sent past the stores, and what they learn of it.
@Suite struct CoherenceTests {
  let world = ClientWorld()

  private func isStored(_ url: String, _ client: Client) async throws -> Bool {
    let offline = ResourcePolicy { $0.network = .forbidden }
    return (try? await client.resource(try Request(url), policy: offline).value) != nil
  }

  /// A client with `/a` and `/b` in its stores, whose next answer is this one.
  private func client(_ answer: ScriptedResponse) async throws -> Client {
    let transport = ScriptedTransport(sequence: [
      world.response("a"), world.response("b"), answer,
    ])
    let client = world.client(transport)
    for name in ["a", "b"] {
      _ = try await client.resource(try Request("http://a.example/\(name)")).value
    }
    return client
  }

  @Test(arguments: [.post, .put, .patch, .delete, HTTPMethod("MKCOL")] as [HTTPMethod])
  func `4.4: an unsafe request removes the stored responses of its URL`(
    method: HTTPMethod
  ) async throws {
    let client = try await client(ScriptedResponse(204))

    _ = try await client.send(try Request(method, "http://a.example/a")).value

    #expect(try await !isStored("http://a.example/a", client))
    #expect(try await isStored("http://a.example/b", client))
  }

  @Test(.timeLimit(.minutes(5)), arguments: [true, false])
  func `4.4: a fetch after a change does not join one from before it`(
    hasStore: Bool
  ) async throws {
    let gate = Gate()
    let gets = Mutex(0)
    let transport = ScriptedTransport { [world] request in
      if request.method == .put { return ScriptedResponse(204) }
      let number = gets.withLock { gets in
        gets += 1
        return gets
      }
      return number == 1 ? world.response("old").waiting(for: gate) : world.response("new")
    }
    let client = world.client(transport) { if !hasStore { $0.memory = nil } }
    let first = client.resource(try world.request).start()
    await gate.waiting()
    world.clock.advance(by: .seconds(1))

    _ = try await client.send(try Request(.put, ClientWorld.url)).value
    let second = try await client.resource(try world.request).value
    gate.open()

    #expect(try second.text == "new")
    #expect(try await first.value.text == "old")
    #expect(try await client.resource(try world.request).value.text == "new")
    #expect(client.configuration.coalescer?.count == 0)
  }

  @Test(arguments: [.location, .contentLocation] as [HTTPHeaders.Name])
  func `4.4: an unsafe request removes those of the URLs in its response`(
    name: HTTPHeaders.Name
  ) async throws {
    let client = try await client(ScriptedResponse(201, headers: [name: "/b"]))

    _ = try await client.send(try Request(.post, "http://a.example/list")).value

    #expect(try await isStored("http://a.example/a", client))
    #expect(try await !isStored("http://a.example/b", client))
  }

  @Test func `4.4: it removes nothing of other origins`() async throws {
    let client = try await client(ScriptedResponse(201, headers: [.location: "http://a.example/b"]))

    _ = try await client.send(try Request(.post, "http://b.example/list")).value

    #expect(try await isStored("http://a.example/b", client))
  }

  @Test func `4.4: a redirect after an unsafe request is not an error`() async throws {
    let transport = ScriptedTransport { request in
      switch (request.method, request.url.path) {
      case (.post, _): ScriptedResponse(303, headers: [.location: "/b"])
      default: world.response(request.url.path)
      }
    }
    let client = world.client(transport)
    for name in ["a", "b", "c"] {
      _ = try await client.resource(try Request("http://a.example/\(name)")).value
    }

    _ = try await client.send(try Request(.post, "http://a.example/a")).value

    #expect(try await !isStored("http://a.example/a", client))
    #expect(try await !isStored("http://a.example/b", client))
    #expect(try await isStored("http://a.example/c", client))
  }

  @Test(arguments: [(HTTPMethod.post, 500), (.put, 412), (.get, 200), (.options, 204)])
  func `4.4: errors and safe requests remove nothing`(
    method: HTTPMethod,
    status: Int
  ) async throws {
    let client = try await client(ScriptedResponse(HTTPStatus(status)))

    _ = try await client.send(try Request(method, "http://a.example/a")).value

    #expect(try await isStored("http://a.example/a", client))
  }

  @Test func `removes before the response is delivered`() async throws {
    let client = try await client(ScriptedResponse(200, body: Data("done".utf8)))

    for try await event in client.send(try Request(.post, "http://a.example/a")) {
      _ = event
      #expect(try await !isStored("http://a.example/a", client))
    }
  }

  @Test func `an unsafe request of one user keeps another user's responses`() async throws {
    let transport = ScriptedTransport { request in
      request.method == .get ? world.response("a") : ScriptedResponse(204)
    }
    let ann = world.client(transport) { $0.partition = "ann" }
    let bob = world.client(transport) { $0.partition = "bob" }
    for client in [ann, bob] {
      _ = try await client.resource(try Request("http://a.example/a")).value
    }

    _ = try await ann.send(try Request(.delete, "http://a.example/a")).value

    #expect(try await !isStored("http://a.example/a", ann))
    #expect(try await isStored("http://a.example/a", bob))
  }

  // MARK: HEAD

  @Test func `4.3.5: a HEAD with the same validators renews a stored GET`() async throws {
    let client = try await client(
      ScriptedResponse(
        headers: [.eTag: "\"v1\"", .cacheControl: "max-age=500", "X-New": "1"]
      )
    )
    world.clock.advance(by: .seconds(50))

    _ = try await client.send(try Request(.head, "http://a.example/a")).value
    world.clock.advance(by: .seconds(400))
    let resource = try await client.resource(try Request("http://a.example/a")).value

    #expect(resource.source == .memory && resource.freshness == .fresh)
    #expect(resource.headers["X-New"] == "1")
    #expect(try resource.text == "a")
  }

  @Test func `4.3.5: a HEAD with other validators lets a stored GET expire, and keeps it`()
    async throws
  {
    let client = try await client(
      ScriptedResponse(headers: [.eTag: "\"v2\"", .cacheControl: "max-age=500"])
    )

    _ = try await client.send(try Request(.head, "http://a.example/a")).value
    let offline = ResourcePolicy { $0.network = .forbidden }
    let resource = try await client.resource(try Request("http://a.example/a"), policy: offline)
      .value

    #expect(resource.freshness == .stale)
    #expect(try resource.text == "a")
  }

  @Test func `a stored GET answers a HEAD, without its body`() async throws {
    let transport = ScriptedTransport(sequence: [world.response("a")])
    let client = world.client(transport)
    _ = try await client.resource(try world.request).value

    let head = try await client.resource(try Request(.head, ClientWorld.url)).value

    #expect(head.source == .memory)
    #expect(head.headers[.eTag] == "\"v1\"")
    #expect(head.body.length == 0)
    #expect(try await client.resource(try world.request).value.text == "a")
    #expect(transport.counts.started == 1)
  }
}
