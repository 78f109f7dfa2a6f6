#if !canImport(Darwin)
import Foundation
@testable import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(
  .enabled(if: DuplexServer.isInstalled, "python3-h2 and openssl are not installed"),
  .timeLimit(.minutes(5))
)
struct DuplexTests {
  private func client(
    _ server: DuplexServer,
    _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
  ) throws -> Client {
    let authority = server.authority
    let base = try server.base
    let transport = CurlTransport {
      $0.proxy = .none
      $0.trust = .file(authority)
      configure(&$0)
    }
    return Client {
      $0.transport = transport
      $0.baseURL = base
    }
  }

  private func bytes(_ count: Int, seed: Int = 0) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) })
  }

  /// Reads until a number of bytes has come.
  private func read(
    _ count: Int,
    from chunks: inout DuplexStream.Iterator
  ) async throws -> Data {
    var data = Data()
    while data.count < count, let chunk = try await chunks.next() { data += chunk }
    return data
  }

  @Test func `sends each of a thousand messages after the echo of the one before`() async throws {
    let server = try await DuplexServer()
    let stream = try client(server).duplex(.post("echo"))
    var chunks = stream.makeAsyncIterator()

    #expect(try await stream.head.status == 200)
    for index in 0..<1_000 {
      let message = Data("message \(index)\n".utf8)
      try await stream.send(message)
      #expect(try await read(message.count, from: &chunks) == message)
    }
    stream.finish()
    #expect(try await chunks.next() == nil)
  }

  @Test func `converses over HTTP/1.1 with a server that answers at once`() async throws {
    let server = try await DuplexServer(offering: "http/1.1")
    let stream = try client(server).duplex(.post("echo"))
    var chunks = stream.makeAsyncIterator()
    for index in 0..<100 {
      let message = Data("message \(index)\n".utf8)
      try await stream.send(message)
      #expect(try await read(message.count, from: &chunks) == message)
    }
    stream.finish()
    #expect(try await chunks.next() == nil)
  }

  @Test func `carries long bodies both ways at once, whole and in order`() async throws {
    let server = try await DuplexServer()
    let stream = try client(server).duplex(.post("echo"))
    let parts = (0..<64).map { bytes(100_003, seed: $0) }

    async let sending: Void = {
      for part in parts { try await stream.send(part) }
      stream.finish()
    }()
    var received = Data()
    for try await chunk in stream { received += chunk }
    try await sending
    #expect(received == Data(parts.joined()))
  }

  @Test func `carries conversations over one connection at the same time`() async throws {
    let server = try await DuplexServer()
    let client = try client(server)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let stream = client.duplex(.post("echo"))
          var chunks = stream.makeAsyncIterator()
          for index in 0..<20 {
            let message = Data("\(number): \(index)\n".utf8)
            try await stream.send(message)
            #expect(try await read(message.count, from: &chunks) == message)
          }
          stream.finish()
          #expect(try await chunks.next() == nil)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `answers a server that waits for the whole body`() async throws {
    let server = try await DuplexServer()
    let stream = try client(server).duplex(.post("hears"))
    for _ in 0..<10 { try await stream.send(bytes(50_000)) }
    stream.finish()
    var body = Data()
    for try await chunk in stream { body += chunk }
    #expect(String(decoding: body, as: UTF8.self) == "500000")
  }

  @Test func `stops a sender whose server does not read, without a timeout of the reader`()
    async throws
  {
    let server = try await DuplexServer()
    let stream = try client(server).duplex(.post("deaf"))
    let sent = Watched(0)
    let sending = Task {
      for _ in 0..<1_000 {
        try await stream.send(bytes(16 << 10))
        sent.update { $0 += 16 << 10 }
      }
    }
    // What the server's window, libcurl, the pipe and the stream hold.
    await sent.wait { $0 >= 64 << 10 }
    #expect(try await stream.head.status == 200)
    stream.cancel()
    await #expect(throws: FreshetError.cancelled) { try await sending.value }
    #expect(sent.read { $0 } < 2 << 20)
  }

  @Test func `stops a server whose reader does not ask`() async throws {
    let server = try await DuplexServer()
    let stream = try client(server) { $0.window = 16 << 10 }.duplex(.post("echo"))
    let part = bytes(64 << 10)
    let state = stream.session.state
    // The stream's buffer, and what libcurl has read at once.
    let overflow = Task {
      await state.first { state -> Bool? in
        state.inboxBytes > 512 << 10 ? true : state.end.map { _ in false }
      }
    }
    while state.waiterCount == 0 { await Task.yield() }
    let sending = Task {
      for _ in 0..<400 { try await stream.send(part) }
      stream.finish()
    }
    // Once the sender waits, the server waits for the reader.
    await state.wait { $0.inboxBytes >= 64 << 10 && $0.outboxBytes >= 64 << 10 }
    // The transfer waits as well, or has not waited and is over.
    while state.waiterCount < 3, state.read({ $0.end == nil }) { await Task.yield() }
    var count = 0
    for try await chunk in stream { count += chunk.count }
    try await sending.value
    #expect(count == 400 * 64 << 10)
    #expect(await overflow.value == false)
  }

  @Test func `fails in both directions when the server resets the stream`() async throws {
    let server = try await DuplexServer()
    let stream = try client(server).duplex(.post("resets"))
    try await stream.send("last words")
    let error = await #expect(throws: FreshetError.self) {
      for try await _ in stream {}
    }
    #expect(error?.kind == "connection")
    let sending = await #expect(throws: FreshetError.self) { try await stream.send("more") }
    #expect(sending == error)
  }

  @Test func `ends with a server that does not want the rest of the body`() async throws {
    let server = try await DuplexServer()
    let stream = try client(server).duplex(.post("ends"))
    try await stream.send("enough")
    var body = Data()
    for try await chunk in stream { body += chunk }
    #expect(String(decoding: body, as: UTF8.self) == "enough")
    let error = await #expect(throws: FreshetError.self) { try await stream.send("more") }
    #expect(error?.kind == "connection")
  }

  @Test func `ends after the app when a server stops without a length`() async throws {
    let server = try await DuplexServer()
    var request = Request.post("stops")
    request.timeouts.idle = .seconds(60)
    let stream = try client(server).duplex(request)
    var chunks = stream.makeAsyncIterator()
    try await stream.send("enough")
    #expect(try await read(6, from: &chunks) == Data("enough".utf8))
    stream.finish()
    #expect(try await chunks.next() == nil)
  }

  @Test(arguments: [("refuses", HTTPStatus(403), "no"), ("moves", 303, "")])
  func `delivers an early response of any status as it is`(
    path: String,
    status: HTTPStatus,
    text: String
  ) async throws {
    let server = try await DuplexServer()
    let stream = try client(server).duplex(.post("\(path)"))
    #expect(try await stream.head.status == status)
    var body = Data()
    for try await chunk in stream { body += chunk }
    #expect(String(decoding: body, as: UTF8.self) == text)
  }

  @Test(.timeLimit(.minutes(5)), arguments: ["refuses", "moves"])
  func `ends with a response that arrives before its body is asked for`(path: String) async throws {
    let server = try await DuplexServer()
    let client = try client(server) {
      // The loop goes on once the response has arrived.
      $0.trace = { kind, _ in
        if kind == .requestHead { usleep(300_000) }
      }
    }
    var request = Request.post("\(path)")
    request.timeouts.idle = .seconds(60)
    let stream = client.duplex(request)
    #expect(try await stream.head.status.rawValue >= 300)
    for try await _ in stream {}
  }

  @Test func `reads a body over a connection whose other stream is silent`() async throws {
    let server = try await DuplexServer()
    let client = try client(server) {
      // The loop goes on once the whole response has arrived.
      $0.trace = { kind, _ in
        if kind == .requestHead { usleep(50_000) }
      }
    }
    let silent = client.duplex(.post("deaf"))
    #expect(try await silent.head.status == 200)
    for count in stride(from: 256 << 10, through: 288 << 10, by: 1_000) {
      var request = Request.get("gives/\(count)")
      request.timeouts.idle = .seconds(30)
      #expect(try await client.send(request).value.value.count == count)
    }
    silent.cancel()
  }

  @Test func `requests share a new connection while those to a silent host wait for theirs`()
    async throws
  {
    let server = try await DuplexServer()
    let client = try client(server)
    // It accepts connections, and says nothing.
    let silent = try RawServer { connection in _ = connection.waitForEnd() }
    var request = Request(try #require(URL(string: "https://127.0.0.1:\(silent.port)/")))
    request.timeouts.connect = .seconds(250)
    let waiting = (0..<20).map { [request] _ in Task { try await client.send(request).value } }
    let endless = client.duplex(.post("deaf"))

    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<5 {
        group.addTask {
          var request = Request.get("gives/10")
          request.timeouts.total = .seconds(100)
          return try await client.send(request).value.value.count
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(counts == [10, 10, 10, 10, 10])
    #expect(try await endless.head.status == 200)
    endless.cancel()
    for task in waiting { task.cancel() }
  }

  @Test func `an upload that the server does not read costs no time`() async throws {
    let server = try await DuplexServer()
    let authority = server.authority
    let transport = CurlTransport {
      $0.proxy = .none
      $0.trust = .file(authority)
    }
    var request = Request(try server.base.appending(path: "deaf"))
    request.method = .post
    request.body = .bytes(Data(count: 1 << 20))
    var events = transport.send(request).makeAsyncIterator()
    while let event = try await events.next() {
      if case .head = event { break }
    }

    let used = try await withTaskExecutorPreference(transport.taskExecutor) {
      let before = threadTime()
      try await Task.sleep(for: .seconds(1))
      return threadTime() - before
    }

    #expect(used < .milliseconds(300))
    _ = events
  }

  @Test(arguments: ["cancel", "reader", "release"])
  func `breaks the stream of an unfinished body instead of ending it`(how: String) async throws {
    let server = try await DuplexServer()
    let client = try client(server)
    var stream: DuplexStream? = client.duplex(.post("echo"))
    try await stream?.send("unfinished")
    _ = try await stream?.head
    switch how {
    case "cancel": stream?.cancel()
    case "reader":
      let reading = Task { [stream] in
        guard let stream else { return }
        for try await _ in stream {}
      }
      reading.cancel()
      _ = await reading.result
    default: break
    }
    stream = nil
    let code = try await client.send(.get("broken")).value
    #expect(["5", "8", "closed"].contains(String(decoding: code.value, as: UTF8.self)))
  }

  @Test func `a message that is longer than the window arrives, although nothing follows it`()
    async throws
  {
    let server = try await DuplexServer()
    let stream = try client(server).duplex(.post("echo"))
    let message = Data((0..<70_000).map { UInt8($0 % 251) })
    try await stream.send(message)

    var echo = Data()
    for try await chunk in stream {
      echo += chunk
      if echo.count >= message.count { break }
    }

    let isRight = echo == message
    #expect(isRight, "\(echo.count) bytes")
  }

  @Test func `sends nothing over HTTP/1.1 if HTTP/2 is required`() async throws {
    let server = try await DuplexServer(offering: "http/1.1")
    let isSent = Watched(false)
    let client = try client(server) {
      $0.trace = { kind, _ in
        if kind == .requestHead { isSent.update { $0 = true } }
      }
    }
    let stream = client.duplex(.post("echo")) { $0.requiresHTTP2 = true }
    let error = await #expect(throws: FreshetError.self) { try await stream.head }
    #expect(error?.kind == "connection")
    #expect(!isSent.read { $0 })
    let plain = client.duplex(.post("http://localhost:1/")) { $0.requiresHTTP2 = true }
    let refusal = await #expect(throws: FreshetError.self) { try await plain.head }
    #expect(refusal?.kind == "invalidRequest")
  }

  @Test func `speaks HTTP/2 if that is required and offered`() async throws {
    let server = try await DuplexServer()
    let client = try client(server)
    for _ in 0..<2 {
      let stream = client.duplex(.post("echo")) { $0.requiresHTTP2 = true }
      try await stream.send("hello")
      stream.finish()
      var body = Data()
      for try await chunk in stream { body += chunk }
      #expect(String(decoding: body, as: UTF8.self) == "hello")
    }
  }
}
#endif
