#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(
  .enabled(if: SecureServer.isInstalled, "python3 and openssl are not installed"),
  .timeLimit(.minutes(5))
)
struct FrozenConnectionTests {
  private func transport(_ server: SecureServer, window: Int = 512 << 10) -> CurlTransport {
    let authority = server.authority
    return CurlTransport {
      $0.proxy = .none
      $0.trust = .file(authority)
      $0.window = window
    }
  }

  private func request(
    _ server: SecureServer,
    _ index: Int = 0,
    _ method: HTTPMethod = .get,
    firstByte: Duration = .seconds(6)
  ) throws -> Request {
    var request = Request(method, try server.url(index))
    request.timeouts.firstByte = firstByte
    request.timeouts.idle = .seconds(30)
    request.timeouts.total = .seconds(60)
    return request
  }

  /// The body, or the error's kind.
  private func answer(
    _ request: Request,
    over transport: CurlTransport,
    opening sent: Gate? = nil
  ) async -> String {
    var body = Data()
    do throws(FreshetError) {
      for try await event in transport.send(request) {
        if case .sent = event { sent?.open() }
        if case .body(let data) = event { body += data }
      }
      return String(decoding: body, as: UTF8.self)
    } catch {
      return error.kind
    }
  }

  private func answers(
    _ request: Request,
    _ count: Int,
    over transport: CurlTransport
  ) async
    -> [String]
  {
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<count { group.addTask { await answer(request, over: transport) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private let sound = "all is well"

  @Test(arguments: ["h2 frozen", "h2 no more streams"])
  func `repeats a request over a new connection, which later requests use too`(
    name: String
  ) async throws {
    let server = try await SecureServer(name)
    let transport = transport(server)

    #expect(await answer(try request(server, firstByte: .seconds(10)), over: transport) == sound)
    for _ in 0..<5 {
      #expect(await answer(try request(server), over: transport) == sound)
    }
    #expect(await answers(try request(server), 12, over: transport).allSatisfy { $0 == sound })
  }

  @Test(arguments: ["h2 ends when used again", "h2 goodbye when used again"])
  func `repeats requests that meet the end of a kept connection, but no unsafe ones`(
    name: String
  ) async throws {
    let server = try await SecureServer(name, name, name)
    let transport = transport(server)
    let requests = try (0..<3).map { try request(server, $0, firstByte: .seconds(10)) }
    for request in requests { #expect(await answer(request, over: transport) == sound) }
    var post = requests[2]
    post.method = .post

    #expect(await answer(requests[0], over: transport) == sound)
    #expect(await answers(requests[1], 12, over: transport).allSatisfy { $0 == sound })
    #expect(await answer(post, over: transport) == "connection")
  }

  @Test func `a request that libcurl repeats has its whole body`() async throws {
    let server = try await SecureServer("h2 wants HTTP/1.1 in the body")
    var request = try request(server, 0, .put, firstByte: .seconds(30))
    request.body = .bytes(Data((0..<400_000).map { UInt8($0 % 251) }))

    #expect(await answer(request, over: transport(server)) == sound)
  }

  @Test func `bytes that were held back for a cancelled request are not those of the next one`()
    async throws
  {
    let server = try await SecureServer("h2 holds")
    let transport = transport(server, window: 64 << 10)
    let request = try request(server, firstByte: .seconds(30))
    #expect(await answer(request, over: transport) == sound)
    let sent = Gate()
    var patient = request
    patient.method = .post
    patient.body = .text("patience")
    let other = Task { [patient] in await answer(patient, over: transport, opening: sent) }
    try await sent.enter()

    // What is sent behind a response comes when libcurl has all of that.
    var first: Transfer.Iterator? = transport.send(request).makeAsyncIterator()
    guard case .head = try await first?.next(isolation: nil) else { throw FreshetError.noValue }
    #expect(await answer(request, over: transport) == sound)
    first = nil
    var body = Data()
    var second = transport.send(request).makeAsyncIterator()
    guard case .head = try await second.next(isolation: nil) else { throw FreshetError.noValue }
    #expect(await answer(request, over: transport) == sound)
    while let event = try await second.next(isolation: nil) {
      if case .body(let data) = event { body += data }
    }
    other.cancel()

    let isRight = body.elementsEqual(repeatElement(UInt8(ascii: "I"), count: 300_000))
    #expect(isRight, "\(body.count) bytes, the first is \(body.first ?? 0)")
    #expect(await other.value == "cancelled")
  }

  @Test(arguments: [("h2 goes on", "told"), ("h2 goes on a little", "kept")])
  func `a server learns that its response is no longer read, unless its rest is short`(
    name: String,
    end: String
  ) async throws {
    let server = try await SecureServer(name)
    let transport = transport(server)
    let request = try request(server, firstByte: .seconds(30))
    for try await event in transport.send(request) {
      if case .body = event { break }
    }

    var said = await answer(request, over: transport)
    for _ in 0..<1_000 where said == "not told" { said = await answer(request, over: transport) }

    #expect(said == end)
  }

  @Test func `repeats all waiting requests over one new connection`() async throws {
    let server = try await SecureServer("h2 frozen")
    let transport = transport(server)

    #expect(await answer(try request(server, firstByte: .seconds(10)), over: transport) == sound)
    #expect(await answers(try request(server), 12, over: transport).allSatisfy { $0 == sound })
  }

  @Test func `keeps later requests off a connection with waiting ones`() async throws {
    let server = try await SecureServer("h2 frozen")
    let transport = transport(server)
    #expect(await answer(try request(server, firstByte: .seconds(10)), over: transport) == sound)
    let sent = Gate()
    let patient = Task {
      var request = try request(server, 0, .post, firstByte: .seconds(250))
      request.body = .text("patience")
      return await answer(request, over: transport, opening: sent)
    }
    try await sent.enter()

    // What is not idempotent is not asked again, but leaves the connection in doubt.
    var kinds: [String] = []
    for _ in 0..<5 { kinds.append(await answer(try request(server, 0, .post), over: transport)) }
    let others = await answers(try request(server, 0, .post), 12, over: transport)
    patient.cancel()

    // The silence of the other request may have been noted before.
    #expect(kinds.first == "timedOut" || kinds.first == sound)
    #expect(kinds.dropFirst() == Array(repeating: sound, count: 4)[...])
    #expect(others.allSatisfy { $0 == sound })
    #expect(try await patient.value != sound)
  }

  @Test func `closes a connection that stops in a body, for its host alone`() async throws {
    let server = try await SecureServer("h2 frozen in a body", "h2 frozen in a body")
    let transport = transport(server)
    let requests = try (0..<2).map { try request(server, $0, firstByte: .seconds(10)) }
    for request in requests { #expect(await answer(request, over: transport) == sound) }

    for var request in requests {
      request.timeouts.idle = .seconds(6)
      #expect(await answer(request, over: transport) == "timedOut")
      #expect(await answer(request, over: transport) == sound)
    }
  }

  @Test func `closes a connection at the end of a request's total time`() async throws {
    let server = try await SecureServer("h2 frozen")
    let transport = transport(server)
    #expect(await answer(try request(server, firstByte: .seconds(10)), over: transport) == sound)
    var short = try request(server, firstByte: .seconds(10))
    short.timeouts.total = .seconds(6)

    #expect(await answer(short, over: transport) == "timedOut")
    #expect(await answer(short, over: transport) == sound)
  }

  @Test func `closes a silent connection when its request is cancelled`()
    async throws
  {
    let server = try await SecureServer("h2 frozen")
    let transport = transport(server)
    #expect(await answer(try request(server, firstByte: .seconds(10)), over: transport) == sound)
    // What is not idempotent is not asked again.
    var patient = try request(server, 0, .post, firstByte: .seconds(30))
    patient.body = .text("patience")
    let sent = Gate()
    let waiting = Task { [patient] in await answer(patient, over: transport, opening: sent) }
    try await sent.enter()

    try await Task.sleep(for: .seconds(2))
    waiting.cancel()

    #expect(await waiting.value == "cancelled")
    #expect(await answer(patient, over: transport) == sound)
  }

  @Test func `leaves a connection after a long silence, before any timeout`() async throws {
    let server = try await SecureServer("h2 frozen")
    let transport = transport(server)
    #expect(await answer(try request(server, firstByte: .seconds(25)), over: transport) == sound)
    let sent = Gate()
    // What is not idempotent is not asked again.
    let waiting = Task {
      var request = try request(server, 0, .post, firstByte: .seconds(60))
      request.body = .text("patience")
      return await answer(request, over: transport, opening: sent)
    }
    try await sent.enter()

    try await Task.sleep(for: .seconds(12))
    let next = await answer(
      try request(server, 0, .post, firstByte: .seconds(25)),
      over: transport
    )
    waiting.cancel()

    #expect(next == sound)
    #expect(try await waiting.value != sound)
  }

  @Test func `leaves a silent connection although requests keep coming`() async throws {
    let server = try await SecureServer("h2 frozen")
    let transport = transport(server)
    #expect(await answer(try request(server, firstByte: .seconds(25)), over: transport) == sound)
    // What is not idempotent is not asked again.
    var patient = try request(server, 0, .post, firstByte: .seconds(25))
    patient.body = .text("patience")
    let sent = Gate()
    let first = Task { [patient] in await answer(patient, over: transport, opening: sent) }
    try await sent.enter()
    try await Task.sleep(for: .seconds(6))
    let second = Task { [patient] in await answer(patient, over: transport) }
    try await Task.sleep(for: .seconds(6))

    let next = await answer(patient, over: transport)
    first.cancel()
    second.cancel()

    #expect(next == sound)
    #expect(await first.value != sound)
    // On a busy machine it may begin when the connection has been left already.
    _ = await second.value
  }

  @Test(arguments: ["h2 frozen at its handshake", "h2 frozen at its second handshake"])
  func `a handshake that stops fails only the requests that wait for it`(name: String) async throws
  {
    let server = try await SecureServer(name)
    let transport = transport(server)
    var request = try request(server, firstByte: .seconds(20))
    request.timeouts.connect = .seconds(8)
    let isSecond = name.contains("second")
    if isSecond { #expect(await answer(request, over: transport) == sound) }

    let patient = request
    async let first = answers(patient, 4, over: transport)
    try await Task.sleep(for: .seconds(9))
    let later = await answers(patient, 12, over: transport)

    #expect(later.allSatisfy { $0 == sound }, "\(later)")
    // Before it is known that connections can be shared, all but one wait for a connection of their own.
    let others = await first
    #expect(isSecond || others.count { $0 == sound } >= 3, "\(others)")
  }

  @Test func `bytes that nothing requested over TLS are not the next response`() async throws {
    let server = try await SecureServer("surplus")
    let transport = transport(server)

    for _ in 0..<3 {
      #expect(await answer(try request(server, firstByte: .seconds(10)), over: transport) == sound)
      // Till it has come.
      try await Task.sleep(for: .milliseconds(500))
    }
  }
}
#endif
