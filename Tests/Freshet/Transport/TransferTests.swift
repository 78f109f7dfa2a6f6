import Foundation
import Freshet
import Synchronization
import Testing

@Suite struct TransferTests {
  @Test func `forwards the events in order and ends once`() async throws {
    let script = Script(
      ScriptedExchange(.sent(TransferProgress(completed: 1)), head(200), body("a"), body("b"), end)
    )
    var iterator = script.transfer(try Request(.get, "http://a.test/")).makeAsyncIterator()

    var seen: [String] = []
    while let event = try await iterator.next() { seen.append(event.name) }

    #expect(seen == ["sent", "head", "body a", "body b", "finished"])
    #expect(try await iterator.next() == nil)
  }

  @Test func `is nil forever after it has thrown`() async throws {
    let failure = FreshetError.connection(.lost, url: "u")
    let exchange = ScriptedExchange([.success(head(200)), .failure(failure), .success(end)])
    var iterator = Script(exchange).transfer(try Request(.get, "http://a.test/"))
      .makeAsyncIterator()
    _ = try await iterator.next()

    let error = await thrown { try await iterator.next() }

    #expect(error?.kind == "connection")
    #expect(try await iterator.next() == nil)
    #expect(exchange.unread == 1)
  }

  @Test func `sends nothing before the iteration, and once for each iterator`() async throws {
    let script = Script(ScriptedExchange(head(200), end), ScriptedExchange(head(200), end))
    let transfer = script.transfer(try Request(.get, "http://a.test/"))
    _ = transfer.makeAsyncIterator()
    #expect(script.requests.isEmpty)

    for try await _ in transfer {}
    for try await _ in transfer {}

    #expect(script.requests.count == 2)
  }

  @Test(arguments: ["X-Bad\r\nEvil: 1", "X Bad"])
  func `a request with an unsafe field is refused unsent`(name: String) async throws {
    let script = Script()
    var request = try Request(.get, "http://a.test/")
    request.headers.add("1", for: HTTPHeaders.Name(name))
    var iterator = script.transfer(request).makeAsyncIterator()

    let error = await thrown { try await iterator.next() }

    #expect(error?.kind == "invalidRequest")
    #expect(script.requests.isEmpty)
  }

  @Test func `a cancelled task sends nothing`() async throws {
    let script = Script()
    let transfer = script.transfer(try Request(.get, "http://a.test/"))

    let error = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = transfer.makeAsyncIterator()
      return await thrown { try await iterator.next() }
    }
    .value

    #expect(error?.kind == "cancelled")
    #expect(script.requests.isEmpty)
  }

  @Test func `dropping the iterator cancels the exchange`() async throws {
    let exchange = ScriptedExchange(head(200), body("a"))

    for try await _ in Script(exchange).transfer(try Request(.get, "http://a.test/")) { break }

    #expect(exchange.isCancelled)
  }

  @Test func `a complete exchange is not cancelled`() async throws {
    let exchange = ScriptedExchange(head(200), end)

    for try await _ in Script(exchange).transfer(try Request(.get, "http://a.test/")) {}

    #expect(!exchange.isCancelled)
  }

  @Test func `waits once for what arrives together`() async throws {
    let exchange = ReadyExchange([.success(head(200)), .success(body("a")), .success(end)])

    var seen: [String] = []
    for try await event in Transfer(try Request("http://a.test/"), exchange: { _ in exchange }) {
      seen.append(event.name)
    }

    #expect(seen == ["head", "body a", "finished"])
    #expect(exchange.waits == 1)
  }

  @Test func `ends with a failure that has arrived already`() async throws {
    let failure = FreshetError.connection(.lost, url: "u")
    let exchange = ReadyExchange([.success(head(200)), .failure(failure)])
    var iterator = Transfer(try Request("http://a.test/"), exchange: { _ in exchange })
      .makeAsyncIterator()
    _ = try await iterator.next()

    let error = await thrown { try await iterator.next() }

    #expect(error?.kind == "connection")
    #expect(try await iterator.next() == nil)
    #expect(exchange.waits == 1)
  }
}

/// An exchange whose events have all arrived after the first wait.
private final class ReadyExchange: Exchange {
  private let state: Mutex<(events: [Result<TransferEvent, FreshetError>], waits: Int)>

  init(_ events: [Result<TransferEvent, FreshetError>]) {
    state = Mutex((events, 0))
  }

  var waits: Int { state.withLock { $0.waits } }

  func nextNow() throws(FreshetError) -> TransferEvent? {
    try state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }?.get()
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    state.withLock { $0.waits += 1 }
    return try nextNow()
  }

  func cancel() {}
}

