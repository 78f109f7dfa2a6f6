import Foundation
import Freshet
import TestSupport
import Testing

@testable import FreshetTesting

@Suite(.timeLimit(.minutes(5))) struct ObservationTests {
  @Test func `waits for requests without polling`() async throws {
    let server = try LoopbackServer(["/x": .text("")])
    let waiting = Task { await server.received(path: "/x", count: 3) }
    let client = RawConnection(to: server.port)

    for _ in 1...3 { _ = client.get("/x") }

    #expect(await waiting.value.count == 3)
  }

  @Test func `finds the requests for a path as it was routed`() async throws {
    let server = try LoopbackServer(["/a b": .text("x")])
    let waiting = Task { await server.received(path: "/a b") }

    _ = RawConnection(to: server.port).get("/a%20b")

    #expect(await waiting.value.map(\.path) == ["/a%20b"])
    #expect(server.requestCount(path: "/a b") == 1)
    #expect(server.bytesWritten(path: "/a b") > 0)
  }

  @Test func `finds the requests for a path as it was sent`() async throws {
    let server = try LoopbackServer(["/a/*": .text("x")])
    let client = RawConnection(to: server.port)

    _ = client.get("/a/x|y")

    #expect(await server.received(path: "/a/x|y").count == 1)
    #expect(server.requestCount(path: "/a/x|y") == 1)
    _ = client.get("/a/x%7Cy")
    #expect(await server.received(path: "/a/x|y", count: 2).count == 2)
    #expect(server.requestCount(path: "/a/x|y") == 2)
    let once = server.bytesWritten(path: "/a/x%7Cy")
    #expect(once > 0 && server.bytesWritten(path: "/a/x|y") == 2 * once)
  }

  @Test func `a path that is none of a URL has a route`() async throws {
    let server = try LoopbackServer(["*": .text("x")])

    #expect(RawConnection(to: server.port).get("*").text == "x")
    #expect(server.requestCount(path: "*") == 1)
  }

  @Test func `a cancelled wait ends with the present state`() async throws {
    let server = try LoopbackServer(["/x": .text("")])
    _ = RawConnection(to: server.port).get("/x")
    let received = Task { await server.received(path: "/x", count: 2) }
    let closed = Task { await server.connectionsClosed(2) }
    let wrote = Task { await server.wrote(1 << 40, path: "/x") }

    received.cancel()
    closed.cancel()
    wrote.cancel()

    #expect(await received.value.count == 1)
    #expect(await !closed.value)
    #expect(await !wrote.value)
  }

  @Test func `a stopped server ends all waits`() async throws {
    let server = try LoopbackServer()
    let waiting = Task { await server.received(path: "/never") }

    await server.stop()

    #expect(await waiting.value.isEmpty)
  }

  @Test func `a response that was blocked for a moment was blocked`() async throws {
    let server = try LoopbackServer()
    let waiting = Task { await server.blocked(path: "/x") }
    while server.log.waiterCount == 0 { await Task.yield() }

    server.log.update { $0.setBlocked("/x", true) }
    server.log.update { $0.setBlocked("/x", false) }

    #expect(await waiting.value)
  }

  @Test func `a response stays blocked while another one for its path is sent`() async throws {
    let server = try LoopbackServer()
    server.log.update { log in
      log.setBlocked("/x", true)
      log.setBlocked("/x", true)
      log.setBlocked("/x", false)
    }
    await server.stop()

    #expect(await server.blocked(path: "/x"))
  }

  @Test func `sees connections close`() async throws {
    let server = try LoopbackServer(["/x": .text("")])
    var client: RawConnection? = RawConnection(to: server.port)
    _ = client?.get("/x")
    #expect(server.openConnectionCount == 1)

    client = nil
    await server.connectionsClosed()

    #expect(server.openConnectionCount == 0)
  }

  @Test func `counts the bytes of a connection and of a path`() async throws {
    let server = try LoopbackServer(["/x": .raw("0123456789")])
    let client = RawConnection(to: server.port)

    client.write("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(client.readToEnd().count == 10)

    #expect(await server.wrote(10, path: "/x"))
    #expect(server.bytesWritten(path: "/x") == 10)
    #expect(server.bytesWritten(connection: 1) == 10)
    #expect(server.bytesWritten(connection: 2) == 0)
  }

  @Test func `a slow reader stops the server`() async throws {
    let server = try LoopbackServer(["/big": .generated(GeneratedBytes(length: 2 << 30))]) {
      $0.sendBufferBytes = 1 << 16
    }
    let client = RawConnection(to: server.port, receiveBufferBytes: 1 << 16)

    client.write("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
    await server.blocked(path: "/big")

    let written = server.bytesWritten(path: "/big")
    #expect(written > 0)
    #expect(written < 4 << 20)
    #expect(client.read(8 << 20).count == 8 << 20)
    #expect(server.bytesWritten(path: "/big") >= 8 << 20)
  }
}
