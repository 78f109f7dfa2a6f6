import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// Transports over Unix sockets, over HTTP/2 without TLS, and WebSockets through a proxy with TLS.
@Suite(
  .enabled(if: Nginx.isInstalled, "nginx and openssl are not installed"),
  .besideNginx,
  .timeLimit(.minutes(5))
)
struct NginxProtocolTests {
  let nginx: Nginx

  init() throws {
    nginx = try #require(Nginx.current)
    try nginx.write("small.txt", Data("hello".utf8))
  }

  private func client(_ configure: (inout CurlTransport.Configuration) -> Void) -> Client {
    Client {
      $0.memory = nil
      $0.transport = CurlTransport(configure)
    }
  }

  private func anyHost(_ path: String) throws -> URL {
    try #require(URL(string: "http://any.invalid\(path)"))
  }

  /// The bytes in pieces of 64 KiB.
  private static func pieces(of bytes: Data) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream { continuation in
      for start in stride(from: 0, to: bytes.count, by: 64 << 10) {
        continuation.yield(bytes[start..<min(start + (64 << 10), bytes.count)])
      }
      continuation.finish()
    }
  }

  // MARK: - Unix sockets

  @Test func `asks a server at a Unix socket, over one connection`() async throws {
    let client = client { $0.unixSocket = nginx.unixSocket }

    var reused: [Bool?] = []
    for _ in 0..<5 {
      let resource = try await client.resource(at: anyHost("/small.txt")).value
      #expect(try resource.data() == Data("hello".utf8))
      reused.append(resource.metrics?.reusedConnection)
    }

    #expect(reused == [false, true, true, true, true])
  }

  @Test func `sends the host of the URL, and a body, over a Unix socket`() async throws {
    let client = client { $0.unixSocket = nginx.unixSocket }

    let host = try await client.resource(at: anyHost("/host")).value
    var put = Request(.put, try anyHost("/uploads/a.bin"))
    put.body = .bytes(Data(repeating: 7, count: 1 << 20))
    let created = try await client.send(put).value

    #expect(try host.data() == Data("any.invalid".utf8))
    #expect(created.head.status == 201)
    #expect(try nginx.read("uploads/a.bin") == Data(repeating: 7, count: 1 << 20))
  }

  @Test func `no request over a Unix socket goes over another one, or to the host of its URL`()
    async throws
  {
    let clients =
      [nginx.unixSocket, nginx.otherUnixSocket]
      .map { socket in client { $0.unixSocket = socket } } + [client { _ in }]
    let url = nginx.http("/which")

    let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<60 {
        group.addTask {
          let data = try await clients[number % 3].send(Request(url)).value.body
          return (number % 3, String(decoding: data, as: UTF8.self))
        }
      }
      return try await group.reduce(into: [[], [], []] as [Set<String>]) {
        $0[$1.0].insert($1.1)
      }
    }

    #expect(answers == [["socket"], ["other socket"], ["port"]])
  }

  @Test func `a proxy is not asked for a request over a Unix socket`() async throws {
    let nobody = try FreePorts.take(1)[0]
    let proxy = try #require(URL(string: "http://127.0.0.1:\(nobody)"))
    let client = client {
      $0.unixSocket = nginx.unixSocket
      $0.proxy = .url(proxy)
    }

    let answer = try await client.resource(at: anyHost("/line")).value

    // A proxy would get the whole URL.
    #expect(try answer.data() == Data("GET /line HTTP/1.1".utf8))
  }

  @Test func `a Unix socket that is not there refuses`() async throws {
    let client = client { $0.unixSocket = nginx.folder.url.appending(path: "nobody.socket") }

    let url = try anyHost("/small.txt")
    await #expect(throws: FreshetError.connection(.refused, url: url.absoluteString)) {
      try await client.resource(at: url).value
    }
  }

  @Test(arguments: [
    URL(filePath: "/tmp/" + String(repeating: "x", count: 103)), URL(string: "http://a/b"),
  ])
  func `a path that no Unix socket can have is refused`(socket: URL?) async throws {
    let client = client { $0.unixSocket = socket }

    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(at: anyHost("/small.txt")).value
    }

    #expect(error?.kind == "invalidRequest")
  }

  @Test func `freshet fetch asks a server at a Unix socket`() async throws {
    let run = try await ProbeRun.run(
      tool: "freshet",
      "fetch",
      "--unix-socket",
      nginx.unixSocket.path,
      "http://any.invalid/small.txt"
    )

    #expect(run.status == 0 && run.text == "hello", "\(run.error)")
  }

  // MARK: - HTTP/2 without TLS

  @Test func `speaks HTTP/2 without TLS, many requests one after the other and at once`()
    async throws
  {
    let client = client { $0.networkProtocol = .http2PriorKnowledge }
    let url = nginx.plainHTTP2("/small.txt")
    for _ in 0..<3 {
      let resource = try await client.resource(at: url).value
      #expect(resource.metrics?.networkProtocol == "h2")
    }

    let metrics = try await withThrowingTaskGroup(of: TransferMetrics?.self) { group in
      for number in 0..<20 {
        let url = url.appending(queryItems: [URLQueryItem(name: "n", value: "\(number)")])
        group.addTask { try await client.resource(at: url).value.metrics }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(metrics.map { $0?.networkProtocol } == Array(repeating: "h2", count: 20))
    // One connection for all, or, with libcurl 7.88, one for each.
    #expect(Set(metrics.map { $0?.reusedConnection }).count == 1)
  }

  @Test func `streams in both directions by HTTP/2 without TLS, where that is required`()
    async throws
  {
    let client = client { $0.networkProtocol = .http2PriorKnowledge }
    let put = Request(.put, nginx.plainHTTP2("/uploads/duplex.txt"))
    let stream = client.duplex(put) { $0.requiresHTTP2 = true }
    try await stream.send("hello")
    stream.finish()

    #expect(try await stream.head.status.isSuccess)
    let read = try await client.resource(at: nginx.plainHTTP2("/uploads/duplex.txt")).value
    #expect(try read.data() == Data("hello".utf8))
  }

  @Test func `sends streams by HTTP/2 without TLS, also over a Unix socket`() async throws {
    let body = Data((0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    for (name, socket) in [("port", nil), ("socket", nginx.http2Socket)] as [(String, URL?)] {
      let client = client {
        $0.networkProtocol = .http2PriorKnowledge
        $0.unixSocket = socket
      }
      var put = Request(.put, nginx.plainHTTP2("/uploads/\(name).bin"))
      put.body = .stream { Self.pieces(of: body) }

      let created = try await client.send(put).value
      let read = try await client.resource(at: nginx.plainHTTP2("/uploads/\(name).bin")).value

      #expect(created.head.status == 201)
      #expect(read.metrics?.networkProtocol == "h2")
      #expect(try read.data() == body)
    }
  }

  @Test func `negotiates over TLS, and fails with a server that only speaks HTTP/1.1`() async throws
  {
    let authority = nginx.authority.certificate
    let client = client {
      $0.networkProtocol = .http2PriorKnowledge
      $0.trust = .file(authority)
    }

    let secure = try await client.resource(at: nginx.https("/small.txt")).value
    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(at: nginx.http("/small.txt")).value
    }

    #expect(secure.metrics?.networkProtocol == "h2")
    #expect(error?.kind == "connection")
  }

  // MARK: - WebSockets

  @Test func `a WebSocket goes over TLS and through a proxy`() async throws {
    let server = try LoopbackServer([
      "/echo": .socket { peer in for try await message in peer { try await peer.send(message) } }
    ])
    let authority = nginx.authority.certificate
    let client = client { $0.trust = .file(authority) }
    let url = nginx.https("/proxied/\(server.port)/echo").absoluteString
    // A connection with HTTP/2 is there already, which cannot become a WebSocket.
    _ = try await client.resource(at: nginx.https("/small.txt")).value
    let socket = client.socket(at: try #require(URL(string: url.replacing("https:", with: "wss:"))))

    try await socket.send("hello")
    var iterator = socket.makeAsyncIterator()

    #expect(try await iterator.next() == .text("hello"))
    await socket.close()
  }

  @Test func `a WebSocket goes over a Unix socket`() async throws {
    let server = try LoopbackServer([
      "/echo": .socket { peer in for try await message in peer { try await peer.send(message) } }
    ])
    let client = client { $0.unixSocket = nginx.unixSocket }
    let socket = client.socket(at: try anyHost("/proxied/\(server.port)/echo"))

    try await socket.send("hello")
    var iterator = socket.makeAsyncIterator()

    #expect(try await iterator.next() == .text("hello"))
    await socket.close()
  }
}
