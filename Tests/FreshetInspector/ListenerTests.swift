import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetInspector

@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
  /// A client of the inspector, which no inspector observes.
  private let browser = Client { $0.memory = nil }

  private func inspector() throws -> Inspector {
    try Inspector(port: 0) { $0.announce = { _ in } }
  }

  @Test func `serves the page on 127 0 0 1, and announces its URL`() async throws {
    let lines = Shared<[String]>([])
    let client = Client { $0.transport = ScriptedTransport { _ in .cached("x") } }
    let inspector = try await client.inspect { $0.announce = { lines.value.append($0) } }
    let url = try #require(inspector.url)

    let page = try await browser.send(Request(.get, url)).value

    #expect(page.head.status == 200)
    #expect(String(decoding: page.value, as: UTF8.self) == Page.markup)
    #expect(lines.value == ["Freshet inspector: \(url.absoluteString)"])
    #expect(url.host() == "127.0.0.1" && url.path().hasSuffix("/"))
  }

  @Test func `listens on no other address`() throws {
    let inspector = try inspector()
    let port = try #require(inspector.port)
    var sockets: [Substring] = []
    // A line may be missing while other sockets come and go.
    for _ in 0..<100 where sockets.isEmpty {
      var table = ""
      for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
        // A system without IPv6 has no second table.
        guard let file = FileHandle(forReadingAtPath: path) else { continue }
        table += String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
      }
      sockets = table.split(separator: "\n")
        .compactMap { line -> Substring? in
          let words = line.split(separator: " ")
          // 0A is the state of a listener.
          guard words.count > 3, words[3] == "0A" else { return nil }
          return words[1].hasSuffix(":" + String(format: "%04X", port)) ? words[1] : nil
        }
    }

    #expect(sockets.map { $0.prefix(8) } == ["0100007F"])
  }

  @Test func `refuses a wrong token, another host and another origin on the wire`() async throws {
    let inspector = try inspector()
    let url = try #require(inspector.url)
    let wrong = try #require(URL(string: "http://127.0.0.1:\(url.port ?? 0)/AAAA/"))
    func status(_ url: URL, _ headers: HTTPHeaders) async throws -> HTTPStatus {
      try await browser.send(Request(url, headers: headers)).value.head.status
    }

    #expect(try await status(wrong, [:]) == 404)
    #expect(try await status(url, [.host: "attacker.test:\(url.port ?? 0)"]) == 421)
    #expect(try await status(url, [.origin: "http://attacker.test"]) == 403)
    #expect(try await status(url, [.host: "localhost:\(url.port ?? 0)"]) == 200)
  }

  @Test func `closes the connection of a request that it refuses`() async throws {
    let inspector = try inspector()
    let url = try #require(inspector.url)
    let refused = Request(url, headers: [.origin: "http://attacker.test"])

    let refusal = try await browser.send(refused).value
    let page = try await browser.send(Request(.get, url)).value

    #expect(refusal.head.headers[.connection] == "close")
    #expect(!page.head.headers.contains(.connection))
  }

  @Test func `closes the connection of a request that asks for it`() throws {
    let inspector = try inspector()
    let url = try #require(inspector.url)
    let client = RawConnection(to: try #require(inspector.port))

    let fields = "Host: 127.0.0.1:\(url.port ?? 0)\r\nConnection: x, Close\r\n"
    client.write("GET \(url.path()) HTTP/1.1\r\n\(fields)\r\n")

    let answer = String(decoding: client.readToEnd(), as: UTF8.self)
    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("Connection: close\r\n"))
  }

  @Test func `connections without a whole request keep nobody out`() async throws {
    let inspector = try inspector()
    let url = try #require(inspector.url)
    let port = try #require(inspector.port)
    let silent = (0..<32).map { _ in RawConnection(to: port) }
    for connection in silent { connection.write("G") }

    let page = try await browser.send(Request(.get, url)).value

    #expect(page.head.status == 200)
    #expect(silent[0].waitForEnd())
  }

  @Test(.timeLimit(.minutes(5)))
  func `closes a connection whose request takes too long`() throws {
    let listener = try Listener(port: 0, patience: .milliseconds(1)) { _ in
      InspectorResponse(refused: .notFound)
    }
    let connection = RawConnection(to: listener.port)
    connection.write("GET / HTTP/1.1\r\n")

    #expect(connection.waitForEnd())
    listener.stop()
  }

  @Test func `sends changes as they come`() async throws {
    let client = Client { $0.transport = ScriptedTransport { _ in .cached("x") } }
    let inspector = try await client.inspect { $0.announce = { _ in } }
    let url = try #require(inspector.url).appending(path: "api/events")
    var events = browser.events(Request(.get, url)).makeAsyncIterator()
    let first = try await events.next()
    _ = try await client.resource(Request(.get, "http://a.test/one")).value
    var later = ""
    while !later.contains("http://a.test/one") { later = try await events.next()?.data ?? "end" }

    #expect(first?.data.contains("\"isWhole\":true") == true)
    #expect(later.contains("\"isWhole\":false"))
  }

  @Test func `closes the port and its connections when it stops`() async throws {
    let inspector = try inspector()
    let url = try #require(inspector.url)
    let events = browser.stream(Request(.get, url.appending(path: "api/events")))
    var iterator = events.makeAsyncIterator()
    _ = try await iterator.next()
    inspector.stop()
    do { while try await iterator.next() != nil {} } catch {}

    await #expect(throws: FreshetError.self) {
      try await browser.send(Request(.get, url)).value
    }
    #expect(inspector.url == nil)
  }

  @Test func `closes the port and its connections when it is released`() async throws {
    var inspector: Inspector? = try self.inspector()
    let url = try #require(inspector?.url)
    let events = browser.stream(Request(.get, url.appending(path: "api/events")))
    var iterator = events.makeAsyncIterator()
    _ = try await iterator.next()
    inspector = nil
    do { while try await iterator.next() != nil {} } catch {}

    await #expect(throws: FreshetError.self) {
      try await browser.send(Request(.get, url)).value
    }
  }

  @Test func `says why a port cannot be used`() throws {
    let inspector = try inspector()
    let port = try #require(inspector.port)

    #expect(throws: InspectorError(reason: "Address already in use", port: port)) {
      _ = try Inspector(port: port) { $0.announce = { _ in } }
    }
  }
}

