import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct MapChunksTests {
  @Test func `keeps length, media type and replay, also of a file`() async throws {
    let folder = try TemporaryDirectory()
    let data = Data(count: 200_000)
    try data.write(to: folder.file("data"))
    let file = RequestBody.file(folder.file("data"), contentType: .octetStream)

    for body in [file, .bytes(data, contentType: .octetStream)] {
      let lengths = Mutex<[Int]>([])
      let mapped = body.mapChunks { chunk in
        lengths.withLock { $0.append(chunk.count) }
        return Data(repeating: 1, count: chunk.count)
      }

      #expect(mapped.length == 200_000)
      #expect(mapped.contentType == .octetStream)
      #expect(mapped.isReplayable)
      let whole = Data(repeating: 1, count: 200_000)
      #expect(try await collect(mapped) == whole)
      #expect(try await collect(mapped) == whole)
      #expect(lengths.withLock(\.count) == 8)
    }
    let once = RequestBody.stream { AsyncStream<Data> { $0.finish() } }.mapChunks { $0 }
    #expect(once.length == nil)
    #expect(!once.isReplayable)
  }

  @Test func `a paced file is sent with its length`() async throws {
    let folder = try TemporaryDirectory()
    try Data(count: 200_000).write(to: folder.file("data"))
    let server = try LoopbackServer(["/x": .text("x")])
    let gate = Gate()
    gate.open()
    let client = Client {
      $0.transport = DefaultTransport()
        .intercepted { request, next in
          var request = request
          request.body = request.body?
            .mapChunks { chunk in
              try await gate.enter()
              return chunk
            }
          return next(request)
        }
    }

    let request = Request(.put, server.url("/x"), body: .file(folder.file("data")))
    _ = try await client.send(request).value

    let received = try #require(server.requests.first)
    #expect(received.bodyLength == 200_000)
    #expect(received.headers[.contentLength] == "200000")
    #expect(!received.headers.contains(.transferEncoding))
    await server.stop()
  }

  @Test func `an error of the closure fails the request`() async throws {
    let server = try LoopbackServer(["/x": .text("x")])
    let body = RequestBody.text("x").mapChunks { _ in throw FreshetError.noValue }

    let error = await #expect(throws: FreshetError.self) {
      try await Client().send(Request(.put, server.url("/x"), body: body)).value
    }

    #expect(error != nil)
    await server.stop()
  }

  @Test func `a missing file fails as without the closure`() async throws {
    let folder = try TemporaryDirectory()
    let file = RequestBody.file(folder.file("missing"))
    let server = try LoopbackServer(["/x": .text("x")])

    for body in [file, file.mapChunks { $0 }] {
      let error = await #expect(throws: FreshetError.self) {
        try await Client().send(Request(.put, server.url("/x"), body: body)).value
      }
      #expect(error?.kind == "file")
    }
    await server.stop()
  }
}
