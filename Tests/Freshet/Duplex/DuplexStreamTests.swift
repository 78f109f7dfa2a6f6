import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5)))
struct DuplexStreamTests {
  private let url = "http://a.example/talk"

  private func client(
    _ transport: ScriptedTransport,
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Client {
    Client {
      $0.transport = transport
      configure(&$0)
    }
  }

  private func request(_ method: HTTPMethod = .post, body: RequestBody? = nil) throws -> Request {
    Request(method, try #require(URL(string: url)), body: body)
  }

  /// Answers with the chunks of the body, as they come.
  private func echo() -> ScriptedTransport {
    ScriptedTransport { _ in
      .duplex(headers: [.contentType: "text/plain"]) { peer in
        for try await chunk in peer { try await peer.send(chunk) }
      }
    }
  }

  @Test func `reads the answer to each message before it sends the next one`() async throws {
    let stream = client(echo()).duplex(try request())
    var chunks = stream.makeAsyncIterator()

    for index in 0..<100 {
      try await stream.send("\(index)")
      #expect(try await chunks.next() == Data("\(index)".utf8))
    }
    stream.finish()
    #expect(try await chunks.next() == nil)
    #expect(try await chunks.next() == nil)
    #expect(try await stream.head.headers[.contentType] == "text/plain")
  }

  @Test func `sends nothing before it is used`() async throws {
    let transport = echo()
    let stream = client(transport).duplex(try request())
    #expect(stream.session.state.read(\.task) == nil)
    #expect(transport.requests.isEmpty)
    stream.finish()
    for try await _ in stream {}
    #expect(transport.requests.count == 1)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a transport that keeps requests is released with its client`() async throws {
    weak var kept: ScriptedTransport?
    do {
      let transport = echo()
      kept = transport
      let stream = client(transport).duplex(try request())
      stream.finish()
      for try await _ in stream {}
      #expect(transport.requests.count == 1)
    }

    // The task of the transfer may have to end.
    while kept != nil, !Task.isCancelled { await Task.yield() }
    #expect(kept == nil)
  }

  @Test func `has the header fields of its client`() async throws {
    let transport = echo()
    let client = client(transport) { $0.headers["X-App"] = "1" }
    let stream = client.duplex(try request())
    stream.finish()
    #expect(try await stream.head.status == 200)
    #expect(transport.requests.first?.headers["X-App"] == "1")
  }

  @Test func `a sender waits for a server that does not read`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { _ in
      .duplex { peer in
        for try await chunk in peer { try await peer.send("\(chunk.count)") }
      }
      .waiting(for: gate, at: .afterChunks(0))
    }
    let stream = client(transport).duplex(try request()) { $0.buffer = 4 << 10 }
    let state = stream.session.state
    let overflow = Task {
      await state.first { state -> Bool? in
        state.outboxBytes > 5 << 10 ? true : state.end.map { _ in false }
      }
    }
    while state.waiterCount == 0 { await Task.yield() }

    let sending = Task {
      for _ in 0..<100 { try await stream.send(Data(count: 1 << 10)) }
      stream.finish()
    }
    await state.wait { $0.outboxBytes >= 4 << 10 }
    gate.open()
    var count = 0
    for try await chunk in stream {
      count += try #require(Int(String(decoding: chunk, as: UTF8.self)))
    }
    try await sending.value
    #expect(count == 100 << 10)
    #expect(await overflow.value == false)
  }

  @Test func `a server waits for a reader that does not ask`() async throws {
    let transport = ScriptedTransport { _ in
      .duplex { peer in
        for _ in 0..<100 { try await peer.send(Data(count: 1 << 10)) }
      }
    }
    let stream = client(transport).duplex(try request()) { $0.buffer = 4 << 10 }
    let state = stream.session.state
    let overflow = Task {
      await state.first { state -> Bool? in
        state.inboxBytes > 5 << 10 ? true : state.end.map { _ in false }
      }
    }
    while state.waiterCount == 0 { await Task.yield() }

    stream.finish()
    await state.wait { $0.inboxBytes >= 4 << 10 }
    // The transfer waits for the reader, or has not waited and is over.
    while state.waiterCount < 2, state.read({ $0.end == nil }) { await Task.yield() }
    var count = 0
    for try await chunk in stream { count += chunk.count }
    #expect(count == 100 << 10)
    #expect(await overflow.value == false)
  }

  @Test func `a failure comes out of both directions, after the bytes before it`() async throws {
    let failure = FreshetError.connection(.lost, url: url)
    let transport = ScriptedTransport { _ in
      .duplex { peer in
        try await peer.send("last words")
        throw failure
      }
    }
    let stream = client(transport).duplex(try request())
    try await stream.send("hello")
    var chunks = stream.makeAsyncIterator()
    #expect(try await chunks.next() == Data("last words".utf8))
    await #expect(throws: failure) { try await chunks.next() }
    #expect(try await chunks.next() == nil)
    await #expect(throws: failure) { try await stream.send("more") }
    #expect(try await stream.head.status == 200)
    #expect(transport.counts.failed == 1)
  }

  @Test func `a failure without a response is that of the head too`() async throws {
    let failure = FreshetError.connection(.refused, url: url)
    let transport = ScriptedTransport(sequence: [.failure(failure)])
    let stream = client(transport).duplex(try request())
    await #expect(throws: failure) { try await stream.head }
    await #expect(throws: failure) { try await stream.send("more") }
    // Each iterator gets it, so that none takes the bytes before it for a whole body.
    for _ in 0..<2 {
      await #expect(throws: failure) { for try await _ in stream {} }
    }
  }

  @Test func `sends nothing behind its end`() async throws {
    let stream = client(echo()).duplex(try request())
    try await stream.send("all")
    stream.finish()
    stream.finish()
    let error = await #expect(throws: FreshetError.self) { try await stream.send("more") }
    #expect(error?.kind == "invalidRequest")
    var body = Data()
    for try await chunk in stream { body += chunk }
    #expect(String(decoding: body, as: UTF8.self) == "all")
  }

  @Test func `sends nothing after the end of the response`() async throws {
    let transport = ScriptedTransport(sequence: [.text("done")])
    let stream = client(transport).duplex(try request())
    for try await _ in stream {}
    await #expect(throws: FreshetError.connection(.lost, url: url)) {
      try await stream.send("more")
    }
  }

