import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct AnswerTests {
  private let request = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"

  private func server(_ answer: LoopbackServer.Answer) throws -> LoopbackServer {
    try LoopbackServer(["/x": answer]) {
      $0.now = { Date(timeIntervalSince1970: 0) }
    }
  }

  private func bytes(_ answer: LoopbackServer.Answer) throws -> String {
    let server = try server(answer)
    let client = RawConnection(to: server.port)
    client.write("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return String(decoding: client.readToEnd(), as: UTF8.self)
  }

  @Test func `chunks are framed and followed by trailers`() throws {
    let text = try bytes(
      .chunked(
        [Data("hello".utf8), Data(), Data("0123456789abcdef".utf8)],
        headers: ["Trailer": "X-Sum"],
        trailers: ["X-Sum": "21"]
      )
    )

    #expect(text.contains("Transfer-Encoding: chunked\r\n"))
    #expect(!text.contains("Content-Length"))
    #expect(
      text.hasSuffix("\r\n\r\n5\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\nX-Sum: 21\r\n\r\n")
    )
  }

  @Test func `a redirect names its target`() throws {
    let server = try server(.redirect(to: "../y", status: 308))
    let response = RawConnection(to: server.port).get("/x")

    #expect(response.statusLine == "HTTP/1.1 308 Permanent Redirect")
    #expect(response["Location"] == "../y")
    #expect(response["Content-Length"] == "0")
  }

  @Test(arguments: [204, 304])
  func `a status without a body has none`(status: Int) throws {
    let text = try bytes(.response(HTTPStatus(status), body: Data("x".utf8)))

    #expect(!text.contains("Content-Length"))
    #expect(text.hasSuffix("\r\n\r\n"))
  }

  @Test func `HEAD gets the head only`() throws {
    let server = try server(.text("hello"))
    let client = RawConnection(to: server.port)

    client.write("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n")

    #expect(client.readResponseHead()["Content-Length"] == "5")
    #expect(client.get("/x").text == "hello")
  }

  @Test func `a truncated body ends early without an error`() throws {
    let server = try server(.text("0123456789").truncated(after: 4))
    let client = RawConnection(to: server.port)

    client.write(request)

    #expect(client.readResponseHead()["Content-Length"] == "10")
    #expect(client.readToEnd() == Data("0123".utf8))
    #expect(client.endReason == 0)
  }

  @Test func `a truncated chunked body ends within a chunk, or without the last one`() throws {
    let chunks = LoopbackServer.Answer.chunked([Data("0123456789".utf8), Data("x".utf8)])

    #expect(try bytes(chunks.truncated(after: 4)).hasSuffix("\r\n\r\na\r\n0123"))
    #expect(try bytes(chunks.truncated(after: 10)).hasSuffix("\r\n\r\na\r\n0123456789\r\n"))
  }

  @Test func `a chunk is one of the coding, however large it is and in whatever pieces it is sent`()
    throws
  {
    let chunk = String(repeating: "x", count: 100_000)
    let answer = LoopbackServer.Answer.chunked([Data(chunk.utf8), Data("y".utf8)])
    let gate = Gate()
    gate.open()

    for answer in [
      answer, answer.held(after: 10, until: gate), answer.dripped(30_000, through: gate),
    ] {
      let text = try bytes(answer)
      #expect(text.hasSuffix("\r\n\r\n186a0\r\n\(chunk)\r\n1\r\ny\r\n0\r\n\r\n"))
    }
  }

  @Test func `sends a reset`() throws {
    let server = try server(.text("0123456789").reset(after: 4))
    let client = RawConnection(to: server.port)

    client.write(request)
    _ = client.readToEnd()

    #expect(client.endReason == ECONNRESET)
  }

  @Test func `a connection can end before the response`() throws {
    let closed = try server(.closeBeforeResponse)
    let reset = try server(.resetBeforeResponse)
    let first = RawConnection(to: closed.port)
    let second = RawConnection(to: reset.port)

    first.write(request)
    second.write(request)

    #expect(first.readToEnd().isEmpty)
    #expect(second.readToEnd().isEmpty)
    #expect(first.endReason == 0)
    #expect(second.endReason == ECONNRESET)
  }

  @Test func `a stall sends the head and waits until the client leaves`() async throws {
    let server = try server(.text("0123456789").stalled(after: 2))
    var client: RawConnection? = RawConnection(to: server.port)

    client?.write(request)
    #expect(client?.readResponseHead()["Content-Length"] == "10")
    #expect(client?.read(2) == Data("01".utf8))
    #expect(server.openConnectionCount == 1)
    client = nil

    #expect(await server.connectionsClosed())
  }

  @Test(arguments: [3, 8])
  func `a wrong length is announced and the connection closed`(length: Int64) throws {
    let text = try bytes(.text("hello").claiming(length: length))

    #expect(text.contains("Content-Length: \(length)\r\n"))
    #expect(text.hasSuffix("\r\n\r\nhello"))
  }

  @Test func `a body without framing ends with the connection`() throws {
    let server = try server(.text("hello").endingWithConnection())
    let client = RawConnection(to: server.port)

    client.write(request)

    let head = client.readResponseHead()
    #expect(head["Content-Length"] == nil)
    #expect(head["Transfer-Encoding"] == nil)
    #expect(client.readToEnd() == Data("hello".utf8))
  }

  @Test func `raw bytes go out as they are`() throws {
    #expect(try bytes(.raw("HTTP/9 nonsense\n\n")) == "HTTP/9 nonsense\n\n")
  }

  @Test func `a gate holds a response back`() async throws {
    let gate = Gate()
    let server = try server(.text("late").delayed(until: gate))
    let client = RawConnection(to: server.port)

    client.write(request)
    await gate.waiting()
    #expect(server.requestCount == 1)
    #expect(server.bytesWritten(path: "/x") == 0)
    gate.open()

    #expect(client.readResponse().text == "late")
    #expect(client.get("/x").text == "late")
  }

  @Test func `a leaving client frees its pass at the gate`() async throws {
    let gate = Gate()
    let server = try server(.text("late").delayed(until: gate))
    var client: RawConnection? = RawConnection(to: server.port)
    client?.write(request)
    await gate.waiting()

    client = nil
    await server.connectionsClosed()

    #expect(gate.waitingCount == 0)
  }

  @Test func `a body is held in the middle`() async throws {
    let gate = Gate()
    let server = try server(.text("0123456789").held(after: 4, until: gate))
    let client = RawConnection(to: server.port)

    client.write(request)
    await gate.waiting()
    #expect(client.readResponseHead().status == 200)
    #expect(client.read(4) == Data("0123".utf8))
    let written = server.bytesWritten(path: "/x")
    gate.open()

    #expect(client.read(6) == Data("456789".utf8))
    #expect(server.bytesWritten(path: "/x") == written + 6)
  }

  @Test func `sends the bytes before a gate when it reaches it`() async throws {
    let gate = Gate()
    let server = try server(.text("0123456789").held(after: 4, until: gate))
    let client = RawConnection(to: server.port)

    client.write(request)
    await gate.waiting()
    let first = server.bytesWritten(path: "/x")
    for turn in 1...200 {
      gate.pass()
      _ = client.readResponse()
      client.write(request)
      await gate.waiting()
      #expect(server.bytesWritten(path: "/x") == first + Int64(turn) * (first + 6))
    }
  }

  @Test func `sends piece by piece through a gate`() async throws {
    let gate = Gate()
    let server = try server(.text("0123456789").dripped(4, through: gate))
    let client = RawConnection(to: server.port)

    client.write(request)
    let length = client.readResponseHead()["Content-Length"]
    #expect(length == "10")
    for piece in ["0123", "4567", "89"] {
      await gate.waiting()
      gate.pass()
      #expect(client.read(piece.utf8.count) == Data(piece.utf8))
    }
  }

  @Test func `a piece is as long as asked, and not what is sent at once`() async throws {
    let gate = Gate()
    let film = GeneratedBytes(length: 5 << 18, seed: 3)
    let server = try server(.generated(film).dripped(1 << 19, through: gate))
    let client = RawConnection(to: server.port)

    client.write(request)
    _ = client.readResponseHead()
    for range in [0..<Int64(1 << 19), 1 << 19..<1 << 20, 1 << 20..<5 << 18] {
      await gate.waiting()
      gate.pass()
      #expect(client.read(range.count) == film.bytes(in: range))
    }
  }

  @Test func `a piece of an endless body has more than its chunk`() async throws {
    let gate = Gate()
    let server = try server(.endless(Data("abc".utf8)).dripped(7, through: gate))
    let client = RawConnection(to: server.port)

    client.write("GET /x HTTP/1.0\r\n\r\n")
    _ = client.readResponseHead()
    await gate.waiting()
    gate.pass()

    #expect(client.read(7) == Data("abcabca".utf8))
    #expect(await gate.waiting())
  }

  @Test(arguments: ["HEAD", "GET"])
  func `a response without a body ends as its fault says`(method: String) throws {
    let content = LoopbackServer.Answer.content(Data("0123456789".utf8), eTag: "\"1\"")
    let server = try server(content.reset(after: 0))
    let client = RawConnection(to: server.port)

    client.write(
      "\(method) /x HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"\(method == "GET" ? 1 : 2)\"\r\n\r\n"
    )
    let end = client.readToEnd()

    #expect(client.endReason == ECONNRESET, "\(String(decoding: end, as: UTF8.self))")
  }

  @Test func `a response without a body ends as usual if its fault is within the body`() throws {
    let server = try server(.text("0123456789").stalled(after: 4))
    let client = RawConnection(to: server.port)

    client.write("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(client.readResponseHead().status == 200)
    client.write(request)

    #expect(client.readResponseHead().status == 200)
    #expect(client.read(4) == Data("0123".utf8))
  }

  @Test func `a response without a body is held behind its head`() async throws {
    let gate = Gate()
    let server = try server(.status(204).held(after: 0, until: gate).truncated(after: 0))
    let client = RawConnection(to: server.port)

    client.write(request)
    #expect(client.readResponseHead().status == 204)
    await gate.waiting()
    gate.open()

    #expect(client.readToEnd().isEmpty)
    #expect(client.endReason == 0)
  }

  @Test(arguments: ["", "Connection: close\r\n"])
  func `a response that closes the connection says so once, and does`(field: String) throws {
    let server = try server(.text("x").headers([.connection: "Close"]))
    let client = RawConnection(to: server.port)

    client.write("GET /x HTTP/1.1\r\nHost: x\r\n\(field)\r\n")
    let response = client.readResponse()

    #expect(response.fields.filter { $0.name == "Connection" }.map(\.value) == ["Close"])
    #expect(client.readToEnd().isEmpty)
    #expect(client.endReason == 0)
  }

  @Test func `a body of chunks can claim a length instead`() throws {
    let server = try server(.chunked([Data("ab".utf8), Data("c".utf8)]).claiming(length: 5))
    let client = RawConnection(to: server.port)

    client.write(request)
    let head = client.readResponseHead()

    #expect(head["Content-Length"] == "5")
    #expect(head["Transfer-Encoding"] == nil)
    #expect(client.readToEnd() == Data("abc".utf8))
  }

  @Test func `waits where requested`() throws {
    let server = try server(
      .text("0123456789").dripped(1, every: .milliseconds(2)).delayed(by: .milliseconds(30))
    )
    let start = ContinuousClock.now

    #expect(RawConnection(to: server.port).get("/x").text == "0123456789")

    #expect(ContinuousClock.now - start >= .milliseconds(30 + 9 * 2))
  }

  @Test func `a sequence advances by one and repeats its last answer`() throws {
    let server = try server(
      .sequence([.status(503), .sequence([.text("a"), .text("b")]), .text("c")])
        .headers(["X-All": "yes"])
    )
    let client = RawConnection(to: server.port)

    let responses = (1...4).map { _ in client.get("/x") }

    #expect(responses.map(\.status) == [503, 200, 200, 200])
    #expect(responses.map(\.text) == ["", "a", "c", "c"])
    #expect(responses.allSatisfy { $0["X-All"] == "yes" })
  }

  @Test func `a handler sees the request and returns any answer`() throws {
    let server = try server(
      .handler { request in
        request.query == "bad"
          ? .status(422, body: "no")
          : .text(String(decoding: request.body.reversed(), as: UTF8.self)).truncated(after: 2)
      }
    )
    let first = RawConnection(to: server.port)
    let second = RawConnection(to: server.port)

    #expect(first.get("/x?bad").status == 422)
    second.write("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
    _ = second.readResponseHead()
    #expect(second.readToEnd() == Data("cb".utf8))
  }

  @Test func `an endless body ends with its reader`() async throws {
    let server = try server(.endless(Data("abc".utf8)))
    var client: RawConnection? = RawConnection(to: server.port)

    client?.write(request)
    #expect(client?.readResponseHead()["Transfer-Encoding"] == "chunked")
    #expect(client?.read(1 << 20).count == 1 << 20)
    client = nil

    #expect(await server.connectionsClosed())
  }

  @Test func `header fields of an answer replace earlier ones`() throws {
    let server = try server(.text("x").headers([.contentType: "a/b", .date: "never"]))
    let response = RawConnection(to: server.port).get("/x")

    #expect(response["Content-Type"] == "a/b")
    #expect(response.fields.filter { $0.name == "Date" }.map(\.value) == ["never"])
  }
}
