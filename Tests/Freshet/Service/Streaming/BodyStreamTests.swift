import Foundation
import Freshet
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct BodyStreamTests {
  @Test func `chunks arrive unchanged and are pulled one by one`() async throws {
    let script = ServiceScript(.init(chunks: [Data("a".utf8), Data("b".utf8)]))
    var body = Client(script).stream(.get("x")).makeAsyncIterator()
    #expect(script.requests.isEmpty)

    #expect(try await body.next() == Data("a".utf8))
    #expect(script.pulled.withLock { $0 } == 2)
    #expect(try await body.next() == Data("b".utf8))
    #expect(try await body.next() == nil)
    #expect(try await body.next() == nil)
  }

  @Test func `delivers the head before the body is read`() async throws {
    let script = ServiceScript(.init(headers: ["X": "1"], chunks: [Data("a".utf8)]))
    var body = Client(script).stream(.get("x")).makeAsyncIterator()

    #expect(try await body.head().headers["X"] == "1")
    #expect(script.pulled.withLock { $0 } == 1)
    #expect(try await body.next() == Data("a".utf8))
    #expect(try await body.head().headers["X"] == "1")
  }

  @Test func `a status outside of 2xx is a failure with the body's beginning`() async throws {
    let chunk = Data(count: 40_000)
    let script = ServiceScript(.init(status: 500, chunks: [chunk, chunk, chunk]))

    let error = await #expect(throws: FreshetError.self) {
      try await Client(script).stream(.get("x")).collected()
    }

    guard case .status(let head, let body) = error else { throw try #require(error) }
    #expect(head.status == 500)
    #expect(body.count == 65_536)
    #expect(script.pulled.withLock { $0 } == 3)
  }

  @Test func `a status whose body is lost keeps its status`() async throws {
    let reply = ServiceScript.Reply(
      status: 404,
      chunks: [Data("gone".utf8)],
      failure: .connection(.truncated, url: "")
    )

    let error = await #expect(throws: FreshetError.self) {
      try await Client(ServiceScript(reply)).stream(.get("x")).collected()
    }

    guard case .status(let head, let body) = error else { throw try #require(error) }
    #expect(head.status == 404)
    #expect(body == Data("gone".utf8))
  }

  @Test func `a failure is thrown once`() async throws {
    let script = ServiceScript(
      .init(chunks: [Data("a".utf8)], failure: .connection(.lost, url: ""))
    )
    var body = Client(script).stream(.get("x")).makeAsyncIterator()

    #expect(try await body.next() != nil)
    await #expect(throws: FreshetError.connection(.lost, url: "")) { try await body.next() }
    #expect(try await body.next() == nil)
  }

  @Test func `dropping the iterator ends the transfer`() async throws {
    let script = ServiceScript(.init(chunks: [Data("a".utf8)], hang: Hang()))

    for try await _ in Client(script).stream(.get("x")) { break }

    #expect(script.cancelled.withLock { $0 } == 1)
  }

  @Test func `a body of another media type is a failure, and gives no events`() async throws {
    let page = Data("<html>Log in</html>".utf8)
    let script = ServiceScript(
      .init(headers: [.contentType: "text/html; charset=utf-8"], chunks: [page, page])
    )
    let stream = Client(script).stream(.get("x"))
    let validated = stream.validate(contentType: "text/event-stream")

    #expect(try await stream.events().collected() == [])
    let error = await #expect(throws: FreshetError.self) {
      try await validated.events().collected()
    }

    guard case .decoding(let failure, let head, let body) = error else {
      throw try #require(error)
    }
    #expect(failure.reason == "its Content-Type is text/html, and not text/event-stream")
    #expect(head?.status == 200)
    #expect(body == page)
  }

  @Test func `the media type is a failure once, and no byte precedes it`() async throws {
    let script = ServiceScript(.json("{}"))
    var body = Client(script).stream(.get("x")).validate(contentType: "text/*").makeAsyncIterator()

    #expect(try await body.head().status == 200)
    let error = await #expect(throws: FreshetError.self) { try await body.next() }

    #expect(error?.kind == "decoding")
    #expect(try await body.next() == nil)
  }

  @Test(arguments: [
    ServiceScript.Reply.json("{}"), .init(chunks: [Data("{}".utf8)]),
    .init(headers: [.contentType: "text/html"]),
  ])
  func `an accepted type, none, and a response without a body pass`(
    reply: ServiceScript.Reply
  ) async throws {
    let stream = Client(ServiceScript(reply)).stream(.get("x"))

    let chunks = try await stream.validate(contentType: .json).collected()

    #expect(chunks == reply.chunks)
  }

  @Test func `each of several media types is required`() async {
    let stream = Client(ServiceScript(.json("{}"))).stream(.get("x"))
    let validated = stream.validate(contentType: "text/*").validate(contentType: .json)

    let error = await #expect(throws: FreshetError.self) { try await validated.collected() }

    #expect(error?.kind == "decoding")
    #expect(
      "\(stream.validate(contentType: "text/*"))".hasSuffix(".validate(contentType: text/*)")
    )
  }

  @Test func `the status of an error page is more significant than its type`() async {
    let reply = ServiceScript.Reply(
      status: 502,
      headers: [.contentType: "text/html"],
      chunks: [Data("<html>".utf8)]
    )
    let stream = Client(ServiceScript(reply)).stream(.get("x"))

    let error = await #expect(throws: FreshetError.self) {
      try await stream.validate(contentType: .json).collected()
    }

    #expect(error?.kind == "status")
  }
}
