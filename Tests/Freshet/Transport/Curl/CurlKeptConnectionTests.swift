#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlKeptConnectionTests {
  /// Answers with the number of the connection; the first one answers once and is silent then.
  private func server(_ seen: Seen<String>) throws -> RawServer {
    let connections = Seen<Bool>()
    return try RawServer { connection in
      connections.add(true)
      let number = connections.values.count
      var isFirst = true
      while let head = connection.readHead() {
        _ = connection.read(head.contains("Content-Length: 5") ? 5 : 0)
        seen.add("\(number) \(head.prefix { $0 != " " })")
        if number > 1 || isFirst {
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
        }
        isFirst = false
      }
    }
  }

  @Test(arguments: [HTTPMethod.get, .put])
  func `sends again what a kept connection does not answer in time`(
    method: HTTPMethod
  ) async throws {
    let seen = Seen<String>()
    let server = try server(seen)
    let transport = CurlTransport()
    var request = try Request(method, server.base + "/")
    if method == .put { request.body = .text("hello") }
    request.timeouts.firstByte = .seconds(6)

    _ = await transport.answer(try Request(.get, server.base + "/"))
    let again = await transport.answer(request)
    let next = await transport.answer(request)

    #expect(again.text == "2" && next.text == "2", "\(String(describing: again.error))")
    #expect(again.metrics?.reusedConnection == false && next.metrics?.reusedConnection == true)
    let name = method.rawValue
    #expect(seen.values == ["1 GET", "1 \(name)", "2 \(name)", "2 \(name)"])
  }

  @Test func `retries a timeout on a new connection, once each`() async throws {
    let gate = Gate()
    let server = try LoopbackServer([
      "/kept": .text("x").delayed(until: gate), "/silent": .text("y").delayed(until: Gate()),
    ])
    let transport = CurlTransport()
    let kept = Request(server.url("/kept"))
    async let first = transport.answer(kept)
    async let second = transport.answer(kept)
    async let third = transport.answer(kept)
    _ = await server.received(path: "/kept", count: 3)
    gate.open()
    _ = await (first, second, third)
    var silent = Request(server.url("/silent"))
    silent.timeouts.firstByte = .milliseconds(50)

    let policy = RetryPolicy(retries: 2, after: .zero)
    let answer = await transport.retrying(policy).answer(silent)

    #expect(answer.error?.kind == "timedOut")
    #expect(server.requestCount(path: "/silent") == 1 + 3)
    await server.stop()
  }

  @Test func `sends an unsafe request once, and closes its connection`()
    async throws
  {
    let seen = Seen<String>()
    let server = try server(seen)
    let transport = CurlTransport()
    var request = try Request(.post, server.base + "/")
    request.timeouts.firstByte = .seconds(6)

    _ = await transport.answer(try Request(.get, server.base + "/"))
    let first = await transport.answer(request)
    let next = await transport.answer(request)

    #expect(first.error?.kind == "timedOut")
    #expect(next.text == "2")
    #expect(seen.values == ["1 GET", "1 POST", "2 POST"])
  }

  @Test func `sends again within the total time, and once`() async throws {
    let seen = Seen<Bool>()
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      while connection.readHead() != nil { seen.add(true) }
    }
    let silent = try RawServer { connection in while connection.readHead() != nil {} }
    let transport = CurlTransport()
    var request = try Request(.get, server.base + "/")
    request.timeouts.firstByte = .seconds(6)

    _ = await transport.answer(request)
    let answered = await transport.answer(request)
    request.timeouts.total = .seconds(6)
    let total = await transport.answer(request)
    request.url = try #require(URL(string: silent.base + "/"))
    let unkept = await transport.answer(request)

    // A new connection of this server answers once.
    #expect(answered.error == nil && answered.metrics?.reusedConnection == false)
    #expect(total.error?.kind == "timedOut" && unkept.error?.kind == "timedOut")
    #expect(seen.values.count == 2)
  }

  @Test func `closes a connection whose body stopped`() async throws {
    let connections = Seen<Bool>()
    let server = try RawServer { connection in
      connections.add(true)
      while connection.readHead() != nil {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na")
        if connections.values.count > 1 { connection.write("b") }
      }
    }
    let transport = CurlTransport()
    var request = try Request(.get, server.base + "/")
    request.timeouts.idle = .seconds(6)

    let first = await transport.answer(request)
    let next = await transport.answer(request)

    #expect(first.error?.kind == "timedOut")
    #expect(next.text == "ab")
  }

  @Test func `names the requested host behind a proxy, whatever came before`()
    async throws
  {
    let echo = try Echo()
    let proxy = try #require(URL(string: echo.base))
    let transport = CurlTransport { $0.proxy = .url(proxy) }
    let hosts = [
      ("http://[::1]:8080/", "[::1]:8080"), ("http://a.example/", "a.example"),
      ("http://a.example:80/?http://b@c", "a.example"), ("http://[2001:db8::1]/", "[2001:db8::1]"),
      ("http://127.0.0.1:81/", "127.0.0.1:81"),
      ("http://b.example:8080", "b.example:8080"),
    ]

    for (url, _) in hosts { _ = await transport.answer(try Request(.get, url)) }
    var named = try Request(.get, "http://a.example/")
    named.headers[.host] = "mine"
    _ = await transport.answer(named)

    let fields = echo.heads.values.map { head in
      head.split(separator: "\r\n").filter { $0.hasPrefix("Host:") }.joined(separator: ", ")
    }
    #expect(fields == (hosts.map(\.1) + ["mine"]).map { "Host: \($0)" })
  }
}
#endif
