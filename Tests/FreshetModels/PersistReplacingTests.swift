import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

/// Lists of a service that replace what is stored: whole ones and pages, by `persist` and by `live`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PersistReplacingTests {
  let store = ModelStore.temporary()
  let people = ModelQuery(Person.self)
  let lost = FreshetError.connection(.lost, url: "http://a.example/people")

  struct ListPeople: Endpoint {
    typealias Output = [Person]
    var path: RequestPath { "http://a.example/people" }
  }

  /// The page of a list; a link leads to the next one.
  private func page(_ ids: [Int], next: Int? = nil) -> ScriptedResponse {
    let bodies = ids.map { #"{"id": \#($0), "name": "user \#($0)", "followers_count": 0}"# }
    return ScriptedResponse(
      headers: next.map { ["Link": "<http://a.example/people?page=\($0)>; rel=next"] } ?? [:],
      body: Data("[\(bodies.joined(separator: ", "))]".utf8)
    )
  }

  private func client(_ answers: ScriptedResponse...) -> Client {
    Client {
      $0.transport = ScriptedTransport(sequence: answers)
      $0.retry = .never
    }
  }

  private func ids() async throws -> [Int] {
    try await store.models(people).map(\.id)
  }

  /// Reads on to the first element whose refresh has ended.
  private func end<Failure: PipelineFailure>(
    _ live: LiveSequence<[Person], Failure>
  ) async throws -> LiveValue<[Person], Failure> {
    for try await value in live {
      if case .refreshing = value.state { continue }
      return value
    }
    throw FreshetError.noValue
  }

  // MARK: - persist

  @Test func `persist replaces the query's models with a complete list before delivery`()
    async throws
  {
    try await store.save([Person.sample(1), .sample(2)])

    let call = client(page([3, 2])).call(ListPeople()).persist(in: store, replacing: people)
    let first = try await call.first

    #expect(first.value.map(\.id) == [3, 2])
    #expect(try await ids() == [3, 2])
  }

  @Test func `persist delivers the stored form`() async throws {
    try await store.save([Person.sample(1, followers: 9), .sample(2)])
    let page = Timeline(tweets: [.sample("1", by: .sample(3))], next: "more")
    let timeline = try await ResponseScript(.body(page))
      .persist(in: store, replacing: ModelQuery(Tweet.self)).value
    #expect(timeline.value.tweets.map(\.id) == ["1"])
    #expect(timeline.value.next == "more")

    // A summary is a view of the same model, and a list of them may replace those.
    let summaries = try await ResponseScript(.body([Summary(id: 1, name: "new")]))
      .persist(in: store, replacing: people).value
    #expect(summaries.value.map(\.name) == ["new"])
    #expect(try await store.models(people) == [.sample(1, name: "new", followers: 9)])
  }

  private struct Summary: PersistableModel {
    static let modelName = "Person"
    let id: Int
    var name: String
  }

  @Test func `pages are saved as they arrive, and the rest is deleted after the last one`()
    async throws
  {
    try await store.save([Person.sample(1), .sample(2), .sample(9)])
    let pages = client(page([5, 2], next: 2), page([4, 3])).pages(ListPeople(), next: .link)

    var seen: [[Int]] = []
    for try await event in pages.persist(in: store, replacing: people) where event.value != nil {
      seen.append(try await ids())
    }

    #expect(seen == [[1, 2, 9, 5], [1, 2, 9, 5, 4, 3]])
    #expect(try await ids() == [5, 2, 4, 3])
  }

  @Test func `incomplete pages replace nothing`() async throws {
    try await store.save([Person.sample(1), .sample(2)])

    await #expect(throws: (any Error).self) {
      try await client(page([5], next: 2), .failure(lost)).pages(ListPeople(), next: .link)
        .persist(in: store, replacing: people).value
    }
    #expect(try await ids() == [1, 2, 5])

    _ = try await client(page([6], next: 2), page([7])).pages(ListPeople(), next: .link)
      .persist(in: store, replacing: people).first
    #expect(try await ids() == [1, 2, 5, 6])
  }

  @Test func `several values of any pipeline are one list`() async throws {
    try await store.save([Person.sample(1), .sample(2)])
    let script = ResponseScript(.body([Person.sample(3)]), .progress, .body([.sample(2)]))

    _ = try await script.persist(in: store, replacing: people).value

    #expect(try await ids() == [3, 2])
  }

  @Test func `a pipeline without a value replaces nothing`() async throws {
    try await store.save(Person.sample(1))

    for try await _ in ResponseScript<[Person]>(.progress).persist(in: store, replacing: people) {}

    #expect(try await ids() == [1])
  }

  @Test func `a response without a list is a failure, and replaces nothing`() async throws {
    try await store.save(Person.sample(1))
    let failure = FreshetError.store(
      "there is no list of Person in the response: nothing was replaced"
    )

    await #expect(throws: failure) {
      try await ResponseScript<[Person]?>(.body(nil)).persist(in: store, replacing: people).value
    }
    await #expect(throws: failure) {
      try await ResponseScript<[Tweet]>(.body([])).persist(in: store, replacing: people).value
    }
    let null = ResponseScript<[Person]?>(.body(nil))
    #expect(try await end(store.live(people, saving: .replacing, by: null)).failure == failure)
    #expect(try await ids() == [1])

    // An empty one is a list.
    _ = try await ResponseScript<[Person]?>(.body([])).persist(in: store, replacing: people).value
    #expect(try await ids() == [])
  }

  @Test func `a cached copy that replaces a failure replaces nothing`() async throws {
    let client = client(page([1]), .failure(lost), .failure(lost))
    let call = client.call(CachedPeople()).persist(in: store, replacing: people)
    _ = try await call.value
    try await store.save(Person.sample(2))

    #expect(try await call.value.resource?.replacedFailure != nil)
    #expect(try await ids() == [1, 2])
  }

  @Test func `a list of which an old copy has replaced a part replaces nothing`() async throws {
    let client = client(page([1]), .failure(lost), .failure(lost))
    _ = try await client.call(CachedPeople()).value
    let old = try await client.call(CachedPeople()).value
    #expect(old.resource?.replacedFailure != nil)
    try await store.save([Person.sample(1), .sample(2)])

    for lines in [[0, 1], [1, 0]] {
      let parts: [ResponseScript<[Person]>.Line] = [.body([.sample(3)]), .response(old)]
      let script = ResponseScript(parts[lines[0]], parts[lines[1]])
      _ = try await script.persist(in: store, replacing: people).value
    }

    #expect(try await ids() == [1, 2, 3])
  }

  private struct CachedPeople: Endpoint {
    typealias Output = [Person]
    var path: RequestPath { "http://a.example/people" }
    var options: CallOptions { CallOptions { $0.cache = ResourcePolicy { $0.expiry = .always } } }
  }

  // MARK: - live

  @Test func `live removes models that the server no longer lists, and shows its order`()
    async throws
  {
    try await store.save([Person.sample(1), .sample(2)])
    let live = client(page([3, 2])).live(ListPeople(), people, in: store, saving: .replacing)
    var shown: [[Int]] = []

    for try await value in live {
      shown.append(value.value.map(\.id))
      if case .refreshing = value.state { continue }
      #expect(value.failure == nil)
      break
    }

    #expect(shown.first == [1, 2])
    #expect(shown.last == [3, 2])
    #expect(try await ids() == [3, 2])
  }

  @Test func `live removes nothing by default`() async throws {
    try await store.save(Person.sample(1))
    let live = store.live(people, by: ResponseScript(.body([Person.sample(2)])))

    #expect(try await end(live).value.map(\.id) == [1, 2])
  }

  @Test func `all pages of a list make one replacement`() async throws {
    try await store.save([Person.sample(1), .sample(2)])
    var observed = store.observe(people).makeAsyncIterator()
    _ = try await observed.next()
    let pages = client(page([5, 2], next: 2), page([4])).pages(ListPeople(), next: .link)

    let last = try await end(store.live(people, saving: .replacing, by: pages))

    #expect(last.value.map(\.id) == [5, 2, 4])
    #expect(try await observed.next()?.map(\.id) == [5, 2, 4])
  }

  @Test func `live saves nothing of an incomplete list`() async throws {
    try await store.save([Person.sample(1), .sample(2)])
    let script = ResponseScript(.body([Person.sample(5)]), .failure(lost))

    let last = try await end(store.live(people, saving: .replacing, by: script))

    #expect(last.failure == lost)
    #expect(try await ids() == [1, 2])
  }
}
