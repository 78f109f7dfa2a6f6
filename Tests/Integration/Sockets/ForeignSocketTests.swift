import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// WebSockets with a server that others wrote.
@Suite(
  .enabled(if: WebSocketServer.isInstalled, "Python's websockets or openssl is not installed"),
  .timeLimit(.minutes(5))
)
struct ForeignSocketTests {
  /// A slow machine may take long to answer a close.
  private func socket(
    _ client: Client = Client(),
    at url: URL,
    _ configure: (inout WebSocket.Options) -> Void = { _ in }
  ) -> WebSocket {
    client.socket(at: url) {
      $0.closing = .seconds(60)
      configure(&$0)
    }
  }

  @Test func `talks with Python's websockets`() async throws {
    try await WebSocketServer.run { server in
      let socket = self.socket(at: server.plain) { $0.protocols = ["a", "b"] }
      let messages: [WebSocket.Message] = [
        .text("héllo"), .binary(Data((0...255).map { UInt8($0) })), .text(""), .binary(Data()),
        .text(String(repeating: "ü", count: 100_000)), .binary(Data(count: 3 << 20)),
      ]
      var iterator = socket.makeAsyncIterator()
      for message in messages {
        try await socket.send(message)
        #expect(try await iterator.next() == message)
      }
      #expect(socket.subprotocol == "b")
      await socket.close(reason: "done")
      #expect(socket.closure == WebSocket.Close(code: .normal, reason: "done"))
    }
  }

  @Test func `receives 10,000 messages of Python's, and sends as many`() async throws {
    try await WebSocketServer.run { server in
      let counting = self.socket(at: server.plain.appending(path: "count"))
      var count = 0
      for try await message in counting {
        #expect(String(decoding: message.data, as: UTF8.self) == "\(count)")
        count += 1
        if count == 10_000 { await counting.close() }
      }
      #expect(count == 10_000)

      let echo = self.socket(at: server.plain)
      let sending = Task {
        for number in 0..<10_000 { try await echo.send("\(number)") }
      }
      var next = 0
      for try await message in echo {
        #expect(message == .text("\(next)"))
        next += 1
        if next == 10_000 { await echo.close() }
      }
      try await sending.value
      #expect(next == 10_000)
    }
  }

  @Test func `talks compressed with Python's websockets`() async throws {
    try await WebSocketServer.run { server in
      let socket = self.socket(at: server.plain.appending(path: "extensions")) {
        $0.compresses = true
      }
      var iterator = socket.makeAsyncIterator()
      #expect(try await iterator.next() == .text("permessage-deflate"))

      for number in 0..<1_000 {
        let size = number.isMultiple(of: 100) ? 30_000 : number % 50
        let message = WebSocket.Message.text(String(repeating: "wätter \(number) ", count: size))
        try await socket.send(message)
        #expect(try await iterator.next() == message)
      }
      await socket.close()
      #expect(socket.closure?.code == .normal)
    }
  }

  @Test func `a ping is answered by Python's, and its close has a code and a reason`() async throws
  {
    try await WebSocketServer.run { server in
      let pinging = self.socket(at: server.plain)
      let time = try await pinging.ping()
      #expect(time > .zero)
      await pinging.close()
      #expect(pinging.closure?.code == .normal)

      let socket = self.socket(at: server.plain.appending(path: "close"))
      let error = await #expect(throws: FreshetError.self) { for try await _ in socket {} }

      guard case .closed(let close, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(close == WebSocket.Close(code: 4002, reason: "not here"))
    }
  }

  #if !canImport(Darwin)
  @Test func `talks over TLS with a server of a trusted authority, and with no other`() async throws
  {
    try await WebSocketServer.run { server in
      let authority = server.authority.certificate
      let trusting = Client { $0.transport = CurlTransport { $0.trust = .file(authority) } }
      let socket = self.socket(trusting, at: server.secure)
      var iterator = socket.makeAsyncIterator()
      for number in 0..<1_000 {
        try await socket.send("\(number)")
        #expect(try await iterator.next() == .text("\(number)"))
      }
      await socket.close()
      #expect(socket.closure?.code == .normal)

      let doubting = self.socket(at: server.secure)
      let error = await #expect(throws: FreshetError.self) { for try await _ in doubting {} }
      #expect(error?.kind == "insecure")
    }
  }
  #endif
}
