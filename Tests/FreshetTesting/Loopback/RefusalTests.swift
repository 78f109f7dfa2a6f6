import Foundation
import FreshetTesting
import TestSupport
import Testing

@Suite struct RefusalTests {
  @Test(arguments: [
    ("\u{1}\u{2}\u{3}\r\n\r\n", 400),
    ("GET /\r\n\r\n", 400),
    ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("G@T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nName : y\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nNoColon\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\n\nX: y\r\n\r\n", 400),
    ("GET / HTTP/1.1\nHost: x\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nX: a\u{0}b\r\n\r\n", 400),
    ("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    ("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    (
      "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400
    ),
    ("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
    ("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
    ("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
    ("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400),
  ])
  func `bytes that are not HTTP get a status and a closed connection`(
    text: String,
    status: Int
  ) throws {
    let server = try LoopbackServer(["/": .text("never")])
    let client = RawConnection(to: server.port)

    client.write(text)
    let response = client.readResponse()

    #expect(response.status == status)
    #expect(response["Connection"] == "close")
    #expect(client.readToEnd().isEmpty)
    #expect(server.requestCount == 0)
  }

  @Test func `refuses a TLS handshake at its first byte`() throws {
    let server = try LoopbackServer(["/": .text("never")])
    let client = RawConnection(to: server.port)

    client.write(Data([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))

    #expect(client.readResponse().status == 400)
    #expect(server.requestCount == 0)
  }

  @Test func `refuses a large head while it arrives`() throws {
    let server = try LoopbackServer(["/": .text("never")]) { $0.maximumHeadBytes = 1000 }
    let complete = RawConnection(to: server.port)
    let endless = RawConnection(to: server.port)

    complete.write("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 1000))\r\n\r\n")
    endless.write("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 1000))")

    #expect(complete.readResponse().status == 431)
    #expect(endless.readResponse().status == 431)
  }

  @Test func `random bytes do not end the server`() throws {
    let server = try LoopbackServer(["/x": .text("x")])
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<200 {
      let client = RawConnection(to: server.port)
      let count = Int.random(in: 1...400, using: &generator)
      let start = Bool.random(using: &generator) ? "POST /x HTTP/1.1\r\nHost: x\r\n" : ""
      let noise = (0..<count)
        .map { _ in
          "\r\n :;,/0123456789abcdefGET=\u{0}\u{7F}".utf8.randomElement(using: &generator) ?? 0
        }
      client.write(Data(start.utf8) + Data(noise))
      client.halfClose()
      _ = client.readToEnd()
      #expect(client.endReason == 0)
    }

    #expect(RawConnection(to: server.port).get("/x").text == "x")
  }

  @Test func `an incomplete request ends the connection`() async throws {
    let server = try LoopbackServer(["/x": .text("x")])
    let client = RawConnection(to: server.port)

    client.write("GET /x HTTP/1.1\r\nHo")
    client.halfClose()

    #expect(client.readToEnd().isEmpty)
    #expect(await server.connectionsClosed())
  }

  @Test func `a client that has sent everything can still read`() throws {
    let server = try LoopbackServer(["/x": .text("x")])
    let client = RawConnection(to: server.port)

    client.write("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    client.halfClose()

    #expect(client.readResponse().text == "x")
  }
}
