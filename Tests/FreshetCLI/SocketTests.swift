import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// `freshet socket` as people and scripts see it.
@Suite(.timeLimit(.minutes(5))) struct SocketTests {
  /// A server that sends back what it gets, and closes the conversation behind "bye".
  private static let echo = LoopbackServer.Answer.socket(protocols: ["two"]) { peer in
    for try await message in peer {
      try await peer.send(message)
      if message == .text("bye") { await peer.close() }
    }
  }

  private func run(_ arguments: [String], input: String) async throws -> ProgramRun {
    try await ProgramRun(
      Program.built("freshet"),
      ["socket"] + arguments,
      input: Data(input.utf8)
    )
  }

  @Test func `sends lines, prints messages, and ends with the conversation`() async throws {
    let server = try LoopbackServer(["/echo": Self.echo])
    let url = server.url("/echo").absoluteString.replacing("http:", with: "ws:")

    let result = try await run(
      ["--protocol", "one", "--protocol", "two", "-H", "X-A: b", "--wait", "60", url],
      input: "hello\n\nbye"
    )

    #expect(result.text == "hello\n\nbye\n")
    #expect(result.status == 0)
    let request = try #require(server.requests.first)
    #expect(request.headers["X-A"] == "b")
    #expect(request.headers[.secWebSocketProtocol] == "one, two")
  }

  #if canImport(Glibc)
  @Test(.enabled(if: TerminalRun.isPossible))
  func `a terminal gets no escape sequences and no binary messages`() async throws {
    let server = try LoopbackServer([
      "/": .socket { peer in
        try await peer.send(.text("\u{1B}[2Jplain"))
        try await peer.send(.binary(Data([0, 1])))
        await peer.close()
      }
    ])

    let run = try await TerminalRun(["socket", "--wait", "600", server.url("/").absoluteString])

    #expect(run.status == 0)
    #expect(run.lines.contains(#"\u{1B}[2Jplain"#), "\(run.lines)")
    #expect(run.lines.contains { $0.contains("a binary message of 2 bytes was not written") })
  }
  #endif

  @Test func `closes the socket after the end of the input`() async throws {
    let closures = Watched<[WebSocket.Close?]>([])
    let messages = Watched<[WebSocket.Message]>([])
    let server = try LoopbackServer([
      "/": .socket { peer in
        for try await message in peer { messages.update { $0.append(message) } }
        closures.update { $0.append(peer.closure) }
      }
    ])

    let result = try await run(["--wait", "0.01", server.url("/").absoluteString], input: "one")

    #expect(result.status == 0)
    #expect(result.text.isEmpty)
    #expect(await closures.wait { !$0.isEmpty })
    #expect(closures.read { $0 } == [WebSocket.Close(code: .normal)])
    #expect(messages.read { $0 } == [.text("one")])
  }

  #if !canImport(Darwin)
  @Test func `an error of the server is a failure, also behind the tool's own close`() async throws
  {
    let server = try RawServer { connection in
      let key = connection.readHead()?.split(whereSeparator: \.isNewline)
        .first { $0.lowercased().hasPrefix("sec-websocket-key:") }?
        .split(separator: " ").last
      let accept = WebSocketHandshake.accept(key.map(String.init) ?? "")
      connection.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: \(accept)\r\n\r\n"
      )
      var decoder = WebSocketDecoder(from: .client, limit: 1 << 10)
      var outbox = WebSocketOutbox(.server)
      while !outbox.isClosed {
        let byte = connection.read(1)
        guard !byte.isEmpty else { return }
        decoder.receive(byte)
        switch try? decoder.next() {
        case .ping(let payload): outbox.pong(payload)
        case .close: outbox.close(WebSocket.Close(code: .internalError))
        default: break
        }
        while let frame = outbox.next({ 0 }) { connection.write(frame) }
      }
    }

    let result = try await run(["--wait", "0.01", server.base], input: "one")

    #expect(result.status == 1)
    #expect(result.error.contains("1011"), "\(result.error)")
    #expect(server.waitForConnections())
  }
  #endif

  @Test func `says why it was refused, and fails`() async throws {
    let server = try LoopbackServer(["/": .status(403)])
    let result = try await run([server.url("/").absoluteString], input: "hello\n")

    #expect(result.status == 1)
    #expect(result.error.contains("403"))
  }

  @Test(arguments: [[], ["ws://a.test", "ws://b.test"], ["--nothing", "ws://a.test"]])
  func `refuses wrong arguments`(arguments: [String]) async throws {
    #expect(try await Tool.run(["socket"] + arguments).status == 2)
  }
}
