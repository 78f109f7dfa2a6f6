import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// A pipeline that fails at once.
private struct FailingPipeline<Failure: PipelineFailure>: AsyncSequence, Sendable {
  let error: Failure

  func makeAsyncIterator() -> Iterator { Iterator(error: error) }

  struct Iterator: AsyncIteratorProtocol {
    let error: Failure

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Event<Int>? {
      throw error
    }
  }
}

/// A second pipeline after a failure.
@Suite(.timeLimit(.minutes(5))) struct FallbackTests {
  private let wire = ScriptedTransport { request in
    switch request.url.host() {
    case "down.example": ScriptedResponse(503)
    case "gone.example":
      ScriptedResponse().failing(with: .connection(.unknownHost, url: "\(request.url)"))
    default: .text("from \(request.url.host() ?? "")")
    }
  }

  private func client() -> Client {
    Client {
      $0.transport = wire
      $0.memory = nil
    }
  }

  private func request(_ host: String) throws -> Request {
    Request(try #require(URL(string: "http://\(host)/lake")))
  }

  private var hosts: [String?] { wire.requests.map { $0.url.host() } }

  @Test func `a pipeline that fails is followed by the other one`() async throws {
    let client = client()
    let resource = try await client.resource(request("gone.example"))
      .fallback(to: client.resource(request("b.example")))
      .value

    #expect(try resource.data() == Data("from b.example".utf8))
    #expect(hosts == ["gone.example", "b.example"])
  }

  @Test func `a pipeline that succeeds starts nothing else`() async throws {
    let client = client()
    let pipeline = client.send(try request("a.example"))
      .fallback(to: client.send(try request("b.example")))

    #expect(try await pipeline.value.value == Data("from a.example".utf8))
    #expect(hosts == ["a.example"])
  }

  @Test func `the failure of the other pipeline is that of both`() async throws {
    let client = client()
    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(request("gone.example"))
        .fallback(to: client.resource(request("down.example")))
        .value
    }
    #expect(error?.head?.status == 503)
  }

  @Test func `a failure that is not handled starts nothing`() async throws {
    let client = client()
    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(request("down.example"))
        .fallback(to: client.resource(request("b.example")), when: \.isOffline)
        .value
    }
    #expect(error?.head?.status == 503)
    #expect(hosts == ["down.example"])
  }

  @Test func `several follow one another, and values keep their type`() async throws {
    let client = client()
    let text = try await client.send(request("gone.example")).validate()
      .fallback(to: client.send(request("down.example")).validate())
      .fallback(to: client.send(request("c.example")).validate())
      .value

    #expect(text.value == Data("from c.example".utf8))
    #expect(hosts == ["gone.example", "down.example", "c.example"])
  }

  @Test func `a cancellation starts nothing`() async throws {
    let gate = Gate()
    let slow = ScriptedTransport { _ in .text("x").waiting(for: gate) }
    let client = Client { $0.transport = slow }
    let running = client.send(try request("a.example"))
      .fallback(to: client.send(try request("b.example")))
      .start()
    #expect(await gate.waiting())
    client.activity.cancelAll()

    await #expect(throws: FreshetError.cancelled) { try await running.value }
    #expect(slow.requests.count == 1)
  }

  @Test func `a cancellation in another type of failure starts nothing`() async throws {
    let other = FailingPipeline(error: RouteError.failed(.noValue))
    let pipeline = FailingPipeline(error: RouteError.failed(.cancelled)).fallback(to: other)
    let error = await #expect(throws: RouteError.self) { try await pipeline.value }

    #expect(error?.isCancelled == true)
  }

  @Test func `the description has both pipelines`() throws {
    let client = client()
    let pipeline = client.send(try request("a.example"))
      .fallback(to: client.send(try request("b.example")))

    #expect(
      "\(PipelineDescription(pipeline).line)".contains(".fallback(to: GET http://b.example/lake")
    )
  }
}
