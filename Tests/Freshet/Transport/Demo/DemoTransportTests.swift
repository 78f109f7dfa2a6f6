import Foundation
import Freshet
import FreshetFoundation
import FreshetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct DemoTransportTests {
  private let clock = VirtualClock()
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try Data(#"[{"id":1}]"#.utf8).write(to: folder.url.appending(path: "users.json"))
    try Data(#"{"error":"no"}"#.utf8).write(to: folder.url.appending(path: "error.json"))
  }

  private var users: DemoRoute {
    get throws { try DemoRoute("users", .get, path: "/users", success: .file("users.json")) }
  }

  private func demo(
    _ routes: DemoRoute...,
    switchedBy power: DemoSwitch = DemoSwitch(),
    seed: UInt64 = 7
  ) -> DemoTransport {
    DemoTransport(
      directory: folder.url,
      routes: routes,
      switchedBy: power,
      clock: clock,
      generator: SeededGenerator(seed: seed)
    )
  }

  private let url = "http://a.test/users"

  @Test func `answers from a file like a server`() async throws {
    let result = await demo(try users).call(try Request(to: url))

    #expect(result.names == ["head 200", "body", "finished"])
    #expect(result.text == #"[{"id":1}]"#)
    #expect(
      result.headers
        == [.contentType: "application/json", .contentLength: "10", .cacheControl: "no-store"]
    )
  }

  @Test func `refuses a WebSocket with the answer of its route`() async throws {
    let demo = demo(try users)
    let socket = Client { $0.transport = demo }.socket(at: try #require(URL(string: url)))

    let error = await #expect(throws: FreshetError.self) { for try await _ in socket {} }

    #expect(error?.kind == "invalidResponse")
  }

  @Test func `closes the idle connections of the transport behind it`() async throws {
    let base = Closing()

    await base.demo(demo(try users)).closeIdleConnections()

    #expect(base.count.withLock { $0 } == 1)
  }

  private final class Closing: Transport {
    let count = Mutex(0)

    func send(_ request: Request) -> Transfer { ScriptedTransport { _ in .text("") }.send(request) }

    func closeIdleConnections() async { count.withLock { $0 += 1 } }
  }

  @Test func `has any status and headers, and no body where none is allowed`() async throws {
    var route = try users
    route.success = .file("error.json", status: 418, headers: [.eTag: "\"1\""])
    let teapot = await demo(route).call(try Request(to: url))
    route.success = .bytes(Data("x".utf8), status: 204)
    let empty = await demo(route).call(try Request(to: url))
    let head = await demo(try DemoRoute("u", path: "/users", success: .file("users.json")))
      .call(try Request(.head, to: url))

    #expect(teapot.status == 418)
    #expect(teapot.headers[.eTag] == "\"1\"")
    #expect(empty.names == ["head 204", "finished"])
    #expect(head.names == ["head 200", "finished"])
    #expect(head.headers[.contentLength] == "10")
  }

  @Test(arguments: [(0.0, 0), (1.0, 100)])
  func `fails never or always`(probability: Double, failures: Int) async throws {
    var route = try users
    route.failure = .file("error.json", status: 503)
    route.failureProbability = probability
    let demo = demo(route)

    var count = 0
    for _ in 0..<100 where await demo.call(try Request(to: url)).status == 503 { count += 1 }

    #expect(count == failures)
  }

  @Test func `fails as often as configured, in the same way for the same seed`() async throws {
    var route = try users
    route.failureProbability = 0.25
    let (first, second) = (demo(route), demo(route))

    var statuses: [[Int?]] = [[], []]
    for _ in 0..<400 {
      statuses[0].append(await first.call(try Request(to: url)).status)
      statuses[1].append(await second.call(try Request(to: url)).status)
    }

    #expect(statuses[0] == statuses[1])
    #expect((60...140).contains(statuses[0].count { $0 == 400 }))
  }

  @Test func `waits for a fraction of a second within its range, on the clock`() async throws {
    var route = try users
    route.latency = .milliseconds(300) ... .milliseconds(1_200)
    let demo = demo(route)
    let request = try Request(to: url)
    var waits: [Duration] = []

    for _ in 0..<20 {
      let call = Task { await demo.call(request) }
      await clock.sleepers(count: 1)
      waits.append(try #require(clock.advance()))
      #expect(await call.value.status == 200)
    }

    #expect(waits.allSatisfy { $0 >= .milliseconds(300) && $0 < .milliseconds(1_200) })
    #expect(Set(waits).count == 20)
  }

  @Test func `cancelling ends the wait at once`() async throws {
    var route = try users
    route.latency = .seconds(60) ... .seconds(60)
    let (demo, request) = (demo(route), try Request(to: url))
    let call = Task { await demo.call(request) }
    await clock.sleepers(count: 1)

    call.cancel()

    #expect(await call.value.error == .cancelled)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `keeps the call's deadline`() async throws {
    var route = try users
    route.latency = .seconds(60) ... .seconds(60)
    let demo = demo(route)
    let request = try Request(to: url) { $0.timeouts.total = .seconds(2) }
    let call = Task { await demo.call(request) }
    await clock.sleepers(count: 1)

    #expect(clock.advance() == .seconds(2))

    #expect(await call.value.error == .timedOut(.total, url: url))
  }

  @Test func `sends and receives in pieces`() async throws {
    var route = try DemoRoute("up", .post, path: "/users", success: .file("users.json"))
    route.chunkSize = 4
    let request = try Request(.post, to: url) { $0.body = .bytes(Data(count: 100_000)) }

    let result = await demo(route).call(request)

    #expect(
      result.names == ["sent", "sent", "head 200", "body", "body", "body", "finished"]
    )
    #expect(result.text == #"[{"id":1}]"#)
  }

  @Test func `follows redirects between its routes`() async throws {
    let moved = try DemoRoute(
      "old",
      path: "/old",
      success: .bytes(status: 301, headers: [.location: "/users"])
    )

    let result = await demo(moved, try users).call(try Request(to: "http://a.test/old"))

    #expect(result.names == ["redirected", "head 200", "body", "finished"])
  }

  @Test(arguments: ["missing.json", "../users.json", "", "/etc/hosts"])
  func `a missing file fails the call`(name: String) async throws {
    let result = await demo(try DemoRoute("x", path: "/users", success: .file(name)))
      .call(try Request(to: url))

    #expect(result.error?.kind == "file")
    #expect(result.ends == 1)
  }

  @Test func `a request without a route fails, or uses the real transport`() async throws {
    let wire = ScriptedTransport { request in
      request.url.path() == "/a" ? ScriptedResponse(302, headers: [.location: "/b"]) : .text("real")
    }
    let request = try Request(to: "http://a.test/a")

    let alone = await demo(try users).call(request)
    let real = await wire.demo(demo(try users)).call(request)

    #expect(alone.error == .notStored(url: "http://a.test/a"))
    #expect(real.names == ["redirected", "head 200", "body", "finished"])
    #expect(real.text == "real")
    #expect(wire.counts.started == 2)
  }

  @Test func `is switched while it runs, as a whole and by route`() async throws {
    let wire = ScriptedTransport { _ in .text("real") }
    let power = DemoSwitch(isOn: false)
    let other = try DemoRoute("other", path: "/other", success: .bytes(Data("demo".utf8)))
    let transport = wire.demo(demo(try users, other, switchedBy: power))
    let requests = [try Request(to: url), try Request(to: "http://a.test/other")]
    let answers = {
      var texts: [String] = []
      for request in requests { texts.append(await transport.call(request).text) }
      return texts
    }

    #expect(await answers() == ["real", "real"])
    power.isOn = true
    #expect(await answers() == [#"[{"id":1}]"#, "demo"])
    power[route: "other"] = false
    #expect(await answers() == [#"[{"id":1}]"#, "real"])
    power.isOn = false
    power[route: "other"] = true
    #expect(await answers() == ["real", "demo"])
  }

  @Test func `a running call continues unchanged`() async throws {
    let power = DemoSwitch()
    var route = try users
    route.latency = .seconds(1) ... .seconds(1)
    let (demo, request) = (demo(route, switchedBy: power), try Request(to: url))
    let call = Task { await demo.call(request) }
    await clock.sleepers(count: 1)

    power.isOn = false
    clock.advance()

    #expect(await call.value.status == 200)
  }

  @Test(arguments: [
    ("/users/#", "/users/7", true), ("/users/#", "/users/a", false),
    ("/users/*", "/users/", false), ("/users/*", "/users/7/x", false),
    ("/users/*/files", "/users/7/files", true), ("/a%2Fb", "/a%2Fb", true),
    ("/a/b", "/a%2Fb", false), ("/%61", "/a", true), ("/files/**", "/files/a/b", true),
    ("/files/**", "/files", false), ("users", "/users", true), ("/", "/", true),
    ("/users", "/users/", true), ("/users", "//users", false),
  ])
  func `matches paths`(pattern: String, path: String, isMatch: Bool) async throws {
    let route = try DemoRoute("x", path: pattern, success: .bytes())

    let result = await demo(route).call(try Request(to: "http://a.test\(path)?q"))

    #expect((result.status == 200) == isMatch)
  }

  @Test(arguments: ["users/:id", "a**", "**/a", "a?b"])
  func `refuses patterns that are not valid`(pattern: String) {
    #expect(throws: Router.InvalidRoute.self) {
      try DemoRoute("x", path: pattern, success: .bytes())
    }
  }

  @Test func `keeps caching headers of its answers`() async throws {
    var route = try users
    route.success = .bytes(headers: [.cacheControl: "max-age=60"])

    let result = await demo(route).call(try Request(to: url))

    #expect(result.headers[.cacheControl] == "max-age=60")
  }

  @Test(arguments: ["", "Demo"])
  func `answers from the resources of a bundle`(subdirectory: String) async throws {
    let place = folder.url.appending(path: subdirectory)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data("bundled".utf8).write(to: place.appending(path: "x.txt"))
    let bundle = try #require(Bundle(url: folder.url))
    let demo = DemoTransport(
      bundle: bundle,
      subdirectory: subdirectory,
      routes: [DemoRoute("x", success: .file("x.txt"))]
    )

    #expect(await demo.call(try Request()).text == "bundled")
  }
}