@Suite struct RequestReaderTests {
  private func next(_ text: String) -> RequestReader.Next {
    var reader = RequestReader()
    reader.append(Array(text.utf8))
    return reader.next()
  }

  @Test func `reads requests one after the other, however they are cut`() throws {
    let text =
      "GET /a?b HTTP/1.1\r\nHost: x \r\n\r\nPOST /c HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
    var reader = RequestReader()
    var requests: [InspectorRequest] = []
    for byte in (text + "GET /d HTTP/1.1\r\n\r\n").utf8 {
      reader.append([byte])
      if case .request(let request) = reader.next() { requests.append(request) }
    }

    #expect(requests.map(\.target) == ["/a?b", "/c", "/d"])
    #expect(requests.map(\.method.rawValue) == ["GET", "POST", "GET"])
    #expect(requests[0].headers[.host] == "x")
  }

  @Test func `reads a field whose name is any token`() throws {
    guard case .request(let request) = next("GET /a HTTP/1.1\r\nX.Trace!: 1 \r\n\r\n") else {
      Issue.record("it was refused")
      return
    }

    #expect(request.headers["X.Trace!"] == "1")
  }

  @Test(
    arguments: [
      "GET /a\r\n\r\n", "GET a HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
      "GET /a HTTP/1.1\r\n folded: x\r\n\r\n", "GET /a HTTP/1.1\r\nHost : x\r\n\r\n",
      "GET /a HTTP/1.1\r\nno colon\r\n\r\n", "GET /a HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "GET /a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "\r\n\r\n",
      "GET /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "GET /a HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n",
      "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\n",
    ]
  )
  func `refuses what is no request`(text: String) {
    guard case .invalid = next(text) else {
      Issue.record("it was read")
      return
    }
  }
}

@Suite struct JSONTextTests {
  @Test func `writes texts that no page reads as markup`() throws {
    let texts = ["<script>", "\"\\", "\u{0}\u{1F}\u{7F}\n", "é 👩‍👩‍👧 \u{2028}", "&amp;", ""]
    let bytes = JSONText.object { $0.array("texts", texts) }
    let text = String(decoding: bytes, as: UTF8.self)
    let value = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: [String]]

    #expect(value == ["texts": texts])
    #expect(!text.contains("<") && !text.contains("&"))
  }

  @Test(
    arguments: [
      (0.0, "0"), (1.5, "1.500"), (-0.25, "-0.250"), (0.001, "0.001"), (1e14, "100000000000000"),
      (.infinity, "null"), (.nan, "null"), (0.01, "0.010"), (2.0004, "2"),
    ] as [(Double, String)]
  )
  func `writes numbers`(number: Double, text: String) {
    let bytes = JSONText.object { $0.add("n", Optional(number)) }

    #expect(String(decoding: bytes, as: UTF8.self) == "{\"n\":\(text)}")
  }
}
