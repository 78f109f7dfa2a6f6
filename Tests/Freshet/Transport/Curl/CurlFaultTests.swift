#if !canImport(Darwin)
import Foundation
import Freshet
import Glibc
import TestSupport
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlFaultTests {
  @Test func `a body that ends before its length is truncated, after its bytes`() async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.failure == .truncated)
    #expect(answer.text == "hello")
  }

  @Test func `chunks without an end are truncated`() async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.failure == .truncated)
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"])
  func `a reset loses the connection`(bytes: String) async throws {
    let hasRead = Latch()
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write(bytes)
      if !bytes.isEmpty { hasRead.block() }
      connection.reset()
    }

    let error = await thrown {
      for try await event in CurlTransport().send(try Request(.get, server.base + "/")) {
        if case .body = event { hasRead.open() }
      }
    }

    #expect(error?.failure == .lost)
  }

  @Test func `a connection that closes without a response is lost`() async throws {
    let server = try reply("")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.failure == .lost)
  }

  @Test(arguments: [false, true])
  func `a connection that ends within its handshake is lost, and not insecure`(
    isReset: Bool
  ) async throws {
    let server = try RawServer { connection in
      _ = connection.read(100)
      if isReset { connection.reset() } else { connection.end() }
    }
    let url = server.base.replacing("http:", with: "https:") + "/"

    let answer = await CurlTransport { $0.proxy = .none }.answer(try Request(.get, url))

    #expect(answer.error?.failure == .lost)
  }

  @Test func `a client's key with a password fails the request, which asks for none`() async throws
  {
    await #expect(processExitsWith: .success) {
      // Without a terminal, OpenSSL asks the standard input.
      setsid()
      var ends: [Int32] = [-1, -1]
      let password = Array("sesame\n".utf8)
      guard pipe(&ends) == 0, dup2(ends[0], STDIN_FILENO) == 0,
        write(ends[1], password, password.count) == password.count
      else { exit(EXIT_FAILURE) }
      let folder = try TemporaryDirectory()
      let certificate = folder.url.appending(path: "certificate.pem")
      let key = folder.url.appending(path: "key.pem")
      try Data(Self.certificate.utf8).write(to: certificate)
      try Data(Self.lockedKey.utf8).write(to: key)
      let server = try RawServer { connection in _ = connection.read(100) }
      let url = server.base.replacing("http:", with: "https:") + "/"
      let transport = CurlTransport {
        $0.proxy = .none
        $0.identity = CurlTransport.Identity(certificate: certificate, key: key)
      }

      let answer = await transport.answer(try Request(.get, url))

      exitTest(answer.error?.kind == "insecure", removing: folder.url)
    }
  }

  @Test func `a host to which there is no way is unreachable, so that the request is offline`()
    async throws
  {
    // Nothing can be connected to all hosts of a network.
    let request = try Request(.get, "http://255.255.255.255:81/")

    let answer = await CurlTransport { $0.proxy = .none }.answer(request)

    #expect(answer.error?.failure == .unreachable)
    #expect(answer.error?.isOffline == true)
  }

  @Test func `an old response with a transfer coding is the last one of its connection`()
    async throws
  {
    let connections = Seen<Int>()
    let server = try RawServer { connection in
      connections.add(1)
      while connection.readHead() != nil {
        connection.write(
          "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        )
      }
    }
    let transport = CurlTransport { $0.proxy = .none }
    let request = try Request(.get, server.base + "/")

    for _ in 0..<2 { #expect(await transport.answer(request).text == "ok") }

    #expect(connections.values.count == 2)
  }

  @Test(arguments: [200, 417])
  func `a body that no consent was given to is not made of the next request`(
    status: Int
  ) async throws {
    let bodies = Seen<String>()
    let server = try RawServer { connection in
      while let head = connection.readHead() {
        guard head.contains("Expect") else {
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          continue
        }
        connection.write("HTTP/1.1 \(status) Status\r\nContent-Length: 2\r\n\r\nno")
        bodies.add(String(decoding: connection.read(10), as: UTF8.self))
      }
    }
    let transport = CurlTransport { $0.proxy = .none }
    var request = try Request(.put, server.base + "/")
    request.headers["Expect"] = "100-continue"
    request.body = .bytes(Data(count: 10))
    var next = try Request(.get, server.base + "/")
    next.timeouts.firstByte = .seconds(20)

    #expect(await transport.answer(request).error == nil)
    #expect(await transport.answer(next).text == "ok")
    #expect(!bodies.values.contains { $0.contains("GET") })
  }

  @Test func `a connection of HTTP2 that closes without a response is lost`() async throws {
    let server = try reply("")
    let transport = CurlTransport { $0.networkProtocol = .http2PriorKnowledge }

    let answer = await transport.answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.failure == .lost)
  }

  @Test(arguments: [0, 1, 2, 3])
  func `a transport that starts without descriptors works when some are available`(
    spare: Int
  ) async {
    await #expect(processExitsWith: .success) { [spare] in
      alarm(60)
      let transport = CurlTransport { $0.proxy = .none }
      let refused = try Request(.get, "http://127.0.0.1:1/")

      let first = await Scarcity.leaving(spare) { await transport.answer(refused) }
      // It would lose its own descriptors before.
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      let next = await transport.answer(try Request(.get, server.base + "/"))

      let isRight = first.error?.kind == "connection" && next.text == "ok"
      exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `a request for which there is no descriptor has not been refused`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let server = try reply("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
      let transport = CurlTransport { ($0.proxy, $0.loops) = (.none, 1) }
      let refused = await transport.answer(try Request(.get, "http://127.0.0.1:1/"))
      let request = try Request(.get, server.base + "/")

      let failed = await Scarcity.leaving(0) { await transport.answer(request) }
      let next = await transport.answer(request)

      let isRight =
        refused.error?.failure == .refused && next.error == nil
        && failed.error?.failure == .other("socket failed: Too many open files")
      exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `a Unix socket for which too many wait has refused`() async throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "a.sock")
    let listener = unixSocket()
    defer { close(listener) }
    try #require(at(file, listener, bind) == 0 && listen(listener, 0) == 0)
    var waiting: [Int32] = []
    defer { for descriptor in waiting { close(descriptor) } }
    repeat { waiting.append(unixSocket()) } while at(file, waiting[waiting.count - 1], connect) == 0

    let answer = await CurlTransport { $0.unixSocket = file }
      .answer(try Request(.get, "http://a.invalid/"))

    #expect(answer.error?.failure == .refused)
  }

  @Test func `a loop that can no longer wait ends its exchanges, and the next one gets a new loop`()
    async
  {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let transport = CurlTransport { $0.proxy = .none }
      let hasRead = Latch()
      let silent = try RawServer { connection in
        _ = connection.readHead()
        hasRead.open()
        _ = connection.readHead()
      }
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      let before = Scarcity.pollDescriptors()
      let request = try Request(.get, silent.base + "/")
      let active = Task { await transport.answer(request) }
      hasRead.block()
      for descriptor in Scarcity.pollDescriptors().subtracting(before) {
        // In the place of a closed one, another thread could open something.
        let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(other, descriptor)
        close(other)
      }
      // It wakes the loop.
      let second = await transport.answer(try Request(.get, silent.base + "/"))
      let first = await active.value
      let next = await transport.answer(try Request(.get, server.base + "/"))

      let isRight =
        first.error?.kind == "connection" && second.error?.kind == "connection"
        && next.text == "ok"
      exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `jobs on a loop that can no longer wait run elsewhere, or on a new loop`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let transport = CurlTransport { $0.proxy = .none }
      let before = Scarcity.pollDescriptors()
      let sum = await withTaskExecutorPreference(transport.taskExecutor) {
        let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
        for descriptor in Scarcity.pollDescriptors().subtracting(before) {
          dup2(other, descriptor)
        }
        close(other)
        var sum = 0
        // Each comes back from another thread.
        for number in 0..<100 { sum += await Task.detached { number }.value }
        return sum
      }

      exit(sum == 4950 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `a port without a listener is refused`() async throws {
    let port = try reply("").port
    let answer = await CurlTransport()
      .answer(try Request(.get, "http://127.0.0.1:1/?secret=\(port)"))

    #expect(answer.error?.failure == .refused)
    #expect(!"\(String(describing: answer.error))".contains("secret"))
  }

  @Test func `a host without an address is unknown`() async throws {
    let answer = await CurlTransport().answer(try Request(.get, "http://nobody.invalid/"))

    #expect(answer.error?.failure == .unknownHost)
  }

  @Test(arguments: ["SSH-2.0-x\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "hello, I am no server\r\n\r\n"])
  func `bytes that are not HTTP are an invalid response`(bytes: String) async throws {
    let server = try reply(bytes)

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.kind == "invalidResponse")
  }

  @Test func `a broken encoding is an invalid response`() async throws {
    let server = try reply(
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"
    )

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.kind == "invalidResponse")
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"])
  func `an encoded body that ends too early is invalid`(
    coding: String
  ) async throws {
    let whole = EncodedText.encoded(coding)
    let body = whole.prefix(whole.count * 2 / 3)
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n")
      connection.write("Content-Length: \(body.count)\r\n\r\n")
      connection.write(body)
    }

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.kind == "invalidResponse")
  }

  @Test func `bytes after an encoded body make the response invalid`() async throws {
    let body = EncodedText.encoded("gzip") + Data("noise".utf8)
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
      connection.write("Content-Length: \(body.count)\r\n\r\n")
      connection.write(body)
    }

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.kind == "invalidResponse")
  }

  @Test func `a transfer coding that was not requested is refused within the limits`() async throws
  {
    let server = try reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.kind == "invalidResponse")
  }

  @Test(arguments: ["Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2, 3"])
  func `a response with two lengths is the last one on its connection`(fields: String) async throws
  {
    let server = try RawServer { connection in
      for _ in 0..<2 where connection.readHead() != nil {
        connection.write("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nok")
      }
    }
    let transport = CurlTransport()

    for _ in 0..<2 {
      #expect(await transport.answer(try Request(.get, server.base)).error != nil)
      #expect(server.waitForConnections())
    }
  }

  @Test func `the answer to a HEAD in an unknown coding is its head`() async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\n\r\n")

    let answer = await CurlTransport().answer(try Request(.head, server.base + "/"))

    #expect(answer.error == nil)
  }

  @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 100 Continue\r\n\r\n"])
  func `a connection that closes in the head is an error`(bytes: String) async throws {
    let server = try reply(bytes)

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.failure == .lost)
  }

  @Test(arguments: [nil, "hello"])
  func `the sixth request of a handle replaces a closed connection`(
    body: String?
  )
    async throws
  {
    let server = try RawServer { connection in
      _ = connection.readHead()
      _ = connection.read(body?.utf8.count ?? 0)
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
      // It seems to be open until it is used again.
      _ = connection.readHead()
    }
    let transport = CurlTransport()
    var request = try Request(body == nil ? .get : .put, server.base + "/")
    request.body = body.map { .text($0) }

    for _ in 0..<30 {
      let answer = await transport.answer(request)
      #expect(answer.text == "a", "\(String(describing: answer.error))")
    }
  }

  @Test(arguments: ["200 OK\r\nContent-Length: 2\r\n\r\nok", "204 No Content\r\n\r\n"])
  func `a response before the body is read is delivered`(
    answer: String
  ) async throws {
    let isAnswered = Latch()
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 \(answer)")
      isAnswered.block()
    }
    var request = try Request(.post, server.base + "/")
    request.body = .bytes(Data(count: 32 << 20))
    request.timeouts.idle = .seconds(20)

    let result = await CurlTransport().answer(request)
    isAnswered.open()

    #expect(result.error == nil)
    #expect(result.text == (answer.hasPrefix("200") ? "ok" : ""))
  }

  /// Makes a request whose body has one chunk, and ends with the continuation.
  private func silentRequest(
    to server: RawServer
  ) throws -> (Request, AsyncThrowingStream<Data, any Error>.Continuation) {
    let (source, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
    continuation.yield(Data("hello".utf8))
    var request = try Request(.post, server.base + "/")
    request.body = .stream { source }
    request.timeouts.total = .seconds(120)
    return (request, continuation)
  }

  @Test(arguments: [
    "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok",
    "200 OK\r\nContent-Length: 100\r\n\r\nok",
    "403 No\r\nConnection: close\r\nContent-Length: 100\r\n\r\nok",
  ])
  func `a response is cut off although the source of the request's body is silent`(
    answer: String
  ) async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      _ = connection.read("5\r\nhello\r\n".utf8.count)
      connection.write("HTTP/1.1 \(answer)")
    }
    let (request, continuation) = try silentRequest(to: server)

    let result = await CurlTransport().answer(request)
    continuation.finish()

    #expect(result.error?.failure == .truncated, "\(String(describing: result.error))")
  }

  @Test(arguments: [
    "", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n",
  ])
  func `a connection without a response is lost while the source of the request's body is silent`(
    bytes: String
  ) async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      _ = connection.read("5\r\nhello\r\n".utf8.count)
      connection.write(bytes)
    }
    let (request, continuation) = try silentRequest(to: server)

    let result = await CurlTransport().answer(request)
    continuation.finish()

    #expect(result.error?.failure == .lost, "\(String(describing: result.error))")
  }

  @Test func `a kept connection that closes is replaced although the source of the body is silent`()
    async throws
  {
    let bodies = Seen<Data>()
    let server = try RawServer { connection in
      guard connection.readHead()?.hasPrefix("GET ") == true else {
        bodies.add(connection.readChunks())
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        return
      }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
      _ = connection.readHead()
      _ = connection.read("5\r\nhello\r\n".utf8.count)
    }
    let transport = CurlTransport { $0.proxy = .none }
    #expect(await transport.answer(try Request(.get, server.base + "/")).text == "a")
    let (silent, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
    continuation.yield(Data("hello".utf8))
    let attempts = Seen<Int>()
    var request = try Request(.put, server.base + "/")
    request.body = .stream(isReplayable: true) {
      attempts.add(1)
      guard attempts.values.count > 1 else { return silent }
      return AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data("hello".utf8))
        continuation.finish()
      }
    }
    request.timeouts.total = .seconds(120)

    let result = await transport.answer(request)
    continuation.finish()

    #expect(result.text == "ok", "\(String(describing: result.error))")
    #expect(bodies.values == [Data("hello".utf8)])
  }

  @Test(arguments: [
    "403 No\r\nConnection: close\r\nTransfer-Encoding: chunked", "403 No\r\nConnection: close",
    "200 OK\r\nTransfer-Encoding: chunked", "200 OK\r\nConnection: close",
  ])
  func `a response ends while the source of the request's body is silent`(head: String) async throws
  {
    let isHeadRead = Latch()
    let server = try RawServer { connection in
      _ = connection.readHead()
      _ = connection.read("5\r\nhello\r\n".utf8.count)
      connection.write("HTTP/1.1 \(head)\r\n\r\n")
      isHeadRead.block()
      connection.write(head.contains("chunked") ? "2\r\nok\r\n0\r\n\r\n" : "ok")
      if head.contains("200 OK\r\nTransfer") { _ = connection.waitForEnd() }
    }
    let (request, continuation) = try silentRequest(to: server)

    var body = Data()
    for try await event in CurlTransport().send(request) {
      switch event {
      case .head: isHeadRead.open()
      case .body(let chunk): body += chunk
      default: break
      }
    }
    continuation.finish()

    #expect(body == Data("ok".utf8))
  }

  @Test(arguments: [
    ("Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", "invalidResponse"),
    (
      String(repeating: "X: \(String(repeating: "x", count: 1_000))\r\n", count: 900),
      "limitExceeded"
    ),
  ])
  func `an invalid response after a reset of a kept connection is invalid`(
    answer: String,
    kind: String
  ) async throws {
    let server = try RawServer { connection in
      guard connection.readHead()?.hasPrefix("GET /kept ") == true else {
        connection.write("HTTP/1.1 200 OK\r\n\(answer)")
        _ = connection.waitForEnd()
        return
      }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
      _ = connection.readHead()
      connection.reset()
    }
    let transport = CurlTransport()
    var request = try Request(.get, server.base + "/")
    request.limits.headerBytes = 2 << 20

    for _ in 0..<2 {
      #expect(await transport.answer(try Request(.get, server.base + "/kept")).text == "a")
      #expect(await transport.answer(request).error?.kind == kind)
    }
  }

  @Test func `a request replaces many closed connections`() async throws {
    let count = 20
    let (arrived, isFull) = (DispatchSemaphore(value: 0), Latch())
    let server = try RawServer { connection in
      _ = connection.readHead()
      arrived.signal()
      isFull.block()
      isFull.open()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
      // It seems to be open until it is used again.
      _ = connection.readHead()
    }
    let transport = CurlTransport { $0.maximumConnectionsPerHost = count }
    let request = try Request(.get, server.base + "/")
    Thread.detachNewThread {
      for _ in 0..<count { arrived.wait() }
      isFull.open()
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { _ = await transport.answer(request) } }
    }

    #expect(await transport.answer(request).text == "a")
  }

  @Test func `a response that nothing requested is not the next request's`() async throws {
    let (isAnswered, isEnded) = (Latch(), Latch())
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
      isAnswered.block()
      connection.write("HTTP/1.1 408 Late\r\nContent-Length: 4\r\n\r\nevil")
      if connection.waitForEnd() { isEnded.open() }
    }
    let transport = CurlTransport()

    _ = await transport.answer(try Request(.get, server.base + "/"))
    isAnswered.open()
    #expect(await isEnded.wait())
    isAnswered.open()
    let answer = await transport.answer(try Request(.get, server.base + "/"))

    #expect(answer.text == "a")
  }

  @Test func `a proxy that refuses is a failure of the proxy`() async throws {
    let server = try reply("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
    let proxy = try #require(URL(string: server.base))
    let transport = CurlTransport { $0.proxy = .url(proxy) }

    let answer = await transport.answer(try Request(.get, "https://example.invalid/"))

    #expect(answer.error?.failure == .proxy)
  }

  @Test func `replaces a connection that its server has closed`() async throws {
    let closed = Latch()
    let server = try RawServer { connection in
      _ = connection.readHead()
      _ = connection.read(5)
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
      connection.end()
      closed.open()
    }
    let transport = CurlTransport()
    var request = try Request(.post, server.base + "/")
    request.body = .text("hello")

    _ = await transport.answer(request)
    await closed.wait()
    let answer = await transport.answer(request)

    #expect(answer.text == "a")
  }
}