  @Test(arguments: ["cancel", "reader", "head", "release"])
  func `ends both directions at once`(how: String) async throws {
    let gate = Gate()
    let body = Watched<FreshetError?>(nil)
    let transport = ScriptedTransport { request in
      .duplex { peer in
        do throws(FreshetError) {
          for try await _ in peer {}
        } catch {
          body.update { $0 = error }
        }
      }
      .waiting(for: gate, at: how == "head" ? .beforeHead : .afterChunks(0))
    }
    var stream: DuplexStream? = client(transport).duplex(try request())
    try await stream?.send("begun")
    await transport.counted { $0.started == 1 }
    if how != "head" {
      gate.open()
      _ = try await stream?.head
    }
    let task = Task { [stream = how == "release" ? nil : stream] in
      if how == "head" { _ = try await stream?.head }
      guard how == "reader", let stream else { return }
      for try await _ in stream {}
    }
    if how == "cancel" { stream?.cancel() } else { task.cancel() }
    let result = await task.result
    if how == "reader" || how == "head" {
      #expect(throws: FreshetError.cancelled) { try result.get() }
      await #expect(throws: FreshetError.cancelled) { try await stream?.send("more") }
    }
    stream = nil
    #expect(await transport.counted { $0.cancelled == 1 })
  }

