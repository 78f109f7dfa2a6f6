import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ActivityTests {
  private let activity = ClientActivity()

  @Test func `shows running calls with tags and progress`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in
      ScriptedResponse(
        headers: [.contentLength: "2"],
        chunks: [Data("a".utf8), Data("b".utf8)]
      )
      .waiting(for: gate, at: .afterChunks(1))
    }
    let transport = wire.tracked(by: activity)
    let request = try Request(to: "http://a.test/x?secret=1") { $0.tags = ["home"] }
    let task = Task { await transport.call(request) }
    await gate.waiting()

    let call = try #require(activity.calls.first)
    #expect(call.id == 1)
    #expect(call.url == "http://a.test/x")
    #expect(call.tags == ["home"])
    #expect(call.status == 200)
    #expect(call.received == TransferProgress(completed: 1, total: 2))
    #expect(!activity.isIdle)
    gate.open()

    #expect(await task.value.text == "ab")
    #expect(activity.isIdle)
  }

  @Test func `an interceptor can read the activity and end calls`() async throws {
    let transport = ScriptedTransport { _ in .text("x") }
      .intercepted { [activity] request, next in
        #expect(activity.calls.isEmpty)
        activity.cancel(tagged: "search")
        return next(request)
      }
      .tracked(by: activity)

    #expect(await transport.call(try Request()).text == "x")
  }

  @Test func `keeps any number of changes`() async throws {
    let activity = ClientActivity(capacity: .max)
    let transport = ScriptedTransport { _ in .text("x") }.tracked(by: activity)
    var changes = activity.changes.makeAsyncIterator()

    // By default, 1,000 changes are kept.
    for _ in 0..<400 { #expect(await transport.call(try Request()).text == "x") }

    for id in 1...400 {
      for name in ["began \(id)", "ended \(id) -", "idle"] {
        try #require(try await changes.next()?.name == name)
      }
    }
  }

  @Test func `an unread call is not running`() throws {
    let transfer = ScriptedTransport { _ in .text("x") }.tracked(by: activity).send(try Request())

    _ = transfer.makeAsyncIterator()

    #expect(activity.count == 0)
  }

  @Test func `ends a call while its reader waits, and leaves nothing running`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let (transport, request) = (wire.tracked(by: activity), try Request())
    var changes = activity.changes.makeAsyncIterator()
    let tasks = (0..<2).map { _ in Task { await transport.call(request) } }
    await gate.waiting(count: 2)

    activity.cancel(try #require(activity.calls.first?.id))
    for _ in 0..<3 { _ = try await changes.next() }
    #expect(activity.count == 1)
    gate.open()

    let results = await [tasks[0].value, tasks[1].value]
    #expect(results.count { $0.error == .cancelled } == 1)
    #expect(results.count { $0.text == "x" } == 1)
    #expect(results.allSatisfy { $0.ends == 1 })
    #expect(wire.counts.running == 0)
  }

  @Test func `ends a call between two steps immediately`() async throws {
    let wire = ScriptedTransport { _ in .text("x") }
    var events = wire.tracked(by: activity).send(try Request()).makeAsyncIterator()
    _ = try await events.next()

    activity.cancelAll()

    #expect(wire.counts.cancelled == 1)
    await #expect(throws: FreshetError.cancelled) { try await events.next() }
    #expect(activity.isIdle)
  }

  @Test func `ends the calls with a tag and no others`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let transport = wire.tracked(by: activity)
    let tagged = try Request { $0.tags = ["search", "home"] }
    let other = try Request { $0.tags = ["searching"] }
    let first = Task { await transport.call(tagged) }
    let second = Task { await transport.call(other) }
    await gate.waiting(count: 2)

    activity.cancel(tagged: "search")

    #expect(await first.value.error == .cancelled)
    gate.open()
    #expect(await second.value.text == "x")
  }

  @Test func `a tag in another Unicode spelling is another tag`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let transport = wire.tracked(by: activity)
    let request = try Request { $0.tags = ["\u{E9}"] }
    let call = Task { await transport.call(request) }
    await gate.waiting()

    activity.cancel(tagged: "e\u{301}")
    gate.open()

    #expect(await call.value.text == "x")
  }

  @Test func `cancelling the reader's task ends the call`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let (transport, request) = (wire.tracked(by: activity), try Request())
    let task = Task { await transport.call(request) }
    await gate.waiting()

    task.cancel()

    #expect(await task.value.error == .cancelled)
    #expect(activity.isIdle)
    #expect(wire.counts.running == 0)
  }

  @Test func `a call whose reader stops ends`() async throws {
    let wire = ScriptedTransport { _ in .text("x") }
    var events: Transfer.Iterator? =
      wire.tracked(by: activity).send(try Request()).makeAsyncIterator()
    _ = try await events?.next()
    #expect(activity.count == 1)

    events = nil

    #expect(activity.isIdle)
    #expect(wire.counts.cancelled == 1)
  }

  @Test func `reports each beginning and each end once, and when nothing runs`() async throws {
    let lost = FreshetError.connection(.lost, url: "u")
    let transport = ScriptedTransport(sequence: [.text("x"), .failure(lost)]).tracked(by: activity)
    var changes = activity.changes.makeAsyncIterator()

    _ = await transport.call(try Request())
    _ = await transport.call(try Request())
    var names: [String] = []
    for _ in 0..<6 { names.append(try #require(try await changes.next()).name) }

    #expect(
      names == ["began 1", "ended 1 -", "idle", "began 2", "ended 2 connection", "idle"]
    )
  }

  @Test func `a response that is read to its end before a retry has ended complete`() async throws {
    let wire = ScriptedTransport(sequence: [
      ScriptedResponse(503, body: Data("busy".utf8)), .text("x"),
    ])
    let transport = wire.tracked(by: activity).retrying(RetryPolicy(retries: 1, after: .zero))
    var changes = activity.changes.makeAsyncIterator()

    #expect(await transport.call(try Request()).text == "x")
    var names: [String] = []
    for _ in 0..<6 { names.append(try #require(try await changes.next()).name) }

    #expect(names == ["began 1", "ended 1 -", "idle", "began 2", "ended 2 -", "idle"])
  }

  @Test func `a call that is ended while its response is discarded is not retried`() async throws {
    let wire = EndingTransport(activity: activity)
    let transport = wire.tracked(by: activity).retrying(RetryPolicy(retries: 1, after: .zero))
    var changes = activity.changes.makeAsyncIterator()

    #expect(await transport.call(try Request()).error == .cancelled)
    var names: [String] = []
    for _ in 0..<3 { names.append(try #require(try await changes.next()).name) }

    #expect(names == ["began 1", "ended 1 cancelled", "idle"])
    #expect(wire.sends.read { $0 } == 1)
  }

  @Test func `is idle once, after the last of many`() async throws {
    let gate = Gate()
    let wire = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let (transport, request) = (wire.tracked(by: activity), try Request())
    var changes = activity.changes.makeAsyncIterator()
    let tasks = (0..<10).map { _ in Task { await transport.call(request) } }
    await gate.waiting(count: 10)

    gate.open()
    for task in tasks { _ = await task.value }
    var names: [String] = []
    for _ in 0..<21 { names.append(try #require(try await changes.next()).name) }

    #expect(names.filter { $0 == "idle" }.count == 1)
    #expect(names.last == "idle")
  }
}

/// Answers 503, and ends all calls while the body of that is read.
private struct EndingTransport: Transport {
  let activity: ClientActivity
  let sends = Watched(0)

  func send(_ request: Request) -> Transfer {
    Transfer(request) { [activity, sends] request in
      sends.update { $0 += 1 }
      return EndingExchange(ResponseHead(status: 503, headers: [:], url: request.url), activity)
    }
  }
}

private final class EndingExchange: Exchange {
  private let base: ScriptedExchange
  private let activity: ClientActivity

  init(_ head: ResponseHead, _ activity: ClientActivity) {
    base = ScriptedExchange(.head(head), .body(Data("busy".utf8)), .finished(TransferMetrics()))
    self.activity = activity
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    let event = try await base.next()
    if case .body = event { activity.cancelAll() }
    return event
  }

  func cancel() {
    base.cancel()
  }
}

extension ClientActivity.Change {
  fileprivate var name: String {
    switch self {
    case .began(let call): "began \(call.id)"
    case .ended(let call, let error): "ended \(call.id) \(error?.kind ?? "-")"
    case .becameIdle: "idle"
    case .changedWait(let call): "waits \(call.id)"
    }
  }
}
