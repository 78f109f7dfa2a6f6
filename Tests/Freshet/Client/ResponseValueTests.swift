import Foundation
import Freshet
import FreshetTesting
import Testing

/// The value of a call, which is taken as a whole, beside its events.
@Suite(.timeLimit(.minutes(5))) struct ResponseValueTests {
  private struct Load: Endpoint {
    typealias Output = Data
    var path: RequestPath { "http://a.example/x" }
  }

  /// A transport whose transfers deliver these events.
  private struct Fixed: Transport {
    let events: [TransferEvent]
    var failure: FreshetError?

    func send(_ request: Request) -> Transfer {
      Transfer(request, events: FixedEvents(events: events, failure: failure))
    }
  }

  private var request: Request {
    get throws { try Request("http://a.example/x") }
  }

  private static let head = ResponseHead(
    status: .ok,
    headers: [.contentLength: "4"],
    url: URL(filePath: "/x")
  )

  private static let whole: [TransferEvent] = [
    .sent(TransferProgress(completed: 1)),
    .redirected(Redirect(head: head, target: head.url, method: .get)),
    .retrying(attempt: 2, after: .zero, because: "it was lost"),
    .interim(head), .head(head), .body(Data("ab".utf8)), .body(Data("cd".utf8)),
    .finished(TransferMetrics()),
  ]

  @Test func `is the response of the last event, with the same decisions`() async throws {
    let client = Client { $0.transport = Fixed(events: Self.whole) }
    let call = client.send(try request)

    var last: Response<Data>?
    var progress = 0
    for try await event in call {
      if case .value(let response) = event { last = response } else { progress += 1 }
    }
    let value = try await call.value

    #expect(progress == 3)
    #expect(value.value == Data("abcd".utf8) && value.head == last?.head)
    #expect(value.explanation.description == last?.explanation.description)
    #expect(value.explanation.isEmpty == false)
    #expect(try await client.call(Load()).value.value == value.value)
    #expect(try await client.call(Load()).output == value.value)
  }

  @Test func `has the limit of the call, and the failure of its transport`() async throws {
    let client = Client { $0.transport = Fixed(events: Self.whole) }
    let broken = Client {
      $0.transport = Fixed(
        events: Array(Self.whole.dropLast(2)),
        failure: .connection(.lost, url: "")
      )
    }

    await #expect(throws: FreshetError.self) {
      try await client.send(try request, limit: 3).value
    }
    await #expect(throws: FreshetError.connection(.lost, url: "")) {
      try await broken.send(try request).value
    }
    await #expect(throws: CallError<NoErrorModel>.self) { try await broken.call(Load()).value }
  }

  @Test func `a call that ends without a response has no value`() async throws {
    let client = Client { $0.transport = Fixed(events: []) }

    await #expect(throws: FreshetError.noValue) {
      try await client.send(try request).value
    }
    await #expect {
      try await client.call(Load()).value
    } throws: {
      "\($0)" == "\(CallError<NoErrorModel>.failed(.noValue))"
    }
  }
}

private struct FixedEvents: AsyncSequence, Sendable {
  let events: [TransferEvent]
  let failure: FreshetError?

  func makeAsyncIterator() -> Iterator { Iterator(events: events[...], failure: failure) }

  struct Iterator: AsyncIteratorProtocol {
    var events: ArraySlice<TransferEvent>
    var failure: FreshetError?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      if let event = events.popFirst() { return event }
      guard let failure = failure.take() else { return nil }
      throw failure
    }
  }
}