@Suite(.timeLimit(.minutes(5))) struct CurlLimitTests {
  @Test func `refuses a head with too many fields`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n")
      while connection.write(String(repeating: "X: 1\r\n", count: 100)) {}
    }

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.limit == .headerCount(1_000))
  }

  @Test func `refuses a head of too many bytes`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n")
      while connection.write("X: \(String(repeating: "x", count: 10_000))\r\n") {}
    }

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.limit == .headerBytes(256 * 1024))
  }

  @Test(arguments: [(100, true), (1_000, false)])
  func `a head can have as many bytes as the limit`(limit: Int, isRefused: Bool) async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 200))\r\n\r\n")
    var request = try Request(.get, server.base + "/")
    request.limits.headerBytes = limit

    let answer = await CurlTransport().answer(request)

    #expect(answer.error?.limit == (isRefused ? .headerBytes(100) : nil))
  }

  @Test func `a head that arrives line by line has no longer than any other`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n")
      while connection.write("X: 1\r\n") { usleep(20_000) }
    }
    var request = try Request(.get, server.base + "/")
    request.timeouts.firstByte = .milliseconds(300)

    let answer = await CurlTransport().answer(request)

    #expect(answer.error == .timedOut(.firstByte, url: server.base + "/"))
  }

  // libcurl before 8.1.1 appends it to a field of the response before, which is free by then.
  @Test func `a field that begins in an earlier response ends nothing but its own`() async throws {
    let good = try reply("HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 3\r\n\r\nold")
    let bad = try reply("HTTP/1.1 200 OK\r\n Y: 2\r\nContent-Length: 3\r\n\r\nnew")
    let transport = CurlTransport()

    for _ in 0..<20 {
      let before = await transport.answer(try Request(.get, good.base + "/"))
      #expect(before.text == "old")
      let answer = await transport.answer(try Request(.get, bad.base + "/"))
      #expect(answer.error?.kind == "invalidResponse")
    }
  }

  @Test func `refuses endless interim responses`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      while connection.write("HTTP/1.1 102 Wait\r\nX: 1\r\n\r\n") {}
    }

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.kind == "limitExceeded")
  }

  @Test(arguments: [(4, true), (5, false)])
  func `a body can be as large as the limit`(limit: Int64, isRefused: Bool) async throws {
    let server = try reply("HTTP/1.1 200 OK\r\n\r\nhello")
    var request = try Request(.get, server.base + "/")
    request.limits.bodyBytes = limit

    let answer = await CurlTransport().answer(request)

    #expect(answer.error?.limit == (isRefused ? .bodyBytes(4) : nil))
  }

  @Test func `refuses a body that expands beyond the ratio`() async throws {
    let bomb = try await zeros(mebibytes: 256)
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
      connection.write("Content-Length: \(bomb.count)\r\n\r\n")
      connection.write(bomb)
      _ = connection.waitForEnd()
    }
    var count = 0

    let error = await thrown {
      for try await event in CurlTransport().send(try Request(.get, server.base + "/")) {
        if case .body(let data) = event { count += data.count }
      }
    }

    #expect(error?.limit == .decompressionRatio(100))
    #expect(count < 80 << 20)
  }
}

