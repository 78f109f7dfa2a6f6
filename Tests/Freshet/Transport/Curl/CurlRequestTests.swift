#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlRequestTests {
  @Test func `a pipe at the path of a body is refused, and not waited for`() async throws {
    let pipe = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    #expect(mkfifo(pipe.path, 0o600) == 0)
    defer { unlink(pipe.path) }
    var request = try Request(.post, "http://127.0.0.1:9/")
    request.body = .file(pipe)

    #expect(await CurlTransport().answer(request).error?.kind == "file")
  }

  @Test func `sends the body after an upload that its server has cut short`() async throws {
    let server = try RawServer { connection in
      guard let head = connection.readHead() else { return }
      guard head.hasPrefix("PUT") else {
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.write("1\r\na\r\n0\r\n\r\n")
        return
      }
      let body = String(decoding: connection.read(5), as: UTF8.self)
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    let transport = CurlTransport()
    let (silence, source) = AsyncThrowingStream.makeStream(of: Data.self)
    var cutShort = try Request(.post, server.base + "/")
    cutShort.body = .stream { silence }
    var upload = try Request(.put, server.base + "/")
    upload.body = .text("hello")
    upload.timeouts.firstByte = .seconds(60)

    #expect(await transport.answer(cutShort).text == "a")
    #expect(await transport.answer(upload).text == "hello")
    source.finish()
  }

  @Test func `a body's failure is told by its type, whatever it says`() async throws {
    struct Failure: Error, CustomStringConvertible { let description = "?token=secret" }
    let echo = try Echo()
    var request = try Request(.post, echo.base + "/")
    request.body = .stream {
      AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Failure()) }
    }

    let error = try #require(await CurlTransport().answer(request).error)
    #expect(error.kind == "invalidRequest")
    #expect(error.description.contains("Failure"))
    #expect(!error.description.contains("secret"))
  }

  @Test func `sends nothing before it is iterated`() async throws {
    let echo = try Echo()
    let transfer = CurlTransport().send(try Request(.get, echo.base + "/"))
    _ = transfer.makeAsyncIterator()

    for try await _ in transfer {}

    #expect(echo.heads.values.count == 1)
  }

  @Test func `sends method, target and fields unchanged`() async throws {
    let echo = try Echo()
    var request = try Request(HTTPMethod("PROPFIND"), echo.base + "/a/../b%20c?q=%2F#part")
    request.headers = ["X-Empty": "", "X-Two": "1", "Host": "other.test", "User-Agent": "me"]
    request.headers.add("2", for: "X-Two")

    _ = await CurlTransport().answer(request)

    let head = try #require(echo.heads.values.first)
    #expect(head.hasPrefix("PROPFIND /a/../b%20c?q=%2F HTTP/1.1\r\n"))
    for line in ["X-Empty:", "X-Two: 1", "X-Two: 2", "Host: other.test", "User-Agent: me"] {
      #expect(head.contains("\r\n\(line)\r\n"))
    }
  }

  @Test(arguments: ["http", "HTTP"])
  func `names the requested host and its port`(scheme: String) async throws {
    let echo = try Echo()
    let port = try #require(URL(string: echo.base)?.port)
    let transport = CurlTransport { $0.addresses = ["a.example:\(port)": "127.0.0.1"] }

    for host in ["127.0.0.1", "a.example"] {
      _ = await transport.answer(try Request(.get, "\(scheme)://\(host):\(port)/"))
    }

    #expect(echo.heads.values.count == 2)
    for (head, host) in zip(echo.heads.values, ["127.0.0.1", "a.example"]) {
      #expect(head.contains("\r\nHost: \(host):\(port)\r\n"))
    }
  }

  @Test func `names itself and its encodings`() async throws {
    let echo = try Echo()

    _ = await CurlTransport().answer(try Request(.get, echo.base + "/"))

    let head = try #require(echo.heads.values.first)
    #expect(head.contains("\r\nUser-Agent: Freshet/0.1\r\n"))
    #expect(head.contains("\r\nAccept-Encoding: "))
  }

  @Test func `refuses a User-Agent that would add a field`() async throws {
    let echo = try Echo()
    let transport = CurlTransport { $0.userAgent = "me\r\nX-Other: 1" }

    let answer = await transport.answer(try Request(.get, echo.base + "/"))

    #expect(answer.error?.kind == "invalidRequest")
    #expect(echo.heads.values.isEmpty)
  }

  @Test func `requests no encoding of a part`() async throws {
    let echo = try Echo()
    var request = try Request(.get, echo.base + "/")
    request.headers[.range] = "bytes=5-"

    _ = await CurlTransport().answer(request)

    #expect(echo.heads.values.first?.contains("Accept-Encoding") == false)
  }

  @Test func `names the field that holds a control character, and sends nothing`() async throws {
    let echo = try Echo()
    var request = try Request(.get, echo.base + "/")
    request.headers["X-Note"] = "a\r\nX-Evil: secret"

    let answer = await CurlTransport().answer(request)

    guard case .invalidRequest(let reason, _) = answer.error else {
      Issue.record("It was sent.")
      return
    }
    #expect(reason.contains("X-Note"))
    #expect(!reason.contains("secret"))
    #expect(echo.heads.values.isEmpty)
  }

  @Test(arguments: [HTTPMethod.post, .put, .patch, .query])
  func `a method that carries a body announces an empty one`(method: HTTPMethod) async throws {
    let echo = try Echo()

    _ = await CurlTransport().answer(try Request(method, echo.base + "/"))

    #expect(echo.heads.values.first?.contains("\r\nContent-Length: 0\r\n") == true)
    #expect(echo.heads.values.first?.contains("Content-Type") == false)
  }

  @Test(arguments: [HTTPMethod.post, .put, .patch, .get, .delete])
  func `sends bytes with any method`(method: HTTPMethod) async throws {
    let echo = try Echo()
    var request = try Request(method, echo.base + "/")
    request.body = .bytes(Data("hello".utf8), contentType: .json)
    request.headers = ["Content-Length": "5"]

    let answer = await CurlTransport().answer(request)

    let head = try #require(echo.heads.values.first)
    #expect(head.hasPrefix(method.rawValue + " "))
    #expect(head.components(separatedBy: "\r\nContent-Length: 5\r\n").count == 2)
    #expect(head.contains("\r\nContent-Type: application/json\r\n"))
    #expect(!head.contains("Expect"))
    #expect(answer.text == "hello")
    #expect(answer.metrics?.bytesSent == 5)
  }

  @Test func `sends a slice of data as it is`() async throws {
    let echo = try Echo()
    var request = try Request(.post, echo.base + "/")
    request.body = .bytes(Data("--hello".utf8).dropFirst(2))

    #expect(await CurlTransport().answer(request).text == "hello")
  }

  @Test func `the request's own content type takes precedence`() async throws {
    let echo = try Echo()
    var request = try Request(.post, echo.base + "/")
    request.body = .text("hello")
    request.headers[.contentType] = "text/x-own"

    _ = await CurlTransport().answer(request)

    #expect(echo.heads.values.first?.contains("text/plain") == false)
    #expect(echo.heads.values.first?.contains("text/x-own") == true)
  }

  @Test func `sends a file and reports the progress`() async throws {
    let echo = try Echo()
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var request = try Request(.put, echo.base + "/")
    request.body = .file(file)

    let answer = await CurlTransport().answer(request)

    #expect(answer.body.elementsEqual(bytes))
    #expect(answer.sent.map(\.completed) == answer.sent.map(\.completed).sorted())
    #expect(answer.sent.last == TransferProgress(completed: 3_000_000, total: 3_000_000))
    #expect(answer.sent.allSatisfy { $0.isSent })
  }

  @Test func `a missing file fails, and nothing is sent`() async throws {
    let echo = try Echo()
    var request = try Request(.put, echo.base + "/")
    request.body = .file(URL(fileURLWithPath: "/nowhere/at/all"))

    let answer = await CurlTransport().answer(request)

    #expect(answer.error?.kind == "file")
    #expect(echo.heads.values.isEmpty)
  }

  @Test func `a HEAD request carries no body`() async throws {
    var request = try Request(.head, "http://127.0.0.1:9/")
    request.body = .text("hello")

    #expect(await CurlTransport().answer(request).error?.kind == "invalidRequest")
  }
}

