import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite struct UploadTests {
  @Test func `joins a chunked body, with its trailers`() async throws {
    let server = try LoopbackServer(["/x": .echo])
    let client = RawConnection(to: server.port)

    client.write("POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    client.write("5;name=value\r\nhello\r\n")
    client.write("1\r\n \r\n5\r\nworld\r\n0\r\nX-Sum: 11\r\n\r\n")
    let response = client.readResponse()

    #expect(response.text.contains("\"body\":\"hello world\""))
    #expect(response.text.contains("\"bodyLength\":11"))
    #expect(server.requests.first?.body == Data("hello world".utf8))
    #expect(server.requests.first?.trailers["x-sum"] == "11")
  }

  @Test func `a body can arrive byte by byte`() throws {
    let server = try LoopbackServer(["/x": .echo])
    let client = RawConnection(to: server.port)

    let request =
      "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    for byte in request.utf8 {
      client.write(Data([byte]))
    }

    #expect(client.readResponse().text.contains("\"body\":\"abc\""))
  }

  @Test func `answers Expect before the body is sent`() throws {
    let server = try LoopbackServer(["/x": .echo])
    let client = RawConnection(to: server.port)

    client.write("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.readResponseHead().statusLine == "HTTP/1.1 100 Continue")
    client.write("hi")

    #expect(client.readResponse().text.contains("\"body\":\"hi\""))
  }

  @Test func `a counted body uses no memory`() throws {
    let server = try LoopbackServer(["/x": .text("ok").upload(.counted)]) {
      $0.maximumBodyBytes = 10
    }
    let client = RawConnection(to: server.port)

    client.write("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 33554432\r\n\r\n")
    for _ in 0..<32 { client.write(Data(count: 1 << 20)) }

    #expect(client.readResponse().text == "ok")
    #expect(server.requests.first?.bodyLength == 32 << 20)
    #expect(server.requests.first?.body.isEmpty == true)
  }

  @Test func `refuses a body that is too large to store`() throws {
    let server = try LoopbackServer(["/x": .text("ok")]) { $0.maximumBodyBytes = 10 }
    let announced = RawConnection(to: server.port)
    let chunked = RawConnection(to: server.port)

    announced.write("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n")
    chunked.write("PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunked.write("6\r\n012345\r\n6\r\n")

    #expect(announced.readResponse().status == 413)
    #expect(chunked.readResponse().status == 413)
    #expect(server.requestCount == 0)
  }

  @Test func `answers an unread body early and closes the connection`() throws {
    let server = try LoopbackServer(["/x": .status(413, body: "no").upload(.unread)])
    let client = RawConnection(to: server.port)

    let head = "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n"
    #expect(client.write(Data(head.utf8) + Data(count: 8_000_000)))
    let response = client.readResponse()

    #expect(response.status == 413)
    #expect(response["Connection"] == "close")
    #expect(response.text == "no")
    #expect(client.readToEnd().isEmpty)
    #expect(client.endReason == 0)
  }

  @Test func `a client that leaves while its unread body waits for an answer is noticed`()
    async throws
  {
    let gate = Gate()
    let server = try LoopbackServer([
      "/x": .status(413).upload(.unread).delayed(until: gate)
    ])
    var client: RawConnection? = RawConnection(to: server.port)
    let head = "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n"
    client?.write(Data(head.utf8) + Data(count: 1 << 20))
    await gate.waiting()

    client = nil

    #expect(await server.connectionsClosed())
    #expect(gate.waitingCount == 0)
  }

  @Test func `a request without a body keeps the connection on a route that reads none`() throws {
    let server = try LoopbackServer(["/x": .text("x").upload(.unread)])
    let client = RawConnection(to: server.port)

    #expect(client.get("/x").text == "x")
    #expect(client.get("/x").text == "x")
    #expect(server.requests.map(\.connection) == [1, 1])
  }
}