@Suite(.timeLimit(.minutes(5))) struct CurlTimeoutTests {
  @Test func `a missing head times out`() async throws {
    let server = try RawServer { connection in _ = connection.waitForEnd() }
    var request = try Request(.get, server.base + "/")
    request.timeouts.firstByte = .milliseconds(200)

    #expect(await CurlTransport().answer(request).error?.phase == .firstByte)
  }

  @Test func `a body that stops times out`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
      _ = connection.waitForEnd()
    }
    var request = try Request(.get, server.base + "/")
    request.timeouts.idle = .milliseconds(200)

    let answer = await CurlTransport().answer(request)

    #expect(answer.error?.phase == .idle)
    #expect(answer.text == "hello")
  }

  @Test func `the idle time begins with the head, for which the wait may be longer`() async throws {
    let server = try RawServer { connection in
      guard connection.readHead() != nil else { return }
      usleep(6_500_000)
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      usleep(300_000)
      connection.write("ok")
    }
    var request = try Request(.get, server.base + "/")
    request.timeouts.idle = .seconds(6)

    #expect(await CurlTransport().answer(request).text == "ok")
  }

  @Test func `a call that never ends times out`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      while connection.write("x") {}
    }
    var request = try Request(.get, server.base + "/")
    request.timeouts.total = .milliseconds(200)

    #expect(await CurlTransport().answer(request).error?.phase == .total)
  }

  @Test func `a connection that is not made times out`() async throws {
    // The proxy takes the connection and never answers.
    let server = try RawServer { connection in _ = connection.waitForEnd() }
    let proxy = try #require(URL(string: server.base))
    var request = try Request(.get, "https://example.invalid/")
    request.timeouts.connect = .milliseconds(200)

    let answer = await CurlTransport { $0.proxy = .url(proxy) }.answer(request)

    #expect(answer.error?.phase == .connect)
  }

  @Test func `a slow upload is no idle time`() async throws {
    let echo = try Echo()
    var request = try Request(.post, echo.base + "/")
    request.timeouts.firstByte = .seconds(6)
    request.body = .stream {
      AsyncThrowingStream { continuation in
        Thread.detachNewThread {
          Thread.sleep(forTimeInterval: 7)
          continuation.yield(Data("hello".utf8))
          continuation.finish()
        }
      }
    }

    #expect(await CurlTransport().answer(request).text == "hello")
  }

  @Test func `a slow reader is no idle time`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n")
      connection.write(Data(count: 2_000_000))
      _ = connection.waitForEnd()
    }
    var request = try Request(.get, server.base + "/")
    request.timeouts.idle = .seconds(6)
    var count = 0

    for try await event in CurlTransport({ $0.window = 65_536 }).send(request) {
      guard case .body(let data) = event else { continue }
      if count == 0 { await pause(milliseconds: 7_500) }
      count += data.count
    }

    #expect(count == 2_000_000)
  }
}

