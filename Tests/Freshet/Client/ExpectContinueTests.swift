import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// Bodies that wait until the server wants them.
@Suite(.timeLimit(.minutes(5))) struct ExpectContinueTests {
  private let server: LoopbackServer
  private let client = Client { $0.expectContinueLength = 1_000 }

  init() throws {
    server = try LoopbackServer([
      "/taken": .echo, "/refused": .status(413, body: "too large").upload(.unread),
    ])
  }

  private func put(_ path: String, _ body: RequestBody) -> Request {
    Request(.put, server.url(path), body: body)
  }

  @Test func `a long body is asked for, and a short one is sent at once`() async throws {
    let long = Data(repeating: 7, count: 1_000)
    _ = try await client.send(put("/taken", .bytes(long))).value
    _ = try await client.send(put("/taken", .bytes(long.dropLast()))).value
    var own = put("/taken", .bytes(long))
    own.headers["Expect"] = "something else"

    #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
    #expect(server.requests.map(\.bodyLength) == [1_000, 999])
    #expect(client.prepared(own).headers["Expect"] == "something else")
  }

  @Test func `a file is asked for by its length`() throws {
    let folder = try TemporaryDirectory()
    try Data(repeating: 7, count: 1_000).write(to: folder.file("long"))
    try Data(repeating: 7, count: 999).write(to: folder.file("short"))
    let fields = ["long", "short", "missing"]
      .map { client.prepared(put("/taken", .file(folder.file($0)))).headers["Expect"] }

    #expect(fields == ["100-continue", nil, nil])
  }

  /// Returns the status of the response to 8 MiB, and how many of them were sent before it.
  private func sent(to url: URL) async throws -> (status: HTTPStatus?, bytes: Int64) {
    var sent: Int64 = 0
    let body = RequestBody.bytes(Data(repeating: 7, count: 8 << 20))
    var status: HTTPStatus?
    for try await event in client.send(Request(.put, url, body: body)) {
      switch event {
      case .progress(let progress):
        if status == nil, progress.total == 8 << 20 { sent = progress.completed }
      case .value(let response): status = response.status
      }
    }
    return (status, sent)
  }

  @Test func `a request that is refused by its fields sends no body`() async throws {
    // A server that takes longer than a second gets a body.
    #expect(try await eventually { try await sent(to: server.url("/refused")) == (413, 0) })
  }

  #if !canImport(Darwin)
  @Test func `a failed expectation is the response, and later bodies wait as before`() async throws
  {
    // A server that takes longer than a second gets a body.
    let isRight = try await eventually {
      let seen = Seen<String>()
      let raw = try RawServer { connection in
        while let head = connection.readHead() {
          let path = String(head.split(separator: " ")[1])
          seen.add(path)
          let status = path == "/unmet" ? "417 Expectation Failed" : "413 Content Too Large"
          connection.write("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\nno")
        }
      }
      let url = try #require(URL(string: raw.base))
      let request = Request(
        .put,
        url.appending(path: "unmet"),
        body: .bytes(Data(repeating: 7, count: 1_000))
      )

      let unmet = try await client.send(request).value
      let refused = try await sent(to: url.appending(path: "large"))

      #expect(unmet.status == 417)
      #expect(unmet.body.isEmpty)
      return refused == (413, 0) && seen.values == ["/unmet", "/large"]
    }

    #expect(isRight)
  }

  @Test func `a server that does not answer gets the body after a second`() async throws {
    let seen = Seen<String>()
    let raw = try RawServer { connection in
      seen.add(connection.readHead() ?? "")
      seen.add(String(decoding: connection.read(1_000), as: UTF8.self))
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let url = try #require(URL(string: raw.base))
    let text = String(repeating: "a", count: 1_000)
    let began = ContinuousClock.now

    let response = try await client.send(Request(.put, url, body: .bytes(Data(text.utf8)))).value

    #expect(ContinuousClock.now - began > .milliseconds(900))
    #expect(response.status == 200)
    #expect(seen.values.first?.contains("100-continue") == true)
    #expect(seen.values.last == text)
  }
  #endif
}
