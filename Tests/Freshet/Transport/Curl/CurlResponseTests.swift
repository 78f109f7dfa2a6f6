#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlResponseTests {
  @Test func `delivers status, repeated fields, body and metrics`() async throws {
    let server = try reply(
      "HTTP/1.1 203 Fine\r\nX-A: 1\r\nx-a:  2 \r\nContent-Length: 5\r\n\r\nhello"
    )

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/p?q=1#f"))

    #expect(answer.head?.status == 203)
    #expect(answer.head?.headers[values: "X-A"] == ["1", "2"])
    #expect(answer.head?.url.absoluteString == server.base + "/p?q=1#f")
    #expect(answer.text == "hello")
    #expect(answer.metrics?.bytesReceived == 5)
    #expect(answer.metrics?.networkProtocol == "http/1.1")
    #expect(answer.metrics?.reusedConnection == false)
    #expect(answer.metrics?.tls == nil)
    #expect(answer.error == nil)
  }

  @Test func `reads values as UTF-8, and as Latin-1 where they are not`() async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-8: gr\u{FC}n\r\nX-1: gr")
      connection.write(Data([0xFC]) + Data("n\r\n\r\n".utf8))
    }

    let headers = await CurlTransport().answer(try Request(.get, server.base + "/")).head?.headers

    #expect(headers?["X-8"] == "gr\u{FC}n")
    #expect(headers?["X-1"] == "gr\u{FC}n")
  }

  @Test func `a lone CR in a value is a space`() async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nX: a\rSet-Cookie: b\r\nContent-Length: 0\r\n\r\n")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.head?.headers["X"] == "a Set-Cookie: b")
    #expect(answer.head?.headers["Set-Cookie"] == nil)
  }

  @Test func `a control character in a name does not make a field`() async throws {
    let lines = "X\u{1}: a\r\nX: c\r\nX Y: b\r\n  folded\r\nContent-Length: 0\r\n\r\n"
    let server = try reply("HTTP/1.1 200 OK\r\n" + lines)

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.head?.headers.map(\.name) == ["X", .contentLength])
    #expect(answer.head?.headers["X"] == "c")
  }

  @Test func `joins folded lines`() async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nX-Long: one\r\n  two\r\nContent-Length: 0\r\n\r\n")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.head?.headers["X-Long"] == "one two")
  }

  @Test func `reports interim responses before the head`() async throws {
    let server = try reply(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
        + "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nLink: </b.js>; rel=preload\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
    )

    let result = await CurlTransport().call(try Request(.get, server.base + "/"))
    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(result.names == ["interim 102", "interim 103", "head 200", "body", "finished"])
    #expect(
      answer.interim.last?.headers[values: "Link"] == [
        "</a.css>; rel=preload", "</b.js>; rel=preload",
      ]
    )
  }

  @Test func `reports at most 32 interim responses of an exchange`() async throws {
    let interim = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 100)
    let server = try reply(interim + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.interim.count == 32)
    #expect(answer.text == "a")
  }

  @Test func `stores no interim response`() async throws {
    let server = try reply(
      "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nCache-Control: max-age=9\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 1\r\n\r\na"
    )
    let client = Client { $0.transport = CurlTransport() }
    let request = try Request(.get, server.base + "/")

    _ = try await client.resource(request).value
    let stored = try await client.resource(request).value

    #expect(stored.source == .memory)
    #expect(stored.status == 200)
    #expect(stored.headers.contains("Link") == false)
  }

  @Test(arguments: ["rot13", "gzip, rot13", "ROT13"])
  func `delivers and stores a body in an unknown content coding unchanged`(
    coding: String
  ) async throws {
    let server = try reply(
      "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nCache-Control: max-age=60\r\n"
        + "Content-Length: 5\r\n\r\nuryyb"
    )
    let client = Client { $0.transport = CurlTransport() }
    let request = try Request(.get, server.base + "/")

    for origin in [Resource.Source.network, .memory] {
      let resource = try await client.resource(request).value
      #expect(resource.source == origin)
      #expect(resource.headers[.contentEncoding] == coding)
      #expect(try resource.data() == Data("uryyb".utf8))
    }
  }

  @Test func `a body in an unknown content coding has its limit`() async throws {
    let server = try reply(
      "HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 5\r\n\r\nuryyb"
    )
    var request = try Request(.get, server.base + "/")
    request.limits.bodyBytes = 4

    let answer = await CurlTransport().answer(request)

    guard case .limitExceeded(.bodyBytes(4), _) = answer.error else {
      Issue.record("\(String(describing: answer.error))")
      return
    }
  }

  @Test func `a body in an unknown transfer coding ends with its connection`() async throws {
    let server = try reply(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\nCache-Control: max-age=60\r\n\r\nuryyb"
    )
    let client = Client { $0.transport = CurlTransport() }
    let request = try Request(.get, server.base + "/")

    for origin in [Resource.Source.network, .memory] {
      let resource = try await client.resource(request).value
      #expect(resource.source == origin)
      #expect(resource.headers.contains(.transferEncoding) == false)
      #expect(try resource.data() == Data("uryyb".utf8))
    }
  }

  @Test func `a connection of an unknown transfer coding is not used again`() async throws {
    let server = try RawServer { connection in
      while connection.readHead() != nil {
        guard connection.write("HTTP/1.1 204 No\r\nTransfer-Encoding: rot13\r\n\r\n") else { break }
      }
    }
    let transport = CurlTransport()
    let request = try Request(.get, server.base + "/")

    for _ in 0..<2 {
      let answer = await transport.answer(request)
      #expect(answer.head?.status == 204)
      #expect(answer.metrics?.reusedConnection == false)
    }
  }

  @Test(arguments: [
    "rot13\r\nContent-Length: 5", "gzip", "gzip, chunked", "rot13, chunked", "chunked, rot13",
  ])
  func `refuses a body with two lengths or an unrequested coding`(
    fields: String
  ) async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(fields)\r\n\r\nuryyb")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.kind == "invalidResponse")
    #expect(answer.body.isEmpty)
  }

  @Test(arguments: [
    "Content-Length : 5", "content-length\t: 5", "Content-Length: \r\n 5",
    "Content-Length: 5\r\n 5",
    "Transfer-Encoding : chunked", "Transfer-Encoding:\r\n chunked",
    "Transfer-Encoding: chunked,\r\n\tgzip",
    "Content-Length: 5\r\nTransfer-Encoding : chunked", "Content-Encoding : gzip",
    "Content-Encoding: gzip,\r\n br",
  ])
  func `refuses a framing field that two parsers read differently`(field: String) async throws {
    let server = try reply("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n5\r\nhello\r\n0\r\n\r\n")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error?.kind == "invalidResponse", "\(String(describing: answer.error))")
    #expect(answer.head == nil)
    #expect(answer.body.isEmpty)
  }

  @Test(arguments: [
    "Content-Lengths : 9", "Content-Type : text/plain", "Content-Type: a/b;\r\n c=d",
    "Content-Lengths: 5\r\n 6",
  ])
  func `reads a response with a space before a colon or a folded line elsewhere`(
    field: String
  ) async throws {
    let bytes = "HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length:5\r\n\r\nhello"
    let server = try reply(bytes)

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.error == nil)
    #expect(answer.text == "hello")
  }

  @Test(arguments: [nil, "x"])
  func `refuses a change of the protocol unless the request has asked for one`(
    upgrade: String?
  ) async throws {
    let server = try reply(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello"
    )
    var request = try Request(.get, server.base + "/")
    request.headers[.upgrade] = upgrade

    let answer = await CurlTransport().answer(request)

    #expect(answer.error?.kind == (upgrade == nil ? "invalidResponse" : nil))
    #expect(answer.text == (upgrade == nil ? "" : "hello"))
  }

  @Test func `an interim response does not change the final one`() async throws {
    let server = try reply(
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
    )

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.head?.status == 200)
    #expect(answer.head?.headers.contains("Link") == false)
  }

  @Test func `reads chunks and ignores trailers`() async throws {
    let server = try reply(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
        + "3\r\nabc\r\n2\r\nde\r\n0\r\nX-T: 1\r\n\r\n"
    )

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.text == "abcde")
    #expect(answer.head?.headers.contains("X-T") == false)
    #expect(answer.metrics != nil)
  }

  @Test(arguments: ["HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n"])
  func `has no body where none is allowed`(bytes: String) async throws {
    let server = try reply(bytes)

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.body.isEmpty)
    #expect(answer.metrics != nil)
  }

  @Test func `a HEAD has a length and no body`() async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")

    let answer = await CurlTransport().answer(try Request(.head, server.base + "/"))

    #expect(answer.head?.headers[.contentLength] == "5")
    #expect(answer.metrics != nil)
  }

  @Test func `a body without a length ends with its connection`() async throws {
    let server = try reply("HTTP/1.1 200 OK\r\n\r\nhello")

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.text == "hello")
    #expect(answer.error == nil)
  }

  @Test func `decodes gzip and leaves the head as it was`() async throws {
    let server = try RawServer { connection in
      guard connection.readHead()?.contains("gzip") == true else { return }
      connection.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n")
      connection.write("Content-Length: \(compressed.count)\r\n\r\n")
      connection.write(compressed)
    }

    let answer = await CurlTransport().answer(try Request(.get, server.base + "/"))

    #expect(answer.text == "hello hello hello hello")
    #expect(answer.head?.headers[.contentEncoding] == "gzip")
    #expect(answer.metrics?.bytesReceived == Int64(compressed.count))
  }

  @Test(arguments: [HTTPHeaders.Field(name: .acceptEncoding, value: "gzip")])
  func `keeps a requested encoding`(field: HTTPHeaders.Field) async throws {
    let server = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
      connection.write("Content-Length: \(compressed.count)\r\n\r\n")
      connection.write(compressed)
    }
    let request = Request(.get, try #require(URL(string: server.base)), headers: .init([field]))

    #expect(await CurlTransport().answer(request).body == compressed)
  }

  @Test func `keeps connections and reports it`() async throws {
    let server = try RawServer { connection in
      while connection.readHead() != nil {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
      }
    }
    let transport = CurlTransport()
    let request = try Request(.get, server.base + "/")

    let reused = [
      await transport.answer(request).metrics?.reusedConnection,
      await transport.answer(request).metrics?.reusedConnection,
    ]

    #expect(reused == [false, true])
  }

  @Test func `resolves no host with given addresses`() async throws {
    let server = try reply("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let transport = CurlTransport { $0.addresses = ["given.invalid:\(server.port)": "127.0.0.1"] }

    let answer = await transport.answer(try Request(.get, "http://given.invalid:\(server.port)/"))

    #expect(answer.head?.status == 200)
  }
}

private func reply(_ bytes: String) throws -> RawServer {
  try RawServer { connection in
    _ = connection.readHead()
    connection.write(bytes)
  }
}

private let compressed =
  Data(
    base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA=="
  ) ?? Data()
#endif
