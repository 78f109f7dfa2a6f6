import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite struct RequestBodyTests {
  private let url = "http://a.example/notes"

  @Test func `the chunks of a sequence without a failure are a body`() async throws {
    let texts = AsyncStream<Data> { continuation in
      for text in ["one, ", "two"] { continuation.yield(Data(text.utf8)) }
      continuation.finish()
    }

    let body = RequestBody.stream(length: 8, contentType: .plainText) { texts }

    #expect(try await collect(body) == Data("one, two".utf8))
    #expect((body.length, body.contentType) == (8, .plainText))
    #expect(!body.isReplayable)
  }

  @Test func `a body in memory has its bytes, and a file and a stream have none`() throws {
    let json = try RequestBody.json(["amount": 5])

    #expect(json.bytes == Data(#"{"amount":5}"#.utf8))
    #expect(RequestBody.file(URL(filePath: "/film")).bytes == nil)
    #expect(RequestBody.stream { AsyncStream<Data> { $0.finish() } }.bytes == nil)
  }

  @Test func `the body of a response is that of another request`() async throws {
    let transport = ScriptedTransport([
      url: ScriptedResponse(chunks: [Data("one, ".utf8), Data("two".utf8)])
    ])
    let client = Client { $0.transport = transport }
    let source = try Request(url)

    let body = RequestBody.stream(isReplayable: true) { client.stream(source) }

    #expect(try await collect(body) == Data("one, two".utf8))
    #expect(try await collect(body) == Data("one, two".utf8))
    #expect(transport.counts.started == 2)
  }

  @Test func `a body fails as its sequence does`() async throws {
    let client = Client { $0.transport = ScriptedTransport { _ in ScriptedResponse(404) } }
    let source = try Request(url)

    let error = await #expect(throws: FreshetError.self) {
      try await collect(.stream { client.stream(source) })
    }

    #expect(error?.kind == "status")
  }

  @Test func `a part of a form is made of the chunks of any sequence`() async throws {
    let texts = AsyncStream<Data> { continuation in
      continuation.yield(Data("one".utf8))
      continuation.finish()
    }

    let part = MultipartBody.Part.stream("note", filename: "a.txt", length: 3) { texts }

    #expect(try await collect(part.body) == Data("one".utf8))
    #expect((part.body.length, part.filename) == (3, "a.txt"))
  }
}
