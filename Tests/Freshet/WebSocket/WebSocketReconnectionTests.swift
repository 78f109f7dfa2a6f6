import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct WebSocketReconnectionTests {
  private static func quick(_ configure: (inout Reconnection) -> Void = { _ in }) -> Reconnection {
    Reconnection {
      $0.delay = .milliseconds(1)
      $0.minimumDelay = .milliseconds(1)
      configure(&$0)
    }
  }

  @Test func `another connection follows one that breaks, and messages go on`() async throws {
    let server = try LoopbackServer([
      "/": .socket { peer in
        try await peer.send("hello \(peer.request.number)")
        for try await message in peer {
          if message == .text("break") { peer.reset() } else { try await peer.send(message) }
        }
      }
    ])
    let socket = WebSocketTests.socket(server) { $0.reconnection = Self.quick() }

    var log: [String] = []
    for try await update in socket.updates {
      switch update {
      case .connecting: log.append("connecting")
      case .opened: log.append("opened")
      case .received(let message):
        log.append(message.text ?? "")
        if log.count == 3 { try await socket.send("break") }
        if message == .text("hello 2") { try await socket.send("again") }
        if message == .text("again") { await socket.close() }
      case .reconnecting(_, let error): log.append("reconnecting: \(error.kind)")
      case .closed(let close): log.append("closed \(close)")
      }
    }

    #expect(
      log == [
        "connecting", "opened", "hello 1", "reconnecting: connection", "connecting", "opened",
        "hello 2", "again", "closed 1000",
      ]
    )
  }

  @Test func `a greeting is the first message of each connection, before those that wait`()
    async throws
  {
    let received = Mutex<[String]>([])
    let server = try LoopbackServer([
      "/": .socket { peer in
        for try await message in peer {
          received.withLock { $0.append("\(peer.request.connection): \(message.text ?? "")") }
          if message == .text("break") { return peer.reset() }
          if message == .text("last") { await peer.close() }
        }
      }
    ])
    let count = Mutex(0)
    let socket = WebSocketTests.socket(server) {
      $0.reconnection = Self.quick { $0.maximumFailures = nil }
      $0.greeting = {
        let number = count.withLock { count in
          count += 1
          return count
        }
        return number == 1 ? .text("hello") : .text("resume")
      }
    }

    try await socket.send("break")
    for try await update in socket.updates {
      guard case .reconnecting = update else { continue }
      try await socket.send("last")
    }

    #expect(received.withLock { $0 } == ["1: hello", "1: break", "2: resume", "2: last"])
  }

  @Test func `it does not connect again in another session`() async throws {
    let server = try LoopbackServer([
      "/": .socket { peer in
        try await peer.send("hello")
        for try await _ in peer { peer.reset() }
      }
    ])
    let session = Authenticator(.bearer("alice"), for: [server.url("/")])
    let client = Client { $0.transport = $0.transport.authenticated(by: session) }
    let socket = client.socket(at: server.url("/")) { $0.reconnection = Self.quick() }

    let error = await #expect(throws: FreshetError.self) {
      for try await _ in socket {
        session.signIn(.bearer("bob"))
        try await socket.send("break")
      }
    }

    #expect(error?.kind == "unauthenticated")
    #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer alice"])
  }

  @Test func `a server that restarts is asked again, one that has finished is not`() async throws {
    let codes: [WebSocket.CloseCode] = [.serviceRestart, .goingAway, .tryAgainLater, .normal]
    let server = try LoopbackServer([
      "/": .socket { peer in await peer.close(codes[peer.request.number - 1]) }
    ])
    let socket = WebSocketTests.socket(server) { $0.reconnection = Self.quick() }

    for try await _ in socket {}

    #expect(server.requestCount == 4)
    #expect(socket.closure?.code == .normal)
  }

  @Test func `it fails after too many connections on which nothing has arrived`() async throws {
    let server = try LoopbackServer(["/": .closeBeforeResponse])
    let socket = WebSocketTests.socket(server) {
      $0.reconnection = Self.quick { $0.maximumFailures = 2 }
    }

    let error = await #expect(throws: FreshetError.self) { for try await _ in socket {} }

    #expect(error?.kind == "connection")
    #expect(server.requestCount == 3)
  }

  @Test func `a connection on which only a close arrives is a failure`() async throws {
    let server = try LoopbackServer(["/": .socket { await $0.close(.tryAgainLater) }])
    let socket = WebSocketTests.socket(server) {
      $0.reconnection = Self.quick { $0.maximumFailures = 2 }
    }

    let error = await #expect(throws: FreshetError.self) { for try await _ in socket {} }

    #expect(error?.kind == "closed")
    #expect(server.requestCount == 3)
  }

  @Test func `the end of a connection on which a message has arrived is no failure`() async throws {
    let server = try LoopbackServer([
      "/": .socket { peer in
        try await peer.send("hello")
        await peer.close(peer.request.number < 3 ? .tryAgainLater : .normal)
      }
    ])
    let socket = WebSocketTests.socket(server) {
      $0.reconnection = Self.quick { $0.maximumFailures = 0 }
    }

    var texts: [String?] = []
    for try await message in socket { texts.append(message.text) }

    #expect(texts == ["hello", "hello", "hello"])
    #expect(server.requestCount == 3)
  }

  @Test func `a close during the pause before another connection ends the socket`() async throws {
    let server = try LoopbackServer(["/": .closeBeforeResponse])
    let socket = Client { $0.clock = VirtualClock() }
      .socket(at: server.url("/")) { $0.reconnection = Reconnection() }
    try await socket.send("never")
    var updates = socket.updates.makeAsyncIterator()
    while let update = try await updates.next() {
      if case .reconnecting = update { break }
    }

    await socket.close()

    for try await _ in socket { Issue.record("a message without a connection") }
    #expect(socket.closure == WebSocket.Close(code: .abnormal))
    #expect(server.requestCount == 1)
  }

  @Test func `a close during another handshake ends the socket`() async throws {
    let server = try LoopbackServer([
      "/": .sequence([.closeBeforeResponse, WebSocketTests.echo.delayed(until: Gate())])
    ])
    let socket = WebSocketTests.socket(server) {
      $0.closing = .seconds(3_600)
      $0.reconnection = Self.quick()
    }
    try await socket.send("never")
    #expect(await server.received(path: "/", count: 2).count == 2)

    await socket.close()

    for try await _ in socket { Issue.record("a message without a connection") }
    #expect(socket.closure == WebSocket.Close(code: .abnormal))
    #expect(await server.connectionsClosed(2))
  }

  @Test func `a refusal for good is not repeated, one that may pass is`() async throws {
    let server = try LoopbackServer([
      "/": .sequence([.status(503), .status(403)])
    ])
    let socket = WebSocketTests.socket(server) { $0.reconnection = Self.quick() }

    let error = await #expect(throws: FreshetError.self) { for try await _ in socket {} }

    #expect(error?.head?.status == 403)
    #expect(server.requestCount == 2)
  }

  @Test func `10,000 messages each way survive cuts when both sides confirm them`() async throws {
    let count = 10_000
    let log = Mutex<[Int]>([])
    let server = try LoopbackServer([
      "/": .socket { peer in
        var untilCut = 300 + peer.request.number * 97 % 1_400
        for try await message in peer {
          guard let number = message.text.flatMap({ Int($0) }) else { continue }
          // Each number is taken once, in order, and confirmed whenever it comes.
          log.withLock { if number == $0.count { $0.append(number) } }
          try await peer.send("\(log.withLock { $0.count })")
          untilCut -= 1
          if untilCut == 0 { peer.reset() }
        }
      }
    ])
    let socket = WebSocketTests.socket(server) { $0.reconnection = Self.quick() }

    // The numbers that the server has confirmed, and where sending goes on after a cut.
    let progress = Watched((confirmed: 0, next: 0, connection: 0))
    let sending = Task {
      while let number = await progress.first({ state -> Int?? in
        if state.confirmed == count { return .some(nil) }
        guard state.connection > 0, state.next < min(count, state.confirmed + 500) else {
          return nil
        }
        state.next += 1
        return state.next - 1
      }) ?? nil {
        do {
          try await socket.send("\(number)")
        } catch let error as FreshetError where error.kind == "closed" {
          // It was sent again after a cut, while the confirmation of all arrived.
          return
        }
      }
    }
    var answers = 0
    for try await update in socket.updates {
      switch update {
      case .opened:
        progress.update { $0 = ($0.confirmed, $0.confirmed, $0.connection + 1) }
      case .received(let message):
        answers += 1
        let confirmed = try #require(message.text.flatMap { Int($0) })
        progress.update { $0.confirmed = max($0.confirmed, confirmed) }
        if confirmed == count { await socket.close() }
      case .connecting, .reconnecting, .closed: break
      }
    }
    try await sending.value

    #expect(log.withLock { $0 } == Array(0..<count))
    #expect(answers >= count)
    #expect(server.connectionCount > 5)
  }
}
