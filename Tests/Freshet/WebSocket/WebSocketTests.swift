import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet

/// A socket against the server of FreshetTesting, over real connections.
@Suite(.timeLimit(.minutes(5))) struct WebSocketTests {
  static let echo = LoopbackServer.Answer.socket { peer in
    for try await message in peer { try await peer.send(message) }
  }

  static func socket(
    _ server: LoopbackServer,
    _ path: String = "/",
    _ configure: (inout WebSocket.Options) -> Void = { _ in }
  ) -> WebSocket {
    Client()
      .socket(at: server.url(path)) {
        // A slow machine may take long to answer a close, or a ping.
        $0.closing = .seconds(60)
        $0.keepAlive = nil
        configure(&$0)
      }
  }

  // MARK: - Messages

  @Test func `what waits has been taken once it is drained, and not before`() async throws {
    let gate = Gate()
    let server = try LoopbackServer([
      "/": .socket(messageBytes: 64 << 20) { peer in
        try await gate.enter()
        for try await _ in peer {}
      }
    ])
    let socket = Self.socket(server)
    let hasDrained = Watched(false)
    // The server stops reading behind the first one.
    try await socket.send(.binary(Data(count: 1 << 20)))
    try await socket.send(.binary(Data(count: 24 << 20)))
    let draining = Task {
      try await socket.drain()
      hasDrained.update { $0 = true }
    }
    await gate.waiting()
    for _ in 0..<1_000 { await Task.yield() }
    #expect(!hasDrained.read { $0 })
    gate.open()

    try await draining.value
    await socket.close()
    #expect(socket.closure == WebSocket.Close(code: .normal))
  }

  @Test(arguments: [false, true])
  func `what a broken connection has not taken is not drained`(isReconnecting: Bool) async throws {
    let gate = Gate()
    let server = try LoopbackServer([
      "/": .socket(messageBytes: 64 << 20) { peer in
        guard peer.request.number == 1 else { return try await peer.ping() }
        try await gate.enter()
        peer.reset()
      }
    ])
    let socket = Self.socket(server) { $0.reconnection = isReconnecting ? Reconnection() : nil }
    try await socket.send(.binary(Data(count: 1 << 20)))
    try await socket.send(.binary(Data(count: 24 << 20)))
    let draining = Task { try await socket.drain() }
    await gate.waiting()
    gate.open()

    await #expect(throws: FreshetError.self) { try await draining.value }
  }

  @Test func `talks both ways, and ends with a close`() async throws {
    let server = try LoopbackServer(["/": Self.echo])
    let socket = Self.socket(server)

    let messages: [WebSocket.Message] = [
      .text("hello"), .binary(Data([0, 255])), .text(""), .binary(Data()),
      .text(String(repeating: "é", count: 200_000)), .binary(Data(count: 1 << 20)),
    ]
    var iterator = socket.makeAsyncIterator()
    for message in messages {
      try await socket.send(message)
      #expect(try await iterator.next() == message)
    }
    await socket.close()

    #expect(try await iterator.next() == nil)
    #expect(socket.closure == WebSocket.Close(code: .normal))
    #expect(await server.connectionsClosed(1))
    await #expect(throws: FreshetError.self) { try await socket.send("late") }
  }

  @Test func `opens nothing before it is used`() async throws {
    let server = try LoopbackServer(["/": Self.echo])
    let socket = Self.socket(server)
    await socket.close()

    for try await _ in socket { Issue.record("a message of nobody") }

    #expect(server.connectionCount == 0)
  }

  @Test func `a close waits for the connection, when something is to be sent`() async throws {
    let received = Mutex<[WebSocket.Message]>([])
    let server = try LoopbackServer([
      "/": .socket { peer in
        for try await message in peer { received.withLock { $0.append(message) } }
      },
      "/no": .status(403),
    ])
    let socket = Self.socket(server)
    let refused = Self.socket(server, "/no")
    try await socket.send("only this")
    try await refused.send("only this")

    await socket.close()
    await refused.close()

    #expect(received.withLock { $0 } == [.text("only this")])
    #expect(socket.closure?.code == .normal)
    await #expect(throws: FreshetError.self) { for try await _ in refused {} }
  }

  @Test func `a loop that is left and begun again misses no message`() async throws {
    let server = try LoopbackServer(["/": Self.echo])
    let socket = Self.socket(server)
    for number in 0..<100 { try await socket.send("\(number)") }

    var texts: [String?] = []
    while texts.count < 100 {
      for try await message in socket {
        texts.append(message.text)
        break
      }
    }

    #expect(texts == (0..<100).map { "\($0)" })
  }

  @Test func `10,000 messages each way arrive in order, whatever the pieces`() async throws {
    let server = try LoopbackServer(["/": Self.echo]) { $0.sendBufferBytes = 4_096 }
    let socket = Self.socket(server)
    var random = SeededGenerator(seed: 29)
    let messages = (0..<10_000)
      .map { number -> WebSocket.Message in
        let size = Int.random(in: 0..<(number.isMultiple(of: 500) ? 200_000 : 300), using: &random)
        return number.isMultiple(of: 2)
          ? .text("\(number) " + String(repeating: "ü", count: size / 2))
          : .binary(Data("\(number) ".utf8) + Data(count: size))
      }

    let sending = Task {
      for message in messages { try await socket.send(message) }
    }
    var received: [WebSocket.Message] = []
    for try await message in socket {
      received.append(message)
      if received.count == messages.count { await socket.close() }
    }
    try await sending.value

    #expect(received == messages)
  }

  // MARK: - Handshake

  @Test func `the handshake carries the client's fields, and its own`() async throws {
    let server = try LoopbackServer(["/chat": Self.echo])
    let client = Client {
      $0.baseURL = server.url("/")
      $0.headers = [.authorization: "Bearer x", "X-App": "1"]
      $0.interceptors = [HeaderInterceptor()]
    }
    let socket = client.socket(at: "chat") { $0.protocols = ["a", "b"] }
    try await socket.ping()

    let request = try #require(server.requests.first)
    #expect(request.headers[.authorization] == "Bearer x")
    #expect(request.headers["X-App"] == "1")
    #expect(request.headers["X-Intercepted"] == "yes")
    #expect(request.headers[.secWebSocketProtocol] == "a, b")
    #expect(request.headers[.secWebSocketVersion] == "13")
    #expect(!request.headers.contains(.transferEncoding) && !request.headers.contains(.expect))
    await socket.close()
  }

  @Test func `a challenge is answered before the socket opens`() async throws {
    let server = try LoopbackServer([
      "/": .handler { request in
        request.headers[.authorization] == nil
          ? .response(401, headers: [.wwwAuthenticate: "Basic realm=\"x\""]) : Self.echo
      }
    ])
    let login = Credential.login(user: "ann", password: "secret")
    let client = Client {
      $0.transport = DefaultTransport()
        .authenticated(by: Authenticator(login, for: [server.url("/")]))
    }
    let socket = client.socket(at: server.url("/"))

    try await socket.ping()

    #expect(server.requestCount == 2)
    await socket.close()
  }

  @Test func `the server's choice of a protocol is told`() async throws {
    let answer = LoopbackServer.Answer.socket(protocols: ["b", "c"]) { for try await _ in $0 {} }
    let server = try LoopbackServer(["/": answer])
    let socket = Self.socket(server) { $0.protocols = ["a", "b", "c"] }
    try await socket.ping()

    #expect(socket.subprotocol == "b")
    await socket.close()
  }

  @Test(arguments: [["a b"], ["a", "a"], [""]])
  func `protocols that are no tokens are not sent`(protocols: [String]) async throws {
    let server = try LoopbackServer(["/": Self.echo])
    let socket = Self.socket(server) { $0.protocols = protocols }

    let error = await #expect(throws: FreshetError.self) { try await socket.ping() }

    #expect(error?.kind == "invalidRequest")
    #expect(server.connectionCount == 0)
  }

  @Test func `a refusal is the failure, with its status and body`() async throws {
    let server = try LoopbackServer(["/": .status(403, body: "go away"), "/plain": .text("hello")])

    let refused = await #expect(throws: FreshetError.self) {
      for try await _ in Self.socket(server) {}
    }
    let plain = await #expect(throws: FreshetError.self) {
      for try await _ in Self.socket(server, "/plain") {}
    }

    guard case .status(let head, let body)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(head.status == 403 && body == Data("go away".utf8))
    #expect(plain?.kind == "invalidResponse")
  }

  @Test func `a refusal whose body does not come is a failure nevertheless`() async throws {
    let server = try LoopbackServer(["/": .status(403, body: "go away").stalled(after: 2)])
    let socket = Self.socket(server) { $0.closing = .milliseconds(100) }

    let error = await #expect(throws: FreshetError.self) { for try await _ in socket {} }

    #expect(error?.head?.status == 403)
  }

  @Test func `an answer to another key opens nothing`() async throws {
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    let accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    let server = try LoopbackServer(["/": .raw(head + accept)])

    let error = await #expect(throws: FreshetError.self) {
      for try await _ in Self.socket(server) {}
    }

    #expect(error?.kind == "invalidResponse")
  }

  @Test func `a transfer coding opens nothing`() async throws {
    let head = ResponseHead(
      status: 101,
      headers: [
        .upgrade: "websocket", .connection: "Upgrade", .transferEncoding: "chunked",
        .secWebSocketAccept: WebSocketHandshake.accept("key"),
      ],
      url: try #require(URL(string: "http://a.test/"))
    )

    #expect(WebSocketHandshake.problem(with: head, key: "key", protocols: []) != nil)
  }

  #if !canImport(Darwin)
  @Test func `the length of the head ends nothing`() async throws {
    let server = try RawServer { connection in
      let key = connection.readHead()?.split(whereSeparator: \.isNewline)
        .first { $0.lowercased().hasPrefix("sec-websocket-key:") }?
        .split(separator: " ").last
      let accept = WebSocketHandshake.accept(key.map(String.init) ?? "")
      let head =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Content-Length: 5\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
      connection.write(Data(head.utf8) + Data([0x81, 3]) + Data("one".utf8))
      // The frame of "more", with its mask.
      _ = connection.read(10)
      // An answered request is given up after a second of silence.
      Thread.sleep(forTimeInterval: 1.5)
      connection.write(Data([0x81, 3]) + Data("two".utf8) + Data([0x88, 0]))
      _ = connection.read(8)
    }
    let socket = Client().socket(at: try #require(URL(string: server.base)))
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("one"))
    try await socket.send("more")

    #expect(try await iterator.next() == .text("two"))
    #expect(try await iterator.next() == nil)
  }
  #endif

  @Test func `a handshake that is not answered times out`() async throws {
    let gate = Gate()
    let server = try LoopbackServer(["/": Self.echo.delayed(until: gate)])
    var request = Request(server.url("/"))
    request.timeouts.firstByte = .milliseconds(200)

    let error = await #expect(throws: FreshetError.self) {
      for try await _ in Client().socket(request) {}
    }

    #expect(error == .timedOut(.firstByte, url: server.url("/").absoluteString))
  }

  @Test(arguments: [303, 307] as [HTTPStatus])
  func `a redirect is followed, and messages are sent behind it`(
    status: HTTPStatus
  ) async throws {
    let server = try LoopbackServer(["/": .redirect(to: "/new", status: status), "/new": Self.echo])
    let socket = Self.socket(server)

    try await socket.ping()

    #expect(server.requests.map(\.path) == ["/", "/new"])
    await socket.close()
  }

  // MARK: - Ends

  @Test(arguments: [1000, 1001] as [WebSocket.CloseCode])
  func `a normal close of the server ends it behind the last message`(
    code: WebSocket.CloseCode
  ) async throws {
    let server = try LoopbackServer([
      "/": .socket { peer in
        try await peer.send("last")
        await peer.close(code, reason: "done")
      }
    ])
    let socket = Self.socket(server)

    var messages: [WebSocket.Message] = []
    for try await message in socket { messages.append(message) }

    #expect(messages == [.text("last")])
    #expect(socket.closure == WebSocket.Close(code: code, reason: "done"))
    #expect(await server.connectionsClosed(1))
  }

  @Test func `another close of the server is a failure with its code and reason`() async throws {
    let server = try LoopbackServer(["/": .socket { await $0.close(4001, reason: "no seat") }])
    let socket = Self.socket(server)

    let close = WebSocket.Close(code: 4001, reason: "no seat")
    let failure = FreshetError.closed(close, url: server.url("/").absoluteString)
    await #expect(throws: failure) { for try await _ in socket {} }
    await #expect(throws: failure) { try await socket.send("late") }
    await #expect(throws: failure) { try await socket.ping() }
    #expect(socket.closure == nil)
  }

  @Test func `each iterator gets the failure once, also one that begins later`() async throws {
    let server = try LoopbackServer(["/": .socket { await $0.close(4001, reason: "no seat") }])
    let socket = Self.socket(server)
    let readers = (0..<3).map { _ in Task { for try await _ in socket {} } }

    let close = WebSocket.Close(code: 4001, reason: "no seat")
    let failure = FreshetError.closed(close, url: server.url("/").absoluteString)
    for reader in readers {
      await #expect(throws: failure) { try await reader.value }
    }
    var updates = socket.updates.makeAsyncIterator()
    await #expect(throws: failure) { try await updates.next() }
    #expect(try await updates.next() == nil)
  }

  @Test func `each iterator gets a normal close, also one that begins later`() async throws {
    let server = try LoopbackServer(["/": .socket { await $0.close(reason: "done") }])
    let socket = Self.socket(server)
    let closes = { @Sendable () async throws -> [WebSocket.Close] in
      var found: [WebSocket.Close] = []
      for try await update in socket.updates {
        if case .closed(let close) = update { found.append(close) }
      }
      return found
    }

    async let first = closes()
    async let second = closes()
    let both = try await [first, second]

    let close = WebSocket.Close(code: .normal, reason: "done")
    #expect(both == [[close], [close]])
    #expect(try await closes() == [close])
    for try await _ in socket { Issue.record("a message after the end") }
  }

  @Test func `a connection that breaks is a failure`() async throws {
    let server = try LoopbackServer([
      "/": .socket { peer in
        try await peer.send("one")
        for try await _ in peer { peer.reset() }
      }
    ])
    let socket = Self.socket(server)
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("one"))
    try await socket.send("break")

    await #expect(throws: FreshetError.connection(.lost, url: server.url("/").absoluteString)) {
      try await iterator.next()
    }
    #expect(try await iterator.next() == nil)
  }

  @Test func `the server is told of a message that is too long`() async throws {
    let closures = Watched<[WebSocket.Close?]>([])
    let server = try LoopbackServer([
      "/": .socket { peer in
        try await peer.send(.binary(Data(count: 101)))
        for try await _ in peer {}
        closures.update { $0.append(peer.closure) }
      }
    ])
    let socket = Self.socket(server) { $0.messageBytes = 100 }

    let url = server.url("/").absoluteString
    await #expect(throws: FreshetError.limitExceeded(.messageBytes(100), url: url)) {
      for try await _ in socket {}
    }
    #expect(await server.connectionsClosed(1))
    #expect(await closures.wait { $0 == [WebSocket.Close(code: .messageTooBig)] })
  }

  @Test func `a server that does not answer a close is left`() async throws {
    let gate = Watched(false)
    let server = try LoopbackServer([
      "/": .socket { peer in
        // Nothing is read, so that no close is seen behind what waits.
        try await peer.send("hello")
        await gate.wait { $0 }
      }
    ])
    let socket = Self.socket(server) {
      $0.closing = .milliseconds(100)
      $0.buffer = 1 << 30
    }
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("hello"))
    for _ in 0..<64 { try await socket.send(.binary(Data(count: 1 << 20))) }

    await socket.close()

    #expect(try await iterator.next() == nil)
    #expect(socket.closure == WebSocket.Close(code: .abnormal))
    gate.update { $0 = true }
  }

  @Test func `a close is answered behind messages that nobody reads`() async throws {
    let server = try LoopbackServer([
      "/": .socket { peer in
        for text in ["a", "b", "c", "d"] { try await peer.send(text) }
        for try await _ in peer {}
      }
    ])
    let socket = Self.socket(server) {
      $0.buffer = 1
      $0.closing = .seconds(250)
    }
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("a"))
    await socket.session.state.wait { $0.isBlocked }

    await socket.close()

    #expect(socket.closure == WebSocket.Close(code: .normal))
    #expect(try await iterator.next() == .text("b"))
    #expect(try await iterator.next() == nil)
  }

  @Test func `a server that closes is answered, though the socket is released`() async throws {
    let closures = Watched<[WebSocket.Close?]>([])
    let server = try LoopbackServer([
      "/": .socket { peer in
        await peer.close()
        closures.update { $0.append(peer.closure) }
      }
    ])

    for _ in 0..<20 {
      for try await _ in Self.socket(server) {}
    }

    #expect(await closures.wait { $0.count == 20 })
    let close = WebSocket.Close(code: .normal)
    #expect(closures.read { $0 } == Array(repeating: close, count: 20))
  }

  // MARK: - Cancellation

  @Test func `cancelling a reader breaks the connection`() async throws {
    let server = try LoopbackServer(["/": Self.echo])
    let socket = Self.socket(server)
    try await socket.ping()

    let reading = Task { () -> FreshetError? in
      do throws(FreshetError) {
        for try await _ in socket {}
        return nil
      } catch {
        return error
      }
    }
    reading.cancel()

    #expect(await reading.value == .cancelled)
    #expect(await server.connectionsClosed(1))
    let close = WebSocket.Close(code: .abnormal, reason: "a reader was cancelled")
    let failure = FreshetError.closed(close, url: server.url("/").absoluteString)
    await #expect(throws: failure) { try await socket.send("late") }
    await #expect(throws: failure) { for try await _ in socket {} }
  }

  @Test func `releasing a socket breaks the connection`() async throws {
    let server = try LoopbackServer(["/": Self.echo])
    var socket: WebSocket? = Self.socket(server)
    try await socket?.ping()
    socket = nil

    #expect(await server.connectionsClosed(1))
  }

  @Test func `cancelling a send or a ping leaves the socket alone`() async throws {
    let server = try LoopbackServer(["/": Self.echo])
    let socket = Self.socket(server)
    try await socket.ping()

    let task = Task { () -> [FreshetError?] in
      while !Task.isCancelled { await Task.yield() }
      return [
        await failure { () throws(FreshetError) in try await socket.send("never") },
        await failure { () throws(FreshetError) in try await socket.ping() },
      ]
    }
    task.cancel()
    #expect(await task.value == [.cancelled, .cancelled])

    try await socket.send("after")
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("after"))
    await socket.close()
  }

  @Test func `a ping that is cancelled before it is sent is never sent`() async throws {
    let url = try #require(URL(string: "http://a.test/"))
    let socket = Client().socket(at: url)
    let session = socket.session
    session.state.update {
      $0.task = Task {}
      $0.head = ResponseHead(status: 101, headers: [:], url: url)
    }
    let task = Task { try await session.ping() }
    await session.state.wait { !$0.outbox.isEmpty }
    task.cancel()

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    #expect(session.state.read { $0.outbox.isEmpty })
    withExtendedLifetime(socket) {}
  }

  @Test func `a ping of a lost connection is not answered over the next one`() async throws {
    let url = try #require(URL(string: "http://a.test/"))
    let socket = Client().socket(at: url)
    let session = socket.session
    let head = ResponseHead(status: 101, headers: [:], url: url)
    session.state.update { $0.task = Task {} }
    let executor = QueueExecutor()
    let ping = Task(executorPreference: executor) { try await session.ping() }
    while session.state.waiterCount == 0 { await Task.yield() }

    executor.pause {
      session.state.update { ($0.connection, $0.head) = (1, head) }
      session.state.update { $0.head = nil }
      session.state.update { state in
        (state.connection, state.head) = (2, head)
        let id = state.ping()
        state.pong(withUnsafeBytes(of: id.bigEndian) { Data($0) })
      }
    }

    await #expect(throws: FreshetError.connection(.lost, url: session.shownURL)) {
      try await ping.value
    }
    withExtendedLifetime(socket) {}
  }

  @Test func `a client that is shut down cancels it`() async throws {
    let server = try LoopbackServer(["/": Self.echo])
    let client = Client()
    let socket = client.socket(at: server.url("/"))
    try await socket.ping()

    await client.shutdown(grace: .zero)

    await #expect(throws: FreshetError.cancelled) { for try await _ in socket {} }
  }

  @Test func `a client that is shut down ends a socket that nobody reads`() async throws {
    let server = try LoopbackServer([
      "/": .socket { peer in
        while true { try await peer.send(.binary(Data(count: 64 << 10))) }
      }
    ])
    let client = Client()
    let socket = client.socket(at: server.url("/"))
    try await socket.send("begin")
    let state = socket.session.state
    await state.wait { $0.isBlocked }

    await client.shutdown(grace: .zero)

    await state.wait { $0.end != nil }
    await #expect(throws: FreshetError.cancelled) { for try await _ in socket {} }
  }

  @Test func `a client that is shut down ends a socket that waits for its greeting`() async throws {
    let server = try LoopbackServer(["/": Self.echo])
    let client = Client()
    let gate = Gate()
    let isCancelled = Watched(false)
    let socket = client.socket(at: server.url("/")) {
      $0.greeting = {
        try? await gate.enter()
        isCancelled.update { $0 = Task.isCancelled }
        return nil
      }
    }
    try await socket.send("waits")
    await gate.waiting()

    await client.shutdown(grace: .zero)

    await #expect(throws: FreshetError.cancelled) { for try await _ in socket {} }
    #expect(await isCancelled.wait { $0 })
  }

  @Test func `a close does not wait for a greeting that ignores its cancellation`() async throws {
    let received = Watched(0)
    let server = try LoopbackServer([
      "/": .socket { peer in
        for try await _ in peer { received.update { $0 += 1 } }
        received.update { $0 += 100 }
      }
    ])
    let gate = Gate()
    let socket = Self.socket(server) {
      $0.closing = .zero
      $0.greeting = {
        await Task { try? await gate.enter() }.value
        return nil
      }
    }
    try await socket.send("waits")
    await gate.waiting()

    await socket.close()

    await #expect(throws: FreshetError.self) { for try await _ in socket {} }
    gate.open()
    await server.stop()
    // What waits behind the greeting is not sent without it.
    #expect(received.read { $0 } % 100 == 0)
  }

  @Test(arguments: ["send", "ping", "next"])
  func `a cancelled task opens no connection`(what: String) async throws {
    let socket = Client().socket(at: try #require(URL(string: "http://a.test/")))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      switch what {
      case "send": try await socket.send("never")
      case "ping": try await socket.ping()
      default: for try await _ in socket {}
      }
    }
    _ = await task.result
    #expect(socket.session.state.read(\.task) == nil)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a transport that keeps requests is released with its client`() async throws {
    weak var kept: ScriptedTransport?
    do {
      let transport = ScriptedTransport { _ in ScriptedResponse(404) }
      kept = transport
      let socket = Client { $0.transport = transport }
        .socket(at: try #require(URL(string: "http://a.test/")))
      await #expect(throws: FreshetError.self) { for try await _ in socket {} }
      #expect(transport.requests.count == 1)
    }

    // The task of the connections may have to end.
    while kept != nil, !Task.isCancelled { await Task.yield() }
    #expect(kept == nil)
  }

  @Test func `a cancelled reader gets one error, and then nothing`() async throws {
    let socket = Client { $0.transport = ScriptedTransport { _ in ScriptedResponse(404) } }
      .socket(at: try #require(URL(string: "http://a.test/")))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var updates = socket.updates.makeAsyncIterator()
      await #expect(throws: FreshetError.cancelled) { try await updates.next() }
      return try await updates.next() == nil
    }

    #expect(try await task.value)
  }

  @Test func `frames are not taken by an attempt that is cancelled`() async throws {
    let url = try #require(URL(string: "http://a.test/"))
    let session = Client().socket(at: url).session
    session.state.update {
      $0.connection = 1
      $0.head = ResponseHead(status: 101, headers: [:], url: url)
      $0.outbox.append(.text("hello"))
    }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await session.nextFrames(1)
    }
    #expect(await cancelled.value == nil)

    #expect(await session.nextFrames(1)?.first == 0x81)
  }

  @Test func `a message is compressed outside of the lock`() async throws {
    let url = try #require(URL(string: "http://a.test/"))
    let session = Client().socket(at: url).session
    session.state.update {
      $0.connection = 1
      $0.head = ResponseHead(status: 101, headers: [:], url: url)
      $0.outbox.deflates = true
    }
    let sending = Task { await session.nextFrames(1) }
    while session.state.waiterCount == 0 { await Task.yield() }
    // It is asked after the step of the frames, under one lock.
    let isWaiting = Task {
      await session.state.first { state -> Bool? in
        state.outbox.count == 0 ? nil : state.outbox.uncompressed != nil
      }
    }
    while session.state.waiterCount < 2 { await Task.yield() }

    // In hexadecimal it compresses to half, which are several frames.
    var generator = SeededGenerator(seed: 7)
    let numbers = (0..<20_000).map { _ in String(generator.next(), radix: 16) }
    let message = numbers.joined()
    session.state.update { $0.outbox.append(.text(message)) }

    #expect(await isWaiting.value == true)
    // A text frame of several with the mark of compression.
    #expect(await sending.value?.first == 0x41)
    #expect(session.state.read { $0.outbox.count } < message.utf8.count)
  }

  // MARK: - Back-pressure

  @Test func `a slow reader stops the server`() async throws {
    let sent = Mutex(0)
    let server = try LoopbackServer([
      "/": .socket { peer in
        let piece = Data(count: 64 << 10)
        for _ in 0..<1_000 {
          try await peer.send(.binary(piece))
          sent.withLock { $0 += piece.count }
        }
        for try await _ in peer {}
      }
    ])
    let socket = Self.socket(server)
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next()?.byteCount == 64 << 10)
    #expect(await server.blocked(path: "/"))

    var count = 1
    // What has gone out is in the buffers of both sides; 62.5 MiB would follow.
    #expect(sent.withLock { $0 } < 16 << 20)
    while count < 1_000, try await iterator.next() != nil { count += 1 }

    #expect(count == 1_000)
    await socket.close()
  }

  @Test func `a message has room while less than the buffer waits`() async throws {
    let gate = Gate()
    let server = try LoopbackServer(["/": Self.echo.delayed(until: gate)])
    let socket = Self.socket(server) { $0.buffer = 1_000 }

    try await socket.send(.binary(Data(count: 999)))
    try await socket.send(.binary(Data(count: 5_000)))

    #expect(socket.session.state.read { $0.outbox.count } == 5_999)
  }

  @Test func `sending waits for a server that does not read`() async throws {
    let gate = Watched(false)
    let received = Watched(0)
    let server = try LoopbackServer([
      "/": .socket { peer in
        await gate.wait { $0 }
        for try await message in peer { received.update { $0 += message.byteCount } }
      }
    ])
    let socket = Self.socket(server)
    let sent = Watched(0)
    let sending = Task {
      for _ in 0..<1_000 {
        try await socket.send(.binary(Data(count: 64 << 10)))
        sent.update { $0 += 1 }
      }
      await socket.close()
    }
    // The number stays when all buffers are full.
    var last = 0
    while last == 0 || sent.read({ $0 }) != last {
      last = sent.read { $0 }
      try await Task.sleep(for: .milliseconds(200))
    }

    #expect(last < 400)
    gate.update { $0 = true }
    try await sending.value

    // The handler may still have the last one in hand when the connection is closed.
    #expect(await received.wait { $0 == 1_000 * 64 << 10 })
  }
}

/// A failure of the work, or `nil`.
private func failure<Value>(
  _ work: () async throws(FreshetError) -> Value
) async -> FreshetError? {
  do throws(FreshetError) {
    _ = try await work()
    return nil
  } catch {
    return error
  }
}

private struct HeaderInterceptor: Interceptor {
  func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer {
    var request = request
    request.headers["X-Intercepted"] = "yes"
    return next(request)
  }
}
