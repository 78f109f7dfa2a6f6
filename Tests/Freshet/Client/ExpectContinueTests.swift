import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Bodies that wait until the server wants them.
@Suite struct ExpectContinueTests {
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

  @Test func `a request that is refused by its fields sends no body`() async throws {
    var sent: Int64 = 0
    let body = RequestBody.bytes(Data(repeating: 7, count: 8 << 20))
    var status: HTTPStatus?
    for try await event in client.send(put("/refused", body)) {
      switch event {
      case .progress(let progress):
        if status == nil, progress.total == 8 << 20 { sent = progress.completed }
      case .value(let response): status = response.status
      }
    }

    #expect(status == 413)
    #expect(sent == 0)
  }
}
