import Foundation
import Freshet
import FreshetTesting
import Testing

/// What the cache does for calls over sockets, in each store, and across launches.
@Suite struct CacheCallTests {
  let world = ClientWorld()
  let sandbox = StoreSandbox()

  enum Store: CaseIterable { case memory, disk, both, afterLaunch }

  /// A server, and a client of it in each launch.
  private struct Caller {
    let store: Store
    let server: LoopbackServer
    let world: ClientWorld
    let directory: URL
    private let client: Client

    init(
      _ store: Store,
      _ world: ClientWorld,
      _ sandbox: StoreSandbox,
      _ answer: LoopbackServer.Answer
    ) throws {
      self.store = store
      self.world = world
      server = try LoopbackServer(["/logo": answer])
      directory = sandbox.url.appendingPathComponent("store")
      client = Self.client(store, world, directory)
    }

    private static func client(_ store: Store, _ world: ClientWorld, _ directory: URL) -> Client {
      world.client(DefaultTransport()) {
        if store != .memory { $0.disk = DiskStore(directory: directory) }
        if store == .disk || store == .afterLaunch { $0.memory = nil }
      }
    }

    func send(
      _ method: HTTPMethod = .get,
      _ headers: HTTPHeaders = [:],
      cache: ResourcePolicy? = ResourcePolicy()
    ) async throws -> Response<Data> {
      // Another launch has nothing but the directory.
      let client = store == .afterLaunch ? Self.client(store, world, directory) : client
      let request = Request(method, server.url("/logo"), headers: headers)
      let response = try await client.send(request) { $0.cache = cache }.value
      if store == .afterLaunch { await client.configuration.disk?.close() }
      return response
    }

    /// The status and the body of the response.
    func text(_ method: HTTPMethod = .get, _ headers: HTTPHeaders = [:]) async throws -> String {
      let response = try await send(method, headers)
      return "\(response.status.rawValue) \(String(decoding: response.value, as: UTF8.self))"
    }

    var asked: Int { server.requests.count }
  }

  // MARK: Conditions

  private func callerWithStaleCopy(
    _ store: Store,
    _ answer: LoopbackServer.Answer
  ) async throws -> Caller {
    let caller = try Caller(store, world, sandbox, answer)
    _ = try await caller.text()
    world.clock.advance(by: .seconds(61))
    return caller
  }

  @Test(arguments: Store.allCases, [HTTPMethod.get, .head])
  func `4.3.2: a fresh copy answers the request's own condition`(
    store: Store,
    method: HTTPMethod
  ) async throws {
    let headers: HTTPHeaders = [
      .eTag: "\"v1\"", .cacheControl: "max-age=60", .contentType: "text/plain", "X-Own": "1",
      .contentLocation: "/logo", .vary: "X-None",
      .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    let caller = try Caller(
      store,
      world,
      sandbox,
      .response(200, headers: headers, body: Data("one".utf8))
    )
    #expect(try await caller.text() == "200 one")
    world.clock.advance(by: .seconds(20))

    let same = try await caller.send(method, [.ifNoneMatch: "\"v0\", W/\"v1\""])
    let any = try await caller.send(method, [.ifNoneMatch: "*"])
    let other = try await caller.text(
      method,
      [.ifNoneMatch: "\"v0\"", .ifModifiedSince: HTTPDate.format(world.clock.date)]
    )
    let since = try await caller.send(
      method,
      [.ifModifiedSince: HTTPDate.format(world.clock.date)]
    )

    #expect(same.status == .notModified && any.status == .notModified)
    #expect(since.status == .notModified)
    #expect(same.value.isEmpty)
    #expect(same.headers[.eTag] == "\"v1\"" && same.headers[.cacheControl] == "max-age=60")
    #expect(same.headers[.vary] == "X-None" && same.headers[.contentLocation] == "/logo")
    #expect(same.headers[.age] == "20")
    #expect(same.headers[.contentType] == nil && same.headers["X-Own"] == nil)
    #expect(same.explanation.contains(.answeredNotModified))
    #expect(other == (method == .get ? "200 one" : "200 "))
    #expect(caller.asked == 1)
    #expect(try await caller.text() == "200 one")
  }

  @Test func `4.3.2: a resource fails with the 304 of a condition, as from the network`()
    async throws
  {
    let transport = ScriptedTransport(sequence: [world.response("one")])
    let client = world.client(transport)
    _ = try await client.resource(try world.request).value
    var request = try world.request
    request.headers[.ifNoneMatch] = "\"v1\""

    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(request).value
    }

    #expect(error?.head?.status == .notModified && error?.source == .memory)
    #expect(transport.counts.started == 1)
    #expect(try await client.resource(try world.request).value.text == "one")
  }