@Suite(.timeLimit(.minutes(5))) struct CurlStreamedBodyTests {
  @Test(arguments: [nil, 10])
  func `sends chunks as they arrive`(length: Int64?) async throws {
    let echo = try Echo()

    let answer = await CurlTransport()
      .answer(
        try streaming(to: echo, length: length, ["hello", "", "world"])
      )

    #expect(answer.text == "helloworld")
    #expect(answer.sent.last == TransferProgress(completed: 10, total: length))
    let head = try #require(echo.heads.values.first)
    #expect(head.contains("Transfer-Encoding: chunked") == (length == nil))
  }

  @Test(arguments: [4, 9, 11, 100])
  func `a contradicted length fails the request`(length: Int64) async throws {
    let echo = try Echo()

    let answer = await CurlTransport()
      .answer(
        try streaming(to: echo, length: length, ["hello", "world"])
      )

    #expect(answer.error?.kind == "invalidRequest")
    #expect(answer.metrics == nil)
  }

  @Test func `an error of the stream is the error of the transfer`() async throws {
    let echo = try Echo()
    var request = try Request(.post, echo.base + "/")
    request.body = .stream {
      AsyncThrowingStream { continuation in
        continuation.yield(Data("hello".utf8))
        continuation.finish(throwing: FreshetError.noValue)
      }
    }

    #expect(await CurlTransport().answer(request).error?.kind == "noValue")
  }

  @Test func `a stream that stalls ends with its transfer`() async throws {
    let gate = Latch()
    let echo = try Echo()
    var request = try Request(.post, echo.base + "/")
    request.body = .stream {
      AsyncThrowingStream { continuation in
        continuation.onTermination = { _ in gate.open() }
        continuation.yield(Data("hello".utf8))
      }
    }

    for try await event in CurlTransport().send(request) {
      if case .sent = event { break }
    }

    #expect(await gate.wait())
  }
}