  @Test func `a cancelled sender leaves the stream and its bytes alone`() async throws {
    let stream = client(echo()).duplex(try request())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await stream.send("not sent")
    }
    let result = await task.result
    #expect(throws: FreshetError.cancelled) { try result.get() }
    try await stream.send("sent")
    stream.finish()
    var body = Data()
    for try await chunk in stream { body += chunk }
    #expect(String(decoding: body, as: UTF8.self) == "sent")
  }

  @Test(arguments: ["send", "finish", "head", "next"])
  func `a cancelled task sends no request`(what: String) async throws {
    let transport = echo()
    let stream = client(transport).duplex(try request())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      switch what {
      case "send": try await stream.send("not sent")
      case "finish": stream.finish()
      case "head": _ = try await stream.head
      default: for try await _ in stream {}
      }
    }
    _ = await task.result
    #expect(stream.session.state.read(\.task) == nil)
    #expect(transport.counts.started == 0)
  }

  @Test func `a client that is shut down ends a stream that nobody reads`() async throws {
    let transport = ScriptedTransport { _ in
      .duplex { peer in
        for _ in 0..<100 { try await peer.send(Data(count: 1 << 10)) }
      }
    }
    let client = client(transport)
    let stream = client.duplex(try request()) { $0.buffer = 4 << 10 }
    stream.finish()
    let state = stream.session.state
    await state.wait { $0.inboxBytes >= 4 << 10 }
    while state.waiterCount == 0 { await Task.yield() }

    await client.shutdown(grace: .zero)

    await state.wait { $0.end != nil }
    var count = 0
    await #expect(throws: FreshetError.cancelled) {
      for try await chunk in stream { count += chunk.count }
    }
    #expect(count == 4 << 10)
  }

  @Test func `an unfinished body does not end when it is cancelled`() async throws {
    let session = DuplexSession(try request(), over: echo(), buffer: 1)
    let reading = Task { try await session.nextPart() }
    session.cancel()
    let result = await reading.result
    #expect(throws: FreshetError.cancelled) { try result.get() }
  }

  @Test func `repeats nothing`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(503, headers: [.retryAfter: "0"], body: Data()), .text("again"),
    ])
    let client = client(transport) { $0.retry = RetryPolicy() }
    let stream = client.duplex(try request(.put))
    stream.finish()
    #expect(try await stream.head.status == 503)
    #expect(transport.counts.started == 1)
  }

  @Test func `a redirect is the response`() async throws {
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(303, headers: [.location: "/other"], body: Data()), .text("other"),
    ])
    let stream = client(transport).duplex(try request())
    #expect(try await stream.head.status == 303)
    stream.finish()
    for try await _ in stream {}
    #expect(transport.counts.started == 1)
  }

  @Test func `refuses a request with a body of its own`() async throws {
    let transport = echo()
    let stream = client(transport).duplex(try request(body: .text("mine")))
    let error = await #expect(throws: FreshetError.self) { try await stream.head }
    #expect(error?.kind == "invalidRequest")
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [.get, .head] as [HTTPMethod])
  func `refuses a method without a body`(method: HTTPMethod) async throws {
    let transport = echo()
    let stream = client(transport).duplex(try request(method))
    let error = await #expect(throws: FreshetError.self) { try await stream.head }
    #expect(error?.kind == "invalidRequest")
    #expect(transport.requests.isEmpty)
  }

  @Test func `a transport that negotiates HTTP/2 requires https for it`() async throws {
    let stream = Client()
      .duplex(try Request(.post, "http://localhost:1/")) {
        $0.requiresHTTP2 = true
      }
    let error = await #expect(throws: FreshetError.self) { try await stream.head }
    #expect(error?.kind == "invalidRequest")
  }

  #if !canImport(Darwin)
  @Test func `a proxy, which is spoken to by HTTP/1.1, does not do for HTTP/2`() async throws {
    let proxy = try #require(URL(string: "http://127.0.0.1:1"))
    let client = Client {
      $0.transport = CurlTransport {
        $0.networkProtocol = .http2PriorKnowledge
        $0.proxy = .url(proxy)
      }
    }
    let stream = client.duplex(try request()) { $0.requiresHTTP2 = true }
    let error = await #expect(throws: FreshetError.self) { try await stream.head }
    #expect(error?.kind == "invalidRequest")
  }
  #endif

  @Test func `describes itself by its request`() throws {
    let stream = client(echo()).duplex(try request())
    #expect(stream.description.hasPrefix("POST http://a.example/talk"))
    #expect(stream.description.contains(".duplex(over: "))
  }
}