  @Test(arguments: Store.allCases)
  func `4.3.2: a stale copy is validated with the request's own condition`(
    store: Store
  ) async throws {
    let caller = try await callerWithStaleCopy(
      store,
      .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=60")
    )

    #expect(try await caller.text(.get, [.ifNoneMatch: "\"v0\", \"v1\""]) == "304 ")

    #expect(caller.asked == 2)
    #expect(caller.server.requests.last?.headers[.ifNoneMatch] == "\"v0\", \"v1\"")
  }

  @Test(arguments: Store.allCases)
  func `4.3.3: a full response to the request's own condition replaces the stale copy`(
    store: Store
  ) async throws {
    let caller = try await callerWithStaleCopy(
      store,
      .sequence([
        .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=60"),
        .content(Data("two".utf8), eTag: "\"v2\"", cacheControl: "max-age=60"),
      ])
    )

    #expect(try await caller.text(.get, [.ifNoneMatch: "\"v1\""]) == "200 two")

    #expect(try await caller.text() == "200 two")
    #expect(caller.asked == 2)
  }

  @Test(arguments: Store.allCases)
  func `4.3.3: a stale copy replaces a failed answer to the request's own condition`(
    store: Store
  ) async throws {
    let caller = try await callerWithStaleCopy(
      store,
      .sequence([
        .content(Data("one".utf8), eTag: "\"v1\"", cacheControl: "max-age=60"), .status(503),
      ])
    )

    #expect(try await caller.text(.get, [.ifNoneMatch: "\"v1\""]) == "200 one")
    #expect(try await caller.text(.get, [.ifMatch: "\"v1\""]) == "503 ")
    #expect(caller.asked == 3)
  }

  @Test(arguments: [200, 404] as [HTTPStatus], [-1, -5, Int.min])
  func `a negative limit allows no byte`(status: HTTPStatus, limit: Int) async throws {
    let client = world.client(
      ScriptedTransport(sequence: [world.response("one", status: status)])
    )

    let error = await #expect(throws: FreshetError.self) {
      try await client.send(try world.request) {
        $0.cache = ResourcePolicy()
        $0.bodyLimit = limit
      }
      .value
    }

