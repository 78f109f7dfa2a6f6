import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

/// A pipeline of decoded responses that plays a script.
struct ResponseScript<Body: Sendable>: AsyncSequence, Sendable {
  typealias Element = Event<Response<Body>>

  enum Line: Sendable {
    case progress
    case body(Body)
    case response(Response<Body>)
    case gate(Gate)
    case failure(FreshetError)
  }

  let lines: [Line]

  init(_ lines: Line...) {
    self.lines = lines
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: lines[...])
  }

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Line>

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Element? {
      while let line = rest.popFirst() {
        switch line {
        case .progress: return .progress(TransferProgress(completed: 1, total: 2))
        case .body(let body): return .value(Response(head: .sample, value: body))
        case .response(let response): return .value(response)
        case .gate(let gate): try await gate.enter()
        case .failure(let failure): throw failure
        }
      }
      return nil
    }
  }
}

extension ResponseHead {
  static let sample = ResponseHead(
    status: .ok,
    headers: ["X-Next": "2"],
    url: URL(filePath: "/")
  )
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct PersistModelsTests {
  let store = ModelStore.temporary()

  @Test func `a model is stored, and delivered in its stored form`() async throws {
    var events: [Event<Response<Person>>] = []
    for try await event in ResponseScript(.progress, .body(Person.sample(1))).persist(in: store) {
      events.append(event)
    }

    #expect(events.map { $0.value == nil } == [true, false])
    #expect(events.last?.value?.value == .sample(1))
    #expect(events.last?.value?.head == .sample)
    #expect(try await store.model(Person.self, id: 1) == .sample(1))
  }

  @Test func `an array of models is stored`() async throws {
    let users = (1...30).map { Person.sample($0) }

    let response = try await ResponseScript(.body(users)).persist(in: store).value

    #expect(response.value == users)
    #expect(try await store.models(ModelQuery(Person.self)) == users)
  }

  @Test func `only the named part of a page is stored, with the models inside it`() async throws {
    let page = Timeline(tweets: [.sample("1"), .sample("2")], next: "cursor")

    let response = try await ResponseScript(.body(page)).persist(in: store).value

    #expect(response.value.next == "cursor")
    #expect(response.value.tweets == page.tweets)
    #expect(try await store.count(ModelQuery(Tweet.self)) == 2)
    #expect(try await store.count(ModelQuery(Person.self)) == 1)
  }

  @Test func `arrays of pages, and optionals, keep their form`() async throws {
    let pages = [
      Timeline(tweets: [.sample("1")], next: "a"), Timeline(tweets: []),
      Timeline(tweets: [.sample("2"), .sample("3")]),
    ]
    let response = try await ResponseScript(.body(pages)).persist(in: store).value
    #expect(response.value.map { $0.tweets.map(\.id) } == [["1"], [], ["2", "3"]])

    let optionals: [Person?] = [.sample(1), nil, .sample(2)]
    let second = try await ResponseScript(.body(optionals)).persist(in: store).value
    #expect(second.value == optionals)
  }

  @Test func `an error response does not change the store`() async throws {
    try await store.save(Person.sample(1))
    var observed = store.observe(ModelQuery(Person.self)).makeAsyncIterator()
    _ = try await observed.next()
    let failure = FreshetError.status(
      ResponseHead(status: 404, headers: [:], url: URL(filePath: "/")),
      body: Data(#"{"id": 1, "name": "an error that looks like a user"}"#.utf8)
    )

    await #expect(throws: failure) {
      try await ResponseScript<Person>(.progress, .failure(failure)).persist(in: store).value
    }

    #expect(try await store.models(ModelQuery(Person.self)) == [.sample(1)])
    try await store.save(Person.sample(2))
    #expect(try await observed.next()?.count == 2)
  }

  @Test func `several values are stored one after the other`() async throws {
    let script = ResponseScript(
      .body(Person.sample(1, name: "stale")),
      .body(.sample(1, name: "fresh"))
    )
    var stored: [String?] = []
    for try await event in script.persist(in: store) {
      stored.append(try await store.model(Person.self, id: 1)?.name)
      #expect(event.value?.value.name == stored.last)
    }

    #expect(stored == ["stale", "fresh"])
  }

  @Test func `a save that fails ends the pipeline with a typed failure`() async throws {
    try await store.save(Person.sample(1))
    await store.close()

    await #expect(throws: FreshetError.store("the store is closed")) {
      try await ResponseScript(.body(Person.sample(2))).persist(in: store).value
    }
  }

  /// What another database behind the protocol may look like.
  private actor Elsewhere: ModelStoring {
    var saved: [String] = []
    let isBroken: Bool

    init(isBroken: Bool) { self.isBroken = isBroken }

    nonisolated(nonsending) func save<Model: PersistableModel>(
      _ models: [Model]
    ) async throws(FreshetError) -> [Model] {
      await note(models.map { "\(Model.modelName) \($0.id)" })
      return isBroken ? [] : models
    }

    private func note(_ names: [String]) { saved += names }
  }

  @Test func `another database can be used behind it`() async throws {
    let elsewhere = Elsewhere(isBroken: false)

    let page = Timeline(tweets: [.sample("1"), .sample("2")])
    _ = try await ResponseScript(.body(page)).persist(in: elsewhere).value

    #expect(await elsewhere.saved == ["Tweet 1", "Tweet 2"])
  }

  @Test func `another database that breaks its contract is a failure`() async throws {
    let elsewhere = Elsewhere(isBroken: true)

    await #expect(throws: FreshetError.store("it returned 0 models for 1 that were saved")) {
      try await ResponseScript(.body(Person.sample(1))).persist(in: elsewhere).value
    }
    await #expect(throws: FreshetError.self) {
      try await ResponseScript(.body([[Person.sample(1)]])).persist(in: elsewhere).value
    }
  }
}
