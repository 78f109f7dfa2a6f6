import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoopbackServerTests {
  @Test func `answers exact bytes`() throws {
    let server = try LoopbackServer(["/hello": .text("hello")]) { configuration in
      configuration.now = { Date(timeIntervalSince1970: 784_111_777) }
    }
    let client = RawConnection(to: server.port)

    client.write("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

    let expected = """
      HTTP/1.1 200 OK\r
      Date: Sun, 06 Nov 1994 08:49:37 GMT\r
      Content-Type: text/plain; charset=utf-8\r
      Content-Length: 5\r
      Connection: close\r
      \r
      hello
      """
    #expect(String(decoding: client.readToEnd(), as: UTF8.self) == expected)
  }

  @Test func `a path without a route gets 404 and the longest prefix wins`() throws {
    let server = try LoopbackServer([
      "/a/*": .text("below a"), "/a/b/*": .text("below b"), "/a/b/c": .text("c"),
    ])
    let client = RawConnection(to: server.port)

    #expect(client.get("/").status == 404)
    #expect(client.get("/a/x?q=/a/b/").text == "below a")
    #expect(client.get("/a/b/x").text == "below b")
    #expect(client.get("/a/b/c?d").text == "c")
  }

  @Test(arguments: ["/a b", "/ä", "/a%20b", "/a|b"])
  func `a route and the URL of its path are the same, whatever is in it`(path: String) throws {
    let server = try LoopbackServer([path: .text("here")])
    let client = RawConnection(to: server.port)

    #expect(client.get(server.url(path).path(percentEncoded: true)).text == "here")
  }

  @Test func `a route can be replaced and removed while it runs`() throws {
    let server = try LoopbackServer(["/x": .text("one")])
    let client = RawConnection(to: server.port)

    #expect(client.get("/x").text == "one")
    server.route("/x", .text("two"))
    #expect(client.get("/x").text == "two")
    server.route("/x", nil)
    #expect(client.get("/x").status == 404)
  }

  @Test func `keeps connections alive and numbers requests and connections`() throws {
    let server = try LoopbackServer(["/x": .text("")])
    let first = RawConnection(to: server.port)
    let second = RawConnection(to: server.port)

    _ = first.get("/x?n=1", "X-A: 1", "X-A: 2")
    _ = second.get("/x?n=2")
    _ = first.get("/x?n=3")

    #expect(server.requests.map(\.number) == [1, 2, 3])
    #expect(server.requests.map(\.connection) == [1, 2, 1])
    #expect(server.requests.map(\.query) == ["n=1", "n=2", "n=3"])
    #expect(server.requests[0].headers[values: "x-a"] == ["1", "2"])
    #expect(server.requestCount(path: "/x") == 3)
    #expect(server.connectionCount == 2)
    #expect(server.openConnectionCount == 2)
  }

  @Test func `keeps only the newest requests and counts all`() throws {
    let server = try LoopbackServer(["/*": .text("")]) { $0.requestLimit = 3 }
    let client = RawConnection(to: server.port)

    for number in 1...10 { _ = client.get("/\(number)") }

    #expect(server.requests.map(\.path) == ["/8", "/9", "/10"])
    #expect(server.requestCount == 10)
  }

  @Test func `keeps all requests if its limit is the largest number`() throws {
    let server = try LoopbackServer(["/*": .text("")]) { $0.requestLimit = .max }
    let client = RawConnection(to: server.port)

    for number in 1...3 { _ = client.get("/\(number)") }

    #expect(server.requests.map(\.path) == ["/1", "/2", "/3"])
  }

  @Test func `a client of HTTP 1.0 gets a closed connection unless it asks`() throws {
    let server = try LoopbackServer(["/x": .text("x"), "/c": .chunked([Data("c".utf8)])])
    let plain = RawConnection(to: server.port)
    let kept = RawConnection(to: server.port)
    let chunked = RawConnection(to: server.port)

    plain.write("GET /x HTTP/1.0\r\n\r\n")
    kept.write("GET /x HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
    chunked.write("GET /c HTTP/1.0\r\n\r\n")

    #expect(plain.readToEnd().suffix(1) == Data("x".utf8))
    #expect(kept.readResponse()["Connection"] == "keep-alive")
    #expect(kept.get("/x").text == "x")
    let head = chunked.readResponseHead()
    #expect(head["Transfer-Encoding"] == nil)
    #expect(chunked.readToEnd() == Data("c".utf8))
  }

  @Test func `answers pipelined requests in order`() throws {
    let server = try LoopbackServer(["/a": .text("a"), "/b": .text("b")])
    let client = RawConnection(to: server.port)

    client.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")

    #expect(client.readResponse().text == "a")
    #expect(client.readResponse().text == "b")
  }

  @Test func `a port in use is an error that names it`() throws {
    let server = try LoopbackServer()

    let error = #expect(throws: FreshetError.self) {
      try LoopbackServer { $0.port = server.port }
    }

    guard case .connection(.other(let reason), let url) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("in use"))
    #expect(url.contains(":\(server.port)/"))
  }

  @Test func `stop closes connections, and refuses new ones`() async throws {
    let server = try LoopbackServer(["/stall": .text("hello").stalled()])
    let idle = RawConnection(to: server.port)
    let stalled = RawConnection(to: server.port)
    stalled.write("GET /stall HTTP/1.1\r\nHost: x\r\n\r\n")
    await server.received(path: "/stall")

    await server.stop()
    await server.stop()

    _ = idle.readToEnd()
    _ = stalled.readToEnd()
    #expect(idle.endReason == 0)
    #expect(stalled.endReason == 0)
    #expect(server.openConnectionCount == 0)
    #expect(!RawConnection(to: server.port).write("x"))
  }

  @Test func `the last reference stops it`() throws {
    var server: LoopbackServer? = try LoopbackServer(["/x": .text("x")])
    let client = RawConnection(to: try #require(server).port)
    #expect(client.get("/x").text == "x")

    server = nil

    #expect(client.readToEnd().isEmpty)
    #expect(client.endReason == 0)
  }

  #if !canImport(Darwin)
  @Test func `stop leaves neither threads nor descriptors`() async {
    // In a process of its own, where nothing else opens or closes anything.
    await #expect(processExitsWith: .success) {
      try await startAndStop()
      let before = try descriptorCount()
      for _ in 0..<100 {
        try await startAndStop()
      }
      exit(try descriptorCount() <= before ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
  #endif
}

#if !canImport(Darwin)
private func startAndStop() async throws {
  let server = try LoopbackServer(["/x": .text("x").delayed(until: Gate())])
  let client = RawConnection(to: server.port)
  client.write("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
  await server.received(path: "/x")
  guard try threadNames().contains("loopback-\(server.port)") else { exit(EXIT_FAILURE) }
  await server.stop()
  // The system lists a thread for a moment after it has ended.
  while try threadNames().contains("loopback-\(server.port)") { await Task.yield() }
}

private func descriptorCount() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

private func threadNames() throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    .compactMap { task in
      try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        .trimmingCharacters(in: .newlines)
    }
}
#endif
