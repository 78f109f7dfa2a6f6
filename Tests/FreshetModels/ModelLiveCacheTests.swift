import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

/// A live value whose call goes through the client's stores.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelLiveCacheTests {
  private let clock = VirtualClock()
  private let memory = MemoryStore()
  private let store = ModelStore.temporary()
  private let query = ModelQuery(Person.self)

  private struct People: Endpoint {
    typealias Output = [Person]
    var path: RequestPath { "http://a.example/people" }
    var policy = ResourcePolicy()
    var options: CallOptions { CallOptions { $0.cache = policy } }
  }

  private func client(_ answers: [ScriptedResponse]) -> Client {
    Client { [clock, memory] in
      $0.transport = ScriptedTransport(sequence: answers)
      $0.memory = memory
      $0.now = { clock.date }
      $0.retry = .never
    }
  }

  /// A response that is fresh for a minute and can be validated.
  private func answer(_ name: String) -> ScriptedResponse {
    ScriptedResponse(
      headers: [
        .date: HTTPDate.format(clock.date), .cacheControl: "max-age=60", .eTag: "\"v1\"",
      ],
      body: Data(#"[{"id": 1, "name": "\#(name)", "followers_count": 0}]"#.utf8)
    )
  }

  private func end(
    _ client: Client,
    _ people: People = People(),
    _ policy: RefreshPolicy = .always
  ) async throws -> LiveValue<[Person], FreshetError> {
    let pipeline = client.call(people)
    var live = store.live(query, refresh: policy, by: pipeline, now: { [clock] in clock.date })
      .makeAsyncIterator()
    while let value = try await live.next() {
      if case .refreshing = value.state { continue }
      let state: LiveValue<[Person], FreshetError>.State =
        value.failure == nil ? .fresh : .failed(.noValue)
      return LiveValue(value: value.value, state: state)
    }
    throw FreshetError.noValue
  }

  @Test func `a cached copy that replaces a failure is a failed refresh, and stores nothing`()
    async throws
  {
    let lost = FreshetError.connection(.lost, url: "http://a.example/people")
    let client = client([answer("from the server"), .failure(lost), .failure(lost)])
    #expect(try await end(client).value.map(\.name) == ["from the server"])
    try await store.save(Person.sample(1, name: "edited since"))
    clock.advance(by: .seconds(120))

    let last = try await end(client, People(), .after(.seconds(100)))
    #expect(last.failure != nil)
    #expect(last.value.map(\.name) == ["edited since"])
    #expect(try await store.models(query).map(\.name) == ["edited since"])
    // It was no answer: the next one asks again.
    #expect(try await end(client, People(), .after(.seconds(100))).failure != nil)
  }

  @Test func `a live call uses the client's clock`() async throws {
    let client = client([answer("first"), answer("second")])
    func next() async throws -> [String] {
      let policy = RefreshPolicy.after(.seconds(3_600))
      for try await live in client.live(People(), query, in: store, refresh: policy) {
        if case .refreshing = live.state { continue }
        return live.value.map(\.name)
      }
      return []
    }

    #expect(try await next() == ["first"])
    clock.advance(by: .seconds(3_500))
    #expect(try await next() == ["first"])
    clock.advance(by: .seconds(200))
    #expect(try await next() == ["second"])
  }

  @Test func `a stale copy that is shown before its validation is not stored`() async throws {
    let lost = FreshetError.connection(.lost, url: "http://a.example/people")
    let people = People(policy: ResourcePolicy { $0.stale = .beforeValidation })
    let client = client([answer("from the server"), .failure(lost), answer("newest")])
    _ = try await end(client, people)
    try await store.save(Person.sample(1, name: "edited since"))
    clock.advance(by: .seconds(120))

    #expect(try await end(client, people).failure != nil)
    #expect(try await store.models(query).map(\.name) == ["edited since"])
    #expect(try await end(client, people).value.map(\.name) == ["newest"])
  }
}
