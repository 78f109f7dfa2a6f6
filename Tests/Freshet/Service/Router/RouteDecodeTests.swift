import Foundation
import Freshet
import Testing

@Suite struct RouteDecodeTests {
  /// Events that are there already, and an end.
  private struct Script: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var events: [Event<Response<Data>>]
    var failure: FreshetError?

    func makeAsyncIterator() -> Script { self }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      if !events.isEmpty { return events.removeFirst() }
      if let failure { throw failure }
      return nil
    }
  }

  private func response(_ body: String, _ status: Int) -> Response<Data> {
    let url = URL(string: "https://a.org/x") ?? URL(filePath: "/")
    let head = ResponseHead(status: HTTPStatus(status), headers: [:], url: url)
    return Response(head: head, value: Data(body.utf8))
  }

  @Test func `decodes values, passes progress on and ends`() async throws {
    let router = try Router([Route("*", [Int].self)])
    let progress = TransferProgress(completed: 1, total: 2)
    let script = Script(events: [.progress(progress), .value(response("[1,2]", 201))])

    let decoded = script.decode([Int].self, by: router)
    var seen: [Event<Response<[Int]>>] = []
    for try await event in decoded { seen.append(event) }

    #expect(seen.count == 2)
    #expect(seen.first?.progress == progress)
    #expect(seen.last?.value?.value == [1, 2])
    #expect(seen.last?.value?.status.rawValue == 201)
  }

  @Test func `fails as the router or as the pipeline below does`() async throws {
    let router = try Router([Route("*", [Int].self)])
    let rejected = Script(events: [.value(response("", 500))])
    let broken = Script(events: [], failure: .connection(.lost, url: "https://a.org/x"))

    let first = await #expect(throws: RouteError.self) {
      try await rejected.decode([Int].self, by: router).value
    }
    let second = await #expect(throws: RouteError.self) {
      try await broken.decode([Int].self, by: router).value
    }

    if case .rejected = first {} else { Issue.record("\(String(describing: first))") }
    if case .failed(.connection) = second {} else { Issue.record("\(String(describing: second))") }
  }

  @Test func `decodes an error status that an earlier stage has accepted`() async throws {
    let router = try Router([Route("*", [Int].self)])
    let script = Script(events: [.value(response("[1]", 404))])

    let decoded = try await script.validate { $0 == 404 }.decode([Int].self, by: router).value

    #expect(decoded.value == [1])
  }
}