@Suite struct TransferRedirectTests {
  @Test func `follows a redirect and reports it, drained so that the connection is kept`()
    async throws
  {
    let first = ScriptedExchange(head(302, "/b"), body("moved"), end)
    let script = Script(first, ScriptedExchange(head(200), end))

    var seen: [String] = []
    for try await event in script.transfer(try Request(.get, "http://a.test/a")) {
      seen.append(event.name)
    }

    #expect(seen == ["redirected http://a.test/b", "head", "finished"])
    #expect(script.requests.map(\.url.path) == ["/a", "/b"])
    #expect(first.unread == 0)
    #expect(!first.isCancelled)
  }

  @Test func `closes a connection rather than read a large body`() async throws {
    let chunk = TransferEvent.body(Data(count: 40_000))
    let first = ScriptedExchange(head(302, "/b"), chunk, chunk, chunk, end)
    let script = Script(first, ScriptedExchange(head(200), end))

    for try await _ in script.transfer(try Request(.get, "http://a.test/a")) {}

    #expect(first.isCancelled)
    #expect(first.unread == 2)
  }

  @Test func `follows a redirect whose body breaks off`() async throws {
    let lost = FreshetError.connection(.truncated, url: "u")
    let first = ScriptedExchange([.success(head(302, "/b")), .failure(lost)])
    let script = Script(first, ScriptedExchange(head(200), end))

    for try await _ in script.transfer(try Request(.get, "http://a.test/a")) {}

    #expect(script.requests.count == 2)
  }

  @Test func `one redirect too many is a failure, and ends`() async throws {
    var request = try Request(.get, "http://a.test/a")
    request.redirects.maximumCount = 1
    let second = ScriptedExchange(head(302, "/c"), end)
    let script = Script(ScriptedExchange(head(302, "/b"), end), second)
    var iterator = script.transfer(request).makeAsyncIterator()
    _ = try await iterator.next()

    let error = await thrown { try await iterator.next() }

    #expect(error?.head?.status == 302)
    #expect(second.isCancelled)
    #expect(try await iterator.next() == nil)
  }

  @Test func `the total time covers all hops`() async throws {
    var request = try Request(.get, "http://a.test/a")
    request.timeouts.total = .seconds(1_000)
    let script = Script(ScriptedExchange(head(302, "/b"), end), ScriptedExchange(head(200), end))

    for try await _ in script.transfer(request) {}

    let totals = script.requests.compactMap(\.timeouts.total)
    #expect(totals.first == .seconds(1_000))
    #expect(try #require(totals.last) < .seconds(1_000))
    #expect(try #require(totals.last) > .seconds(900))
  }

  @Test func `starts no hop when the time is over`() async throws {
    var request = try Request(.get, "http://a.test/a")
    request.timeouts.total = .nanoseconds(1)
    let script = Script(ScriptedExchange(head(302, "/b"), end))
    var iterator = script.transfer(request).makeAsyncIterator()
    _ = try await iterator.next()

    let error = await thrown { try await iterator.next() }

    #expect(error?.kind == "timedOut")
    #expect(script.requests.count == 1)
  }

  @Test func `starts no hop in a cancelled task`() async throws {
    let script = Script(ScriptedExchange(head(302, "/b"), end))
    let transfer = script.transfer(try Request(.get, "http://a.test/a"))

    let error = await Task {
      var iterator = transfer.makeAsyncIterator()
      _ = try? await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return await thrown { try await iterator.next() }
    }
    .value

    #expect(error?.kind == "cancelled")
    #expect(script.requests.count == 1)
  }
}

private let end = TransferEvent.finished(TransferMetrics())

private func body(_ text: String) -> TransferEvent {
  .body(Data(text.utf8))
}

private func head(_ status: Int, _ location: String? = nil) -> TransferEvent {
  var headers = HTTPHeaders()
  headers[.location] = location
  let url = URL(fileURLWithPath: "/")
  return .head(ResponseHead(status: HTTPStatus(status), headers: headers, url: url))
}

extension TransferEvent {
  fileprivate var name: String {
    switch self {
    case .waitingForConnectivity: "waiting"
    case .sent: "sent"
    case .redirected(let redirect): "redirected \(redirect.target.absoluteString)"
    case .retrying(let attempt, _, _): "retrying \(attempt)"
    case .interim(let head): "interim \(head.status)"
    case .head: "head"
    case .body(let data): "body \(String(decoding: data, as: UTF8.self))"
    case .finished: "finished"
    }
  }
}
