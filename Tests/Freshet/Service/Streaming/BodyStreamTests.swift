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
}