    #expect(error?.kind == "limitExceeded")
    #expect(error?.description.contains("\(try world.request.url)") == true)
  }

  @Test func `RFC 9110 13.2.2: a condition comes before a range`() async throws {
    let caller = try Caller(
      .memory,
      world,
      sandbox,
      .content(Data("0123456789".utf8), eTag: "\"v1\"", cacheControl: "max-age=60")
    )
    _ = try await caller.text()

    #expect(try await caller.text(.get, [.range: "bytes=2-3", .ifNoneMatch: "\"v1\""]) == "304 ")
    #expect(try await caller.text(.get, [.range: "bytes=2-3", .ifNoneMatch: "\"v0\""]) == "206 23")
    #expect(caller.asked == 1)
  }

  // MARK: POST

  @Test(arguments: Store.allCases)
  func `RFC 9110 9.3.3: a POST's response with explicit freshness answers a later GET`(
    store: Store
  ) async throws {
    let caller = try Caller(
      store,
      world,
      sandbox,
      .handler { request in
        .response(
          200,
          headers: [
            .cacheControl: "max-age=60", .contentLocation: "/logo", .eTag: "\"v1\"",
          ],
          body: Data(request.method.rawValue.utf8)
        )
      }
    )
    #expect(try await caller.text() == "200 GET")

    #expect(try await caller.text(.post) == "200 POST")
    #expect(try await caller.text() == "200 POST")
    #expect(caller.asked == 2)
    #expect(try await caller.text(.post) == "200 POST")
    #expect(caller.asked == 3)
    world.clock.advance(by: .seconds(61))
    #expect(try await caller.text() == "200 GET")
  }

  @Test(arguments: Store.allCases)
  func `RFC 9110 9.3.3: also where the call has no policy`(store: Store) async throws {
    let headers: HTTPHeaders = [.cacheControl: "max-age=60", .contentLocation: "/logo"]
    let caller = try Caller(
      store,
      world,
      sandbox,
      .response(200, headers: headers, body: Data("one".utf8))
    )

    let posted = try await caller.send(.post, cache: nil)
    #expect(
      posted.explanation.contains(.stored(store == .memory ? .memory : .disk)) || store == .both
    )
    #expect(try await caller.text() == "200 one")
    #expect(caller.asked == 1)
  }

  static let unkept: [(HTTPHeaders, Int, ResourcePolicy?)] = [
    ([.contentLocation: "/logo"], 200, nil),
    ([.cacheControl: "max-age=60"], 200, nil),
    ([.cacheControl: "max-age=60", .contentLocation: "/other"], 200, nil),
    ([.cacheControl: "max-age=60, no-store", .contentLocation: "/logo"], 200, nil),
    ([.cacheControl: "max-age=60", .contentLocation: "/logo"], 422, nil),
    (
      [.cacheControl: "max-age=60", .contentLocation: "/logo"], 200,
      ResourcePolicy { $0.persistence = .nowhere }
    ),
  ]

  @Test(arguments: unkept)
  func `RFC 9110 9.3.3: a POST's response without explicit freshness answers nothing`(
    headers: HTTPHeaders,
    status: Int,
    policy: ResourcePolicy?
  ) async throws {
    let caller = try Caller(
      .both,
      world,
      sandbox,
      .response(HTTPStatus(status), headers: headers, body: Data("one".utf8))
    )

    _ = try await caller.send(.post, cache: policy)
    _ = try await caller.send()

    #expect(caller.asked == 2)
  }

  // MARK: Vary

  @Test(arguments: Store.allCases)
  func `4.1: the preferences of a request are compared by their meaning`(
    store: Store
  ) async throws {
    let headers: HTTPHeaders = [
      .cacheControl: "max-age=60", .vary: "Accept-Language, Accept, Accept-Encoding",
    ]
    let caller = try Caller(store, world, sandbox, .response(200, headers: headers))

    _ = try await caller.text(
      .get,
      [.acceptLanguage: "en, de;q=0.8", .accept: "a/b, c/d", .acceptEncoding: "gzip, br"]
    )
    _ = try await caller.text(
      .get,
      [.acceptLanguage: "DE;q=0.80,EN", .accept: "C/D,a/b;q=1", .acceptEncoding: "br,GZIP"]
    )
    #expect(caller.asked == 1)
    _ = try await caller.text(
      .get,
      [.acceptLanguage: "de, en;q=0.8", .accept: "a/b, c/d", .acceptEncoding: "gzip, br"]
    )
    #expect(caller.asked == 2)
  }

  @Test(arguments: Store.allCases)
  func `RFC 9110 12.5.4: a copy in the most preferred language answers`(
    store: Store
  ) async throws {
    let caller = try Caller(
      store,
      world,
      sandbox,
      .handler { request in
        let language = request.headers[.acceptLanguage] == "fr" ? "fr" : "de"
        return .response(
          200,
          headers: [
            .cacheControl: "max-age=60", .vary: "Accept-Language, X-Other",
            "Content-Language": language, .eTag: "\"\(language)\"",
          ],
          body: Data(language.utf8)
        )
      }
    )
    #expect(try await caller.text(.get, [.acceptLanguage: "en, de"]) == "200 de")

    #expect(try await caller.text(.get, [.acceptLanguage: "DE, en;q=0.5"]) == "200 de")
    #expect(try await caller.text(.get, [.acceptLanguage: "fr, de"]) == "200 de")
    #expect(caller.asked == 1)
    #expect(try await caller.text(.get, [.acceptLanguage: "fr"]) == "200 fr")
    #expect(try await caller.text(.get, [.acceptLanguage: "de", "X-Other": "1"]) == "200 de")
    #expect(caller.asked == 3)
    world.clock.advance(by: .seconds(61))
    #expect(try await caller.text(.get, [.acceptLanguage: "de, it;q=0.1"]) == "200 de")
    #expect(caller.server.requests.last?.headers[.ifNoneMatch] == "\"de\"")
    #expect(caller.asked == 4)
    #expect(try await caller.text(.get, [.acceptLanguage: "de, it;q=0.1"]) == "200 de")
    #expect(caller.asked == 4)
  }

  // MARK: HEAD

  static let heads: [(HTTPHeaders, HTTPHeaders, Bool)] = [
    ([:], [:], true), ([.eTag: "\"v1\""], [:], true), ([:], [.eTag: "\"v1\""], true),
    ([.eTag: "\"v1\""], [.eTag: "W/\"v1\""], true), ([.eTag: "\"v1\""], [.eTag: "\"v2\""], false),
    ([:], [.contentLength: "3"], true), ([:], [.contentLength: "4"], false),
    (
      [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"],
      [.lastModified: "Sun, 06 Nov 1994 08:49:38 GMT"],
      false
    ),
  ]

  @Test(arguments: Store.allCases, heads)
  func `4.3.5: a HEAD without contradictions renews the stored GET, any other ends it`(
    store: Store,
    fields: (get: HTTPHeaders, head: HTTPHeaders, isSame: Bool)
  ) async throws {
    let (get, head, isSame) = fields
    let caller = try Caller(
      store,
      world,
      sandbox,
      .handler { request in
        let control: HTTPHeaders = [.cacheControl: "max-age=60", "X-Kept": "1", "X-New": "1"]
        if request.method == .head {
          let new: HTTPHeaders = [.cacheControl: "max-age=600", "X-New": "2"]
          let length = head[.contentLength] ?? "3"
          let text = new.merging(head).filter { $0.name != .contentLength }
            .map { "\($0.name.rawValue): \($0.value)\r\n" }.joined()
          return .raw(
            "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nConnection: close\r\n\(text)\r\n"
          )
        }
        return .response(200, headers: control.merging(get), body: Data("one".utf8))
      }
    )
    #expect(try await caller.text() == "200 one")
    world.clock.advance(by: .seconds(50))

    #expect(try await caller.text(.head) == "200 ")
    #expect(caller.asked == 2)
    if isSame { world.clock.advance(by: .seconds(500)) }
    let after = try await caller.send()

    #expect(caller.asked == (isSame ? 2 : 3))
    #expect(String(decoding: after.value, as: UTF8.self) == "one")
    if isSame { #expect(after.headers["X-New"] == "2" && after.headers["X-Kept"] == "1") }
  }

  @Test(arguments: Store.allCases)
  func `4.3.5: a resource that is fetched by HEAD renews the stored GET without validators`(
    store: Store
  ) async throws {
    let transport = ScriptedTransport { [world] _ in world.response("one", headers: [:]) }
    let client = world.client(transport) {
      if store != .memory { $0.disk = DiskStore(directory: sandbox.url) }
      if store == .disk { $0.memory = nil }
    }
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))

    _ = try await client.resource(try Request(.head, ClientWorld.url)).value

    #expect(try await client.resource(try world.request).value.text == "one")
    #expect(transport.requests.map(\.method) == [.get, .head])
  }

  // MARK: Errors

  @Test(arguments: Store.allCases)
  func `3: errors of a server are reused over sockets`(store: Store) async throws {
    let headers: HTTPHeaders = [.cacheControl: "max-age=60"]
    let caller = try Caller(
      store,
      world,
      sandbox,
      .response(599, headers: headers, body: Data("bad".utf8))
    )

    #expect(try await caller.text() == "599 bad")
    #expect(try await caller.text() == "599 bad")
    #expect(caller.asked == 1)
    world.clock.advance(by: .seconds(60))
    #expect(try await caller.text() == "599 bad")
    #expect(caller.asked == 2)
  }
}
