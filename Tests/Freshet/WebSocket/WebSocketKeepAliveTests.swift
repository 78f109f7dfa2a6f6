import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct WebSocketKeepAliveTests {
  private static func socket(_ server: LoopbackServer, _ clock: VirtualClock) -> WebSocket {
    Client { $0.clock = clock }
      .socket(at: server.url("/")) {
        $0.keepAlive = .init(interval: .seconds(20), timeout: .seconds(5))
      }
  }

  @Test func `a server that only answers pings is kept`() async throws {
    let clock = VirtualClock()
    let server = try LoopbackServer(["/": WebSocketTests.echo])
    let socket = Self.socket(server, clock)
    try await socket.ping()

    for _ in 0..<10 {
      #expect(await clock.sleepers(count: 1))
      clock.advance()
      // The answers come in order: that to the socket's own ping first.
      try await socket.ping()
    }

    try await socket.send("still here")
    var iterator = socket.makeAsyncIterator()
    #expect(try await iterator.next() == .text("still here"))
    #expect(clock.now.offset >= .seconds(100))
    #expect(server.connectionCount == 1)
  }

  @Test func `a reader that is slow for long is no silence`() async throws {
    let clock = VirtualClock()
    let server = try LoopbackServer([
      "/": .socket { peer in
        for _ in 0..<64 { try await peer.send(.binary(Data(count: 64 << 10))) }
        for try await _ in peer {}
      }
    ])
    let socket = Self.socket(server, clock)
    var iterator = socket.makeAsyncIterator()
    var count = try await iterator.next() == nil ? 0 : 1
    await socket.session.state.wait { $0.isBlocked }
    for _ in 0..<20 {
      #expect(await clock.sleepers(count: 1))
      clock.advance(by: .seconds(20))
    }

    while count < 64, try await iterator.next() != nil { count += 1 }

    #expect(count == 64)
    await socket.close()
  }

  @Test func `a server that says nothing before its close has the time for closing`() async throws {
    let gate = Watched(false)
    let clock = VirtualClock()
    let server = try LoopbackServer(["/": .socket { _ in await gate.wait { $0 } }])
    let socket = Client { $0.clock = clock }
      .socket(at: server.url("/")) {
        $0.keepAlive = .init(interval: .seconds(20), timeout: .seconds(5))
        $0.closing = .seconds(60)
      }
    try await socket.send(.binary(Data(count: 64 << 10)))
    await socket.session.state.wait { $0.head != nil }
    let closing = Task { await socket.close() }
    await socket.session.state.wait { $0.isClosing }

    // Those of the keep-alive and of closing.
    #expect(await clock.sleepers(count: 2))
    for _ in 0..<5 {
      clock.advance(by: .seconds(10))
      #expect(await clock.sleepers(count: 2))
    }
    #expect(socket.session.state.read { $0.end == nil })
    clock.advance(by: .seconds(10))

    await closing.value
    gate.update { $0 = true }
  }

  @Test func `asks a server that reads nothing, and gives it up`() async throws {
    let gate = Watched(false)
    let clock = VirtualClock()
    let server = try LoopbackServer(["/": .socket { _ in await gate.wait { $0 } }])
    let socket = Self.socket(server, clock)
    // The server stops reading behind the first message.
    for _ in 0..<2 { try await socket.send(.binary(Data(count: 64 << 10))) }
    #expect(await clock.sleepers(count: 1))
    clock.advance()
    #expect(await clock.sleepers(count: 1))
    clock.advance()

    await #expect(throws: FreshetError.timedOut(.keepAlive, url: server.url("/").absoluteString)) {
      for try await _ in socket {}
    }
    #expect(clock.now.offset == .seconds(25))
    gate.update { $0 = true }
  }

  @Test func `a ping fails as its socket does`() async throws {
    let gate = Watched(false)
    let clock = VirtualClock()
    let server = try LoopbackServer(["/": .socket { _ in await gate.wait { $0 } }])
    let socket = Self.socket(server, clock)
    // The server stops reading behind the first message, and the ping is sent behind the second one.
    for _ in 0..<2 { try await socket.send(.binary(Data(count: 64 << 10))) }
    try await socket.drain()
    let ping = Task { try await socket.ping() }
    await socket.session.state.wait { $0.lastPing > 0 }
    for _ in 0..<2 {
      #expect(await clock.sleepers(count: 1))
      clock.advance()
    }

    await #expect(throws: FreshetError.timedOut(.keepAlive, url: server.url("/").absoluteString)) {
      try await ping.value
    }
    gate.update { $0 = true }
  }

  @Test func `an interval of zero asks nothing`() async throws {
    let clock = VirtualClock()
    let server = try LoopbackServer(["/": WebSocketTests.echo])
    let socket = Client { $0.clock = clock }
      .socket(at: server.url("/")) { $0.keepAlive = .init(interval: .zero) }
    for _ in 0..<10 { try await socket.ping() }

    #expect(socket.session.state.read(\.lastPing) == 10)
    #expect(clock.sleeperCount == 0)
    await socket.close()
  }

  @Test func `a pong answers the earlier pings too`() {
    var state = WebSocketSession.State()
    let ids = (0..<3).map { _ in state.ping() }

    state.pong(withUnsafeBytes(of: ids[1].bigEndian) { Data($0) })
    state.pong(Data([0xFF]))

    #expect(state.answeredPing == ids[1])
  }

  @Test func `a pong without a ping answers none`() {
    var state = WebSocketSession.State()
    let id = state.ping()

    state.pong(withUnsafeBytes(of: (id + 1).bigEndian) { Data($0) })

    #expect(state.answeredPing == 0)
  }

  @Test func `empty messages that wait for a reader count`() {
    var state = WebSocketSession.State()
    for _ in 0..<3 { state.post(.received(.text(""))) }

    #expect(state.inboxBytes == 3)
  }
}