extension CurlFaultTests {
  /// A certificate of the key.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBbzCCARWgAwIBAgIUeirIJRpFSm+HBUMRMoOhXItKl0cwCgYIKoZIzj0EAwIw
    DDEKMAgGA1UEAwwBYTAgFw0yNjExMzAxNDM5MjNaGA8yMTI2MTEwNjE0MzkyM1ow
    DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABA1pJJfvDGW/
    nAvCcbbfPlRecmEFEONx2uPkSF/fuG8Vndtq6w+v0BafCq3Y4G+AVroiMwh6vSC5
    xyaQ/85ryEKjUzBRMB0GA1UdDgQWBBSj+73EkpIpqK1+RQ9trylSvpoHuDAfBgNV
    HSMEGDAWgBSj+73EkpIpqK1+RQ9trylSvpoHuDAPBgNVHRMBAf8EBTADAQH/MAoG
    CCqGSM49BAMCA0gAMEUCIQCI+DnY2x5FPkcXxXd0/R/qLsw6HGfspyx3gU/HorCw
    nAIgDZMO14iDxoldIiGHkCorrZHqvUfwozuk+RZEOuw2Zkw=
    -----END CERTIFICATE-----

    """

  /// A key for curves, with the password "sesame".
  private static let lockedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhpKMmWxGxFVgICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFTe0Lho039XRTrNezNaq4QEgZCw
    4/c0VVw3pR8rzn4fL3l48SKeZDflDPmGB+iwJl4LS2/tIoRfJxaCujBPLRqeTcyS
    paukKc2RLwTJzM8pC86BjIcV41AD4/n2yUuhlzr2C5SNF8jELzlCN80wtLO1E4IE
    xOiiWeW8NED5ByxYh5X1Mt8MtIV2krL1W7oR4tyjVxpPGb+zRN6iqjC+zh8Ub1c=
    -----END ENCRYPTED PRIVATE KEY-----

    """
}

private func unixSocket() -> Int32 {
  socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
}

/// Binds a socket to a path, or connects it.
private func at(
  _ file: URL,
  _ descriptor: Int32,
  _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: file.path.utf8) }
  return withUnsafePointer(to: address) { address in
    address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}

private func reply(_ bytes: String) throws -> RawServer {
  try RawServer { connection in
    _ = connection.readHead()
    connection.write(bytes)
  }
}

private func pause(milliseconds: Int) async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global()
      .asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
        continuation.resume()
      }
  }
}

/// That many bytes of zero, by the system's gzip.
private func zeros(mebibytes: Int) async throws -> Data {
  let command = "head -c \(mebibytes << 20) /dev/zero | gzip -c"
  return try await ProgramRun("/bin/sh", ["-c", command]).output
}

extension FreshetError {
  var failure: ConnectionFailure? {
    if case .connection(let failure, _) = self { failure } else { nil }
  }

  fileprivate var limit: Limit? {
    if case .limitExceeded(let limit, _) = self { limit } else { nil }
  }

  fileprivate var phase: TimeoutPhase? {
    if case .timedOut(let phase, _) = self { phase } else { nil }
  }
}
#endif
