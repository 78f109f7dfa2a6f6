import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

/// What of a request its stored response belongs to.
@Suite struct CacheIdentityTests {
  let world = ClientWorld()

  private func search(_ text: String, _ headers: HTTPHeaders = [:]) throws -> Request {
    var request = try Request(.post, "http://a.example/search")
    request.body = .text(text)
    request.headers = headers
    request.cacheIdentity = .request(with: ["X-Tenant"])
    return request
  }

  private func echo() -> ScriptedTransport {
    let count = Atomic(0)
    return ScriptedTransport { _ in
      world.response("\(count.wrappingAdd(1, ordering: .relaxed).newValue)")
    }
  }

  @Test func `a POST is never answered from a store by default`() async throws {
    let transport = echo()
    let client = world.client(transport)
    var request = try search("water")
    request.cacheIdentity = .url

    for _ in 0..<2 { _ = try await client.resource(request).value }

    #expect(transport.counts.started == 2)
  }

  @Test func `a declared safe POST is answered for the same method, body and fields`()
    async throws
  {
    let client = world.client(echo())
    let requests = [
      try search("water"), try search("fire"), try search("water", ["X-Tenant": "a"]),
      try search("water", ["X-Tenant": "b"]), try search("water", [.contentType: "text/csv"]),
    ]

    for _ in 0..<2 {
      for (index, request) in requests.enumerated() {
        #expect(try await client.resource(request).value.text == "\(index + 1)")
      }
    }
    let other = try search("water", ["X-Other": "1"])
    #expect(try await client.resource(other).value.text == "1")
  }

  private struct Search: Endpoint {
    typealias Output = Int
    var text: String
    var method = HTTPMethod.post
    var identity = CacheIdentity.request()
    var path: RequestPath { "http://a.example/search" }
    var body: RequestBody? { .text(text) }
    var options: CallOptions {
      CallOptions {
        $0.cacheIdentity = identity
        $0.useStores { $0.expiry = .never }
      }
    }
  }

  @Test func `a call by POST that declares itself safe is answered by its body`() async throws {
    let client = world.client(echo())

    for _ in 0..<2 {
      #expect(try await client.call(Search(text: "water")).output == 1)
      #expect(try await client.call(Search(text: "fire")).output == 2)
    }
    let request = try search("water")
    let sent = client.send(request) { $0.useStores() }
    #expect(try await sent.value.value == Data("3".utf8))
    #expect(try await sent.value.value == Data("3".utf8))
  }

  @Test func `a call by POST that declares nothing bypasses the stores`() async throws {
    let client = world.client(echo())

    for number in 1...2 {
      #expect(try await client.call(Search(text: "water", identity: .url)).output == number)
    }
  }

  @Test func `a QUERY is answered by its body without declaring anything, and invalidates nothing`()
    async throws
  {
    let client = world.client(echo())
    func query(_ text: String) throws -> Request {
      var request = try Request(.query, "http://a.example/search")
      request.body = .text(text)
      return request
    }

    #expect(try await client.resource(try Request("http://a.example/search")).value.text == "1")
    for _ in 0..<2 {
      #expect(try await client.resource(try query("water")).value.text == "2")
      #expect(try await client.resource(try query("fire")).value.text == "3")
    }
    let call = Search(text: "earth", method: .query, identity: .url)
    for _ in 0..<2 { #expect(try await client.call(call).output == 4) }
    #expect(try await client.send(try query("air")).value.value == Data("5".utf8))
    #expect(try await client.resource(try Request("http://a.example/search")).value.text == "1")
    #expect(CacheKey(try query("a")) != CacheKey(try query("b")))
  }

  @Test(arguments: [HTTPHeaders.Name.contentType, .contentEncoding, .contentLanguage])
  func `a QUERY is identified by what its fields say about its body, too`(
    name: HTTPHeaders.Name
  ) throws {
    var request = try Request(.query, "http://a.example/search")
    request.body = .bytes(Data("water".utf8))
    let plain = CacheKey(request)

    request.headers[name] = "x"
    let first = CacheKey(request)
    request.headers[name] = "y"

    #expect(Set([plain, first, CacheKey(request)]).count == 3)
  }

  @Test func `it answers no GET, and no GET answers it`() async throws {
    let client = world.client(echo())
    let get = try Request("http://a.example/search")

    #expect(try await client.resource(try search("water")).value.text == "1")
    #expect(try await client.resource(get).value.text == "2")
    #expect(try await client.resource(try search("water")).value.text == "1")
    #expect(try await client.resource(get).value.text == "2")
  }

  @Test func `it invalidates nothing, and is downloaded again when it expires`() async throws {
    let transport = echo()
    let client = world.client(transport)
    let get = try Request("http://a.example/search")
    _ = try await client.resource(get).value
    _ = try await client.resource(try search("water")).value
    #expect(try await client.resource(get).value.source == .memory)

    world.clock.advance(by: .seconds(61))
    let again = try await client.resource(try search("water")).value

    #expect(again.source == .network)
    #expect(transport.requests.last?.headers.contains(.ifNoneMatch) == false)
  }

  @Test func `it can replace a failed response`() async throws {
    let client = world.client(
      ScriptedTransport(sequence: [
        world.response("one"), .failure(.connection(.refused, url: ClientWorld.url)),
      ])
    )
    _ = try await client.resource(try search("water")).value
    world.clock.advance(by: .seconds(61))

    let resource = try await client.resource(try search("water")).value

    #expect(resource.freshness == .stale)
  }

  @Test(arguments: [.put, .patch, .delete] as [HTTPMethod])
  func `unsafe methods keep their meaning`(method: HTTPMethod) async throws {
    let transport = echo()
    let client = world.client(transport)
    var request = try search("water")
    request.method = method

    for _ in 0..<2 { _ = try await client.resource(request).value }

    #expect(transport.counts.started == 2)
    #expect(world.memory.count == 0)
  }

  @Test func `a body that cannot enter a key is never answered from a store`() async throws {
    let transport = echo()
    let client = world.client(transport)
    var request = try search("water")
    request.body = .file(URL(filePath: "/dev/null"))

    for _ in 0..<2 { _ = try await client.resource(request).value }

    #expect(transport.counts.started == 2)
  }

  @Test func `chosen fields of a GET enter its key`() async throws {
    let client = world.client(echo())
    var request = try world.request
    request.cacheIdentity = .url(with: ["X-Tenant", "X-Zone"])
    request.headers["X-Tenant"] = "a"
    #expect(try await client.resource(request).value.text == "1")
    request.headers["X-Tenant"] = "b"
    #expect(try await client.resource(request).value.text == "2")
    request.headers["x-tenant"] = "a"
    request.headers["X-Unrelated"] = "c"
    request.cacheIdentity = .url(with: ["x-zone", "x-tenant"])
    #expect(try await client.resource(request).value.text == "1")
    #expect(try await client.resource(try world.request).value.text == "3")
  }

  @Test func `keys begin with the URL and contain no values`() throws {
    let key = CacheKey(try search("water", ["X-Tenant": "secret"]), partition: "ann")

    #expect(key.text.hasPrefix("ann\nhttp://a.example/search POST "))
    #expect(!key.text.contains("secret") && !key.text.contains("water"))
  }
}