@Suite(.timeLimit(.minutes(5))) struct CurlRedirectTests {
  @Test func `sends the body again after 307, without the old origin's secrets`() async throws {
    let target = try Echo()
    let heads = Seen<String>()
    let source = try RawServer { connection in
      guard let head = connection.readHead() else { return }
      heads.add(head)
      _ = connection.read(5)
      connection.write(
        "HTTP/1.1 307 There\r\nLocation: \(target.base)/b\r\nContent-Length: 2\r\n\r\nno"
      )
    }
    var request = try Request(.post, source.base + "/a")
    request.body = .text("hello")
    request.headers = [.authorization: "Bearer 1", .cookie: "a=1", "X-Kept": "1"]

    let answer = await CurlTransport().answer(request)

    #expect(answer.text == "hello")
    #expect(answer.head?.url.absoluteString == target.base + "/b")
    #expect(answer.redirects.map(\.head.status) == [307])
    #expect(heads.values.first?.contains("Bearer 1") == true)
    let head = try #require(target.heads.values.first)
    #expect(head.hasPrefix("POST /b "))
    #expect(head.contains("X-Kept: 1"))
    #expect(!head.contains("Authorization") && !head.contains("Cookie"))
  }
}

private func streaming(to echo: Echo, length: Int64?, _ chunks: [String]) throws -> Request {
  var request = try Request(.post, echo.base + "/")
  request.body = .stream(length: length) {
    AsyncThrowingStream { continuation in
      for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
      continuation.finish()
    }
  }
  return request
}

/// A server that sends the body of each request back.
final class Echo: Sendable {
  let heads = Seen<String>()
  private let server: RawServer

  init() throws {
    server = try RawServer { [heads] connection in
      while let head = connection.readHead() {
        heads.add(head)
        let length = head.firstMatch(of: /Content-Length: (\d+)/)?.1
        let isChunked = head.contains("Transfer-Encoding: chunked")
        let body = isChunked ? connection.readChunks() : connection.read(Int(length ?? "0") ?? 0)
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        connection.write(body)
      }
    }
  }

  var base: String { server.base }
}
#endif
