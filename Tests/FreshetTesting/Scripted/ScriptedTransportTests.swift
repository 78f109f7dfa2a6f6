import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite(.timeLimit(.minutes(5))) struct ScriptedTransportTests {
  private let url = "http://a.example/x?y"

  private func exchange(_ transport: some Transport) throws -> any Exchange {
    let transfer = transport.send(try Request(.get, url))
    return transfer.exchange(transfer.request)
  }

  @Test func `plays a response and counts it`() async throws {
    let transport = ScriptedTransport([
      url: ScriptedResponse(201, headers: [.eTag: "\"v\""], chunks: [Data("ab".utf8), Data()])
        .sending(TransferProgress(completed: 1, total: 2))
    ])
    let exchange = try exchange(transport)
    #expect(transport.counts.started == 0)

    guard case .sent(let progress) = try await exchange.next(),
      case .head(let head) = try await exchange.next(),
      case .body(let body) = try await exchange.next(),
      case .finished(let metrics) = try await exchange.next()
    else {
      Issue.record("another order")
      return
    }
    #expect(progress.total == 2)
    #expect(head.status == 201)
    #expect(head.headers[.eTag] == "\"v\"")
    #expect(head.url.absoluteString == url)
    #expect(body == Data("ab".utf8))
    #expect(metrics.bytesReceived == 2)
    #expect(try await exchange.next() == nil)
    exchange.cancel()

    #expect(transport.requests.map(\.url.absoluteString) == [url])
    #expect(transport.counts.started == 1)
    #expect(transport.counts.finished == 1)
    #expect(transport.counts.running == 0)
    #expect(transport.counts.cancelled == 0)
  }

  @Test func `counts what a peer writes, unless metrics are set`() async throws {
    let response = ScriptedResponse.duplex { peer in
      try await peer.send("one")
      try await peer.send("four")
    }
    var counts: [Int64] = []
    for response in [response, response.metrics(TransferMetrics(bytesReceived: 1))] {
      let exchange = try exchange(ScriptedTransport { _ in response })
      while let event = try await exchange.next() {
        if case .finished(let metrics) = event { counts.append(metrics.bytesReceived) }
      }
    }

    #expect(counts == [7, 1])
  }

  @Test func `the failure of the request's body ends what a peer writes`() async throws {
    let transport = ScriptedTransport { _ in
      .duplex { peer in
        var chunks = peer.makeAsyncIterator()
        while (try? await chunks.next()) != nil {}
      }
    }
    var request = try Request(.post, url)
    request.body = .stream { [url] in
      AsyncThrowingStream { $0.finish(throwing: FreshetError.file("it is gone", path: url)) }
    }
    let response = transport.send(request)

    let error = await #expect(throws: FreshetError.self) { for try await _ in response {} }

    #expect(error?.kind == "file")
    #expect(transport.counts.failed == 1)
  }

  @Test(arguments: [0, 1, 2])
  func `fails where it is scripted`(count: Int) async throws {
    let response = ScriptedResponse(chunks: [Data("a".utf8), Data("b".utf8)])
      .failing(with: .connection(.lost, url: url), at: .afterChunks(count))
    let transport = ScriptedTransport { _ in response }
    let exchange = try exchange(transport)

    _ = try await exchange.next()
    for _ in 0..<count { _ = try await exchange.next() }
    let error = await #expect(throws: FreshetError.self) { try await exchange.next() }

    #expect(error?.kind == "connection")
    #expect(transport.counts.failed == 1)
    #expect(try await exchange.next() == nil)
  }

  @Test func `an address outside of the script fails`() async throws {
    let exchange = try exchange(ScriptedTransport([:]))

    let error = await #expect(throws: FreshetError.self) { try await exchange.next() }

    #expect(error?.kind == "invalidRequest")
  }

  @Test func `a request outside of the script names what differs`() async throws {
    let transport = ScriptedTransport([
      "http://a.example/x?page=1": .text("1"), "http://a.example/x?page=2": .text("2"),
      "http://a.example/other": .text("3"),
    ])
    let transfer = transport.send(try Request(.post, "http://a.example/x?page=3&token=s3cret"))
    let exchange = transfer.exchange(transfer.request)

    let error = await #expect(throws: FreshetError.self) { try await exchange.next() }

    let words =
      "The request for http://a.example/x is not valid: the script has no answer to POST"
      + " http://a.example/x?page=3&token=redacted; it has http://a.example/x?page=1,"
      + " http://a.example/x?page=2."
    #expect(error?.description == words)
  }

  @Test(arguments: [
    (HTTPMethod.get, HTTPStatus.ok), (.post, 201), (.delete, 204),
  ])
  func `a key with a method is for that method, and one without for the others`(
    method: HTTPMethod,
    status: HTTPStatus
  ) async throws {
    let transport = ScriptedTransport([
      "http://a.example/users": .text("all"),
      "POST http://a.example/users": ScriptedResponse(201),
      "DELETE http://a.example/users": ScriptedResponse(204),
    ])
    let transfer = transport.send(try Request(method, "http://a.example/users"))

    let event = try await transfer.exchange(transfer.request).next()

    guard case .head(let head) = event else {
      Issue.record("\(String(describing: event))")
      return
    }
    #expect(head.status == status)
  }

  @Test(arguments: ["M-SEARCH", "X_PURGE2", "get"])
  func `the method of a key is any token`(method: String) async throws {
    let transport = ScriptedTransport(["\(method) \(url)": ScriptedResponse(201)])
    let transfer = transport.send(try Request(HTTPMethod(method), url))

    let event = try await transfer.exchange(transfer.request).next()

    guard case .head(let head) = event else {
      Issue.record("\(String(describing: event))")
      return
    }
    #expect(head.status == 201)
  }

  @Test func `a request of another method names the methods of the script`() async throws {
    let exchange = try exchange(ScriptedTransport(["POST \(url)": ScriptedResponse(201)]))

    let error = await #expect(throws: FreshetError.self) { try await exchange.next() }

    let words = "the script has no answer to GET \(url); it has POST \(url)."
    #expect(error?.description.hasSuffix(words) == true)
  }

  @Test(arguments: [
    ("http://a.example/a b", "http://a.example/a%20b"),
    ("http://a.example/ä", "http://a.example/%C3%A4"),
    ("http://a.example", "http://a.example/"), ("http://a.example/?a", "http://a.example?a"),
  ])
  func `finds a response by the URL as a request takes it`(key: String, sent: String) async throws {
    let transport = ScriptedTransport([key: .text("here")])
    let transfer = transport.send(try Request(.get, sent))

    let event = try await transfer.exchange(transfer.request).next()

    guard case .head(let head) = event else {
      Issue.record("\(String(describing: event))")
      return
    }
    #expect(head.status == .ok)
  }

  @Test func `a sequence advances by one and repeats its last response`() async throws {
    let transport = ScriptedTransport(sequence: [ScriptedResponse(500), ScriptedResponse(200)])
    var statuses: [HTTPStatus] = []

    for _ in 0..<3 {
      guard case .head(let head) = try await exchange(transport).next() else { continue }
      statuses.append(head.status)
    }

    #expect(statuses == [500, 200, 200])
  }

  @Test func `waits at a gate in the middle`() async throws {
    let gate = Gate()
    let response = ScriptedResponse(chunks: [Data("a".utf8), Data("b".utf8)])
      .waiting(for: gate, at: .afterChunks(1))
    let exchange = try exchange(ScriptedTransport { _ in response })
    _ = try await exchange.next()
    _ = try await exchange.next()

    let next = Task { try await exchange.next() }
    await gate.waiting()
    gate.open()

    guard case .body(let chunk) = try await next.value else {
      Issue.record("not a chunk")
      return
    }
    #expect(chunk == Data("b".utf8))
  }

  @Test func `cancelling the task ends a wait`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { _ in .text("late").waiting(for: gate) }
    let exchange = try exchange(transport)
    let next = Task { try await exchange.next() }
    await gate.waiting()

    next.cancel()

    let error = await #expect(throws: FreshetError.self) { try await next.value }
    #expect(error?.kind == "cancelled")
    #expect(transport.counts.cancelled == 1)
    #expect(gate.waitingCount == 0)
  }

  @Test func `cancelling the exchange ends a wait`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { _ in .text("late").waiting(for: gate) }
    let exchange = try exchange(transport)
    let next = Task { try await exchange.next() }
    await gate.waiting()

    exchange.cancel()
    exchange.cancel()

    let error = await #expect(throws: FreshetError.self) { try await next.value }
    #expect(error?.kind == "cancelled")
    #expect(transport.counts.cancelled == 1)
  }

  @Test func `an exchange that is cancelled while its response is chosen counts`() async throws {
    let held = Watched<(any Exchange)?>(nil)
    let transport = ScriptedTransport { _ in
      held.read { $0 }?.cancel()
      return .text("late")
    }
    let exchange = try exchange(transport)
    held.update { $0 = exchange }

    let error = await #expect(throws: FreshetError.self) { try await exchange.next() }
    held.update { $0 = nil }

    #expect(error?.kind == "cancelled")
    #expect(transport.counts.cancelled == 1)
    #expect(transport.counts.running == 0)
  }

  @Test func `an unfinished exchange counts as cancelled`() async throws {
    let transport = ScriptedTransport { _ in .text("late") }
    var exchange: (any Exchange)? = try exchange(transport)
    _ = try await exchange?.next()

    exchange = nil

    #expect(await transport.counted { $0.cancelled == 1 })
    #expect(transport.counts.running == 0)
  }
}
