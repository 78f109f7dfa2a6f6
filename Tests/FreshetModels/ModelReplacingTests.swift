import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetModels

/// A list that takes the place of what a query finds.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelReplacingTests {
  let store = ModelStore.temporary()
  let people = ModelQuery(Person.self)

  @Test(arguments: StorePlace.allCases)
  func `deletes what the list does not have, updates and adds the rest`(
    _ place: StorePlace
  ) async throws {
    let store = place.make()
    try await store.save([Person.sample(1), .sample(2), .sample(3)])

    let stored = try await store.replace(people, with: [.sample(4), .sample(2, name: "new")])

    #expect(stored.map(\.name) == ["user 4", "new"])
    #expect(try await store.models(people).map(\.name) == ["user 4", "new"])
    #expect(try await store.model(Person.self, id: 1) == nil)
  }

  @Test func `replaces only what the query finds`() async throws {
    let famous = people.where(\.followers, in: 100...)
    try await store.save([Person.sample(1, followers: 5), .sample(2, followers: 500)])

    try await store.replace(famous, with: [.sample(3, followers: 300)])

    #expect(try await store.models(people).map(\.id) == [1, 3])
  }

  @Test func `an empty list leaves nothing`() async throws {
    try await store.save([Person.sample(1), .sample(2)])

    try await store.replace(people, with: [])

    #expect(try await store.count(people) == 0)
  }

  @Test func `a query without an order finds the models in the list's order`() async throws {
    try await store.replace(people, with: [.sample(3), .sample(1), .sample(2)])
    #expect(try await store.models(people).map(\.id) == [3, 1, 2])

    // With a limit it is the same list; what is stored later comes behind it.
    try await store.save(Person.sample(0))
    #expect(try await store.models(people.limit(2, offset: 1)).map(\.id) == [1, 2])
    #expect(try await store.models(people).map(\.id) == [3, 1, 2, 0])

    try await store.replace(people, with: [.sample(2), .sample(3), .sample(2), .sample(1)])
    #expect(try await store.models(people).map(\.id) == [2, 3, 1])
    var scanned: [Int] = []
    for try await person in store.scan(people) { scanned.append(person.id) }
    #expect(scanned == [2, 3, 1])
  }

  @Test func `each query has its own order, and an explicit order takes precedence`() async throws {
    let famous = people.where(\.followers, in: 100...)
    let list = [Person.sample(3, followers: 300), .sample(1, followers: 100)]
    try await store.replace(famous, with: list)
    try await store.replace(people, with: list.reversed())

    #expect(try await store.models(famous).map(\.id) == [3, 1])
    #expect(try await store.models(people).map(\.id) == [1, 3])
    #expect(try await store.models(people.sorted(by: \.followers)).map(\.id) == [1, 3])
    #expect(try await store.models(famous.sorted(by: \.followers)).map(\.id) == [1, 3])
  }

  @Test func `the order survives closing the store`() async throws {
    try await TemporaryDirectory.scope { directory in
      let first = ModelStore(directory: directory.file("models"))
      try await first.replace(people, with: [.sample(2), .sample(1)])
      await first.close()

      let second = ModelStore(directory: directory.file("models"))
      #expect(try await second.models(people).map(\.id) == [2, 1])
      try await second.removeAll()
      try await second.save([Person.sample(1), .sample(2)])
      #expect(try await second.models(people).map(\.id) == [1, 2])
      await second.close()
    }
  }

  @Test func `the 1,000 orders that have changed last are kept`() async throws {
    let store = ModelStore.inMemory()
    try await store.save((0...1_000).flatMap { Self.pair($0).reversed() })
    @Sendable func list(_ number: Int) -> ModelQuery<Person> {
      ModelQuery(Person.self).where(\.followers, is: number)
    }
    func ids(_ number: Int) async throws -> [Int] {
      try await store.models(list(number)).map(\.id)
    }
    try await store.transaction { transaction throws(FreshetError) in
      for number in 0..<1_000 {
        try transaction.replace(list(number), with: Self.pair(number))
      }
    }
    #expect(try await ids(0) == [1, 0])

    try await store.replace(list(1_000), with: Self.pair(1_000))

    // It is as one that was never replaced.
    #expect(try await ids(0) == [0, 1])
    #expect(try await ids(1) == [3, 2])
    #expect(try await ids(1_000) == [2_001, 2_000])
    let members = try store.readNow { reading throws(FreshetError) in
      try reading.connection.reporting { () throws(SQLiteError) in
        try reading.connection.integer("SELECT count(*) FROM member")
      }
    }
    #expect(members == 2_000)
  }

  /// Two models of a list, the later one first.
  private static func pair(_ number: Int) -> [Person] {
    [2 * number + 1, 2 * number].map { .sample($0, followers: number) }
  }

  @Test func `nothing outside of the list fills a limit`() async throws {
    let newest = people.sorted(by: \.followers, .descending).limit(3)
    try await store.save((1...9).map { Person.sample($0, followers: $0) })

    // 9, 8 and 7 are found: 8 goes. 10 comes, and the list is full: what is older stays.
    try await store.replace(
      newest,
      with: [.sample(10, followers: 10), .sample(9, followers: 9), .sample(7, followers: 7)]
    )
    #expect(
      try await store.models(people.sorted(by: \.followers)).map(\.id)
        == [1, 2, 3, 4, 5, 6, 7, 9, 10]
    )

    // A list that is shorter than the limit is all that there is.
    try await store.replace(newest, with: [.sample(7, followers: 7)])
    #expect(try await store.models(newest).map(\.id) == [7])
    #expect(try await store.models(people).map(\.id) == [7])
  }

  @Test func `deletes what was found within a limit, where the list's order fills it too`()
    async throws
  {
    try await store.save((1...5).map { Person.sample($0) })

    try await store.replace(people.limit(3), with: (6...8).map { .sample($0) })

    #expect(try await store.models(people).map(\.id) == [6, 7, 8, 4, 5])
  }

  @Test func `what an offset skips stays`() async throws {
    let second = people.sorted(by: \.followers).limit(2, offset: 2)
    try await store.save((1...6).map { Person.sample($0, followers: $0) })

    try await store.replace(second, with: [.sample(4, followers: 4), .sample(5, followers: 5)])

    #expect(try await store.models(people).map(\.id) == [1, 2, 4, 5, 6])
  }

  @Test func `what an offset skips stays without an order, too`() async throws {
    try await store.replace(people.limit(2), with: [.sample(1), .sample(2)])

    try await store.replace(people.limit(2, offset: 2), with: [.sample(3), .sample(4)])

    #expect(try await store.models(people).map(\.id) == [1, 2, 3, 4])
  }

  @Test func `keeps a model inside one of the list`() async throws {
    try await store.save(Folder(id: 9))

    try await store.replace(
      ModelQuery(Folder.self),
      with: [Folder(id: 1, children: [Folder(id: 2)])]
    )

    #expect(try await store.models(ModelQuery(Folder.self)).map(\.id) == [1, 2])
  }

  private struct Folder: PersistableModel, Hashable {
    static let modelName = "Folder"
    var id: Int
    var children: [Folder] = []
  }

  @Test func `a model that refers to a deleted one behaves as after deleting it`() async throws {
    try await store.save([
      Tweet(id: "1", text: "hello", user: .sample(2), mentions: [.sample(1)]),
      .sample("2", by: .sample(1)),
    ])

    try await store.replace(people, with: [.sample(2)])

    // A tweet needs its user: it is found again when the user is back.
    let tweets = ModelQuery(Tweet.self)
    #expect(try await store.models(tweets).map(\.id) == ["1"])
    #expect(try await store.models(tweets).first?.mentions == [])
    try await store.save(Person.sample(1))
    #expect(try await store.models(tweets).map(\.id) == ["1", "2"])
  }

  @Test func `the order belongs to a set of values, whatever order the set has`() async throws {
    let replaced = ModelQuery(Person.self).where(\.followers, isOneOf: [1, 2, 3])
    try await store.save((1...3).map { Person.sample($0, followers: $0) })
    try await store.replace(replaced, with: [3, 1, 2].map { .sample($0, followers: $0) })

    let same = ModelQuery(Person.self).where(\.followers, isOneOf: [2, 3, 1, 2])

    #expect(try await store.models(same).map(\.id) == [3, 1, 2])
  }

  @Test func `observers see one change`() async throws {
    try await store.save([Person.sample(1), .sample(2)])
    var observed = store.observe(people).makeAsyncIterator()
    #expect(try await observed.next()?.map(\.id) == [1, 2])

    try await store.replace(people, with: [.sample(3), .sample(2)])
    #expect(try await observed.next()?.map(\.id) == [3, 2])

    // Another order alone is a change; the same list is none.
    try await store.replace(people, with: [.sample(2), .sample(3)])
    #expect(try await observed.next()?.map(\.id) == [2, 3])
    try await store.replace(people, with: [.sample(2), .sample(3)])
    try await store.save(Person.sample(4))
    #expect(try await observed.next()?.map(\.id) == [2, 3, 4])
  }

  @Test func `a replacement that fails changes nothing`() async throws {
    try await store.save([Person.sample(1), .sample(2)])

    await #expect(throws: FreshetError.self) {
      try await store.replace(ModelQuery(Person.self).where(\.id, is: 1), with: [.sample(3)])
    }
    await #expect(throws: FreshetError.store("no")) {
      try await store.transaction { [people] transaction throws(FreshetError) in
        try transaction.replace(people, with: [.sample(3)])
        guard try transaction.models(people).map(\.id) == [3] else { throw .noValue }
        throw .store("no")
      }
    }

    #expect(try await store.models(people).map(\.id) == [1, 2])
  }

  @Test func `another store in the directory sees it`() async throws {
    try await TemporaryDirectory.scope { directory in
      let (one, other) = (
        ModelStore(directory: directory.file("models")),
        ModelStore(directory: directory.file("models"))
      )
      try await one.save([Person.sample(1), .sample(2)])
      var observed = other.observe(people).makeAsyncIterator()
      #expect(try await observed.next()?.map(\.id) == [1, 2])

      try await one.replace(people, with: [.sample(3), .sample(1)])

      #expect(try await observed.next()?.map(\.id) == [3, 1])
      await one.close()
      await other.close()
    }
  }
}
