#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport
import Testing

/// Challenges and answers over real sockets, with bodies, and through a proxy.
@Suite(.timeLimit(.minutes(5))) struct AuthenticationOnTheWireTests {
  private static let digest = Credential.digest(user: "Mufasa", password: "Circle of Life")

  /// A loopback server that asks as the digest server does.
  private func loopback(_ server: DigestServer) throws -> LoopbackServer {
    let answer = LoopbackServer.Answer.handler { request in
      let (status, headers) = server.answer(
        request.method,
        request.target,
        request.headers,
        request.body
      )
      return .response(status, headers: headers, body: Data("\(request.body.count)".utf8))
    }
    return try LoopbackServer(["/x": answer, "/": answer])
  }

  @Test(arguments: ["auth", "auth-int"])
  func `each kind of body is authenticated and sent completely`(qop: String) async throws {
    let server = try loopback(DigestServer(DigestServer.Settings(qop: qop)))
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "body")
    try Data(repeating: 7, count: 300_000).write(to: file)
    let session = Authenticator(Self.digest, for: [server.url("/")])
    let transport = CurlTransport().authenticated(by: session)
    let chunks = ThirtyBytes()
    let bodies: [(RequestBody, String)] = [
      (.text("hello"), "5"), (.file(file), "300000"),
      (.stream(length: 30, isReplayable: true) { chunks }, "30"),
    ]

    for (body, count) in bodies {
      session.signIn(Self.digest)
      let result = await transport.call(Request(.put, server.url("/x?a=%2Fb"), body: body))
      #expect(result.status == 200)
      #expect(result.text == count)
      #expect(result.names.contains("retrying 2 after 0.0 s"))
    }
    await server.stop()
  }

  @Test func `a one-time body that must be hashed is not sent`() async throws {
    let server = try loopback(DigestServer(DigestServer.Settings(qop: "auth-int")))
    let session = Authenticator(Self.digest, for: [server.url("/")])
    let transport = CurlTransport().authenticated(by: session)
    _ = await transport.call(Request(server.url("/x")))

    let chunks = ThirtyBytes()
    let result = await transport.call(Request(.put, server.url("/x"), body: .stream { chunks }))

    #expect(result.error?.kind == "unauthenticated")
    #expect(server.requestCount == 2)
    await server.stop()
  }

  @Test func `answers a proxy, and sends its field to nobody else`() async throws {
    let (proxy, server) = (try LoopbackServer(), try LoopbackServer(["/x": .echo]))
    let digest = DigestServer(DigestServer.Settings(isProxy: true))
    proxy.route(
      "/x",
      .handler { request in
        let (status, headers) = digest.answer(
          request.method,
          request.target,
          request.headers,
          Data()
        )
        return .response(status, headers: headers, body: Data("proxied".utf8))
      }
    )
    let address = proxy.url("/")
    let through = CurlTransport { $0.proxy = .url(address) }
    let transport = through.authenticated(by: Authenticator(proxy: Self.digest))

    let result = await transport.call(try Request(to: "http://a.invalid/x"))
    #expect(result.text == "proxied")

    var direct = Request(server.url("/x"))
    direct.headers[.proxyAuthorization] = "Basic c2VjcmV0"
    let echoed = await CurlTransport { $0.proxy = .none }.call(direct)
    #expect(echoed.status == 200)
    #expect(!echoed.text.lowercased().contains("proxy-authorization"))
    await proxy.stop()
    await server.stop()
  }

  @Test(arguments: [
    "http://a.invalid/x?", "http://a.invalid?", "HTTP://A.invalid/x??", "http://a.invalid:0080/x",
    "http://a.invalid:0081/x?y", "http://[0:0::1]:99/x", "http://a.invalid:/x",
  ])
  func `the target that is signed for a proxy is the one that is sent`(url: String) async throws {
    let targets = Seen<[String]>()
    let proxy = try RawServer { connection in
      while let head = connection.readHead() {
        let words = head.split(separator: " ")
        guard let uri = head.range(of: "uri=\"") else {
          connection.write(
            "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"x\", nonce=\"y\"\r\nContent-Length: 0\r\n\r\n"
          )
          continue
        }
        targets.add([String(words[1]), String(head[uri.upperBound...].prefix { $0 != "\"" })])
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let address = try #require(URL(string: proxy.base))
    let transport = CurlTransport { $0.proxy = .url(address) }
      .authenticated(by: Authenticator(proxy: Self.digest))

    let result = await transport.call(try Request(to: url))

    #expect(result.status == 200)
    #expect(targets.values.count == 1 && targets.values.allSatisfy { $0[0] == $0[1] })
  }

  @Test func `a socket without TLS answers the proxy of its tunnel by Digest`() async throws {
    let digest = DigestServer(DigestServer.Settings(isProxy: true))
    let target = "a.invalid:80"
    let heads = Mutex<[String]>([])
    let proxy = try RawServer { connection in
      while let head = connection.readHead() {
        heads.withLock { $0.append(head) }
        let lines = head.split(separator: "\r\n")
        let answer = lines.first { $0.hasPrefix("Proxy-Authorization: ") }?.dropFirst(21)
        let fields: HTTPHeaders = answer.map { [.proxyAuthorization: String($0)] } ?? [:]
        let (status, headers) = digest.answer(HTTPMethod("CONNECT"), target, fields, Data())
        let code = status == 407 ? "407 No" : "503 No"
        let challenge = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        connection.write("HTTP/1.1 \(code)\r\n\(challenge)Content-Length: 0\r\n\r\n")
      }
    }
    let address = try #require(URL(string: proxy.base))
    let client = Client {
      let through = CurlTransport { $0.proxy = .url(address) }
      $0.transport = through.authenticated(by: Authenticator(proxy: Self.digest))
    }

    let url = try #require(URL(string: "ws://a.invalid/"))
    await #expect(throws: FreshetError.self) {
      for try await _ in client.socket(at: url) {}
    }

    let asked = heads.withLock { $0 }
    #expect(asked.count >= 2 && asked.allSatisfy { $0.hasPrefix("CONNECT \(target) ") })
    #expect(asked.last?.contains("Proxy-Authorization: Digest") == true)
    #expect(digest.rejectedCount == 0)
  }

  @Test func `the end of a proxy's challenge is not taken for the server's response`() async throws
  {
    let challenge =
      "Proxy-Authenticate: Basic realm=\"x\"\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    let forged = "HTTP/1.1 200 forged: x\r\nTransfer-Encoding: gzip\r\nX-Forged: x\r\n\r\n"
    let proxy = try RawServer { connection in
      while let head = connection.readHead() {
        if !head.hasPrefix("CONNECT ") {
          connection.write("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno")
        } else if head.contains("Proxy-Authorization") {
          connection.write("HTTP/1.1 200 OK\r\n\r\n")
        } else {
          connection.write("HTTP/1.1 407 No\r\n" + challenge + forged)
        }
      }
    }
    let address = try #require(URL(string: proxy.base))
    let client = Client {
      let through = CurlTransport { $0.proxy = .url(address) }
      let login = Authenticator(proxy: .login(user: "ann", password: "sesame"))
      $0.transport = through.authenticated(by: login)
    }
    let url = try #require(URL(string: "ws://a.invalid/"))

    let error = await thrown {
      for try await _ in client.socket(at: url) {}
    }

    #expect(error?.head?.status == 403)
    #expect(error?.head?.headers.contains("X-Forged") == false)
  }

  @Test func `a proxy that always has a new challenge is not answered without an end`()
    async throws
  {
    let attempts = Seen<Int>()
    let proxy = try RawServer { connection in
      while connection.readHead() != nil {
        attempts.add(1)
        let nonce = "nonce=\"\(attempts.values.count)\", stale=true"
        connection.write(
          "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"x\", \(nonce)\r\nContent-Length: 0\r\n\r\n"
        )
      }
    }
    let address = try #require(URL(string: proxy.base))
    let transport = CurlTransport { $0.proxy = .url(address) }
      .authenticated(by: Authenticator(proxy: Self.digest))

    let result = await transport.call(try Request(to: "https://a.invalid/"))

    #expect(result.error?.failure == .proxy)
    #expect(attempts.values.count < 2_000)
  }

  @Test func `a tunnel that breaks behind the proxy's challenge is not a refused password`()
    async throws
  {
    let digest = DigestServer(DigestServer.Settings(isProxy: true))
    let proxy = try RawServer { connection in
      while let head = connection.readHead(), !head.contains("Proxy-Authorization") {
        let (_, headers) = digest.answer(HTTPMethod("CONNECT"), "a.invalid:443", [:], Data())
        let challenge = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        connection.write("HTTP/1.1 407 No\r\n\(challenge)Content-Length: 0\r\n\r\n")
      }
    }
    let address = try #require(URL(string: proxy.base))
    let asking = Authenticator(proxy: Self.digest) { _ in
      Issue.record("it was asked")
      return nil
    }
    let transport = CurlTransport { $0.proxy = .url(address) }.authenticated(by: asking)

    let result = await transport.call(try Request(to: "https://a.invalid/"))

    #expect(result.error?.failure == .proxy)
  }
}

/// Three chunks of ten bytes.
private struct ThirtyBytes: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    var left = 3

    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      guard left > 0 else { return nil }
      left -= 1
      return Data(repeating: 1, count: 10)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
#endif
