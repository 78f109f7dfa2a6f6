import Foundation
import Freshet
import FreshetModels
import Testing

@Suite(.serialized) struct ModelQueryTests {
  private func filled() async throws -> ModelStore {
    let store = ModelStore.temporary()
    try await store.save(
      (1...20)
        .map { number in
          Person(
            id: number,
            name: "user \(number % 3)",
            followers: 20 - number,
            joined: number % 4 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number)),
            place: number % 5 == 0 ? .init(city: "Bern") : nil
          )
        }
    )
    return store
  }

  private func ids(_ query: ModelQuery<Person>) async throws -> [Int] {
    try await filled().models(query).map(\.id)
  }

  @Test func `equality, also with nothing`() async throws {
    #expect(
      try await ids(ModelQuery(Person.self).where(\.name, is: "user 2")) == [
        2, 5, 8, 11, 14, 17, 20,
      ]
    )
    #expect(try await ids(ModelQuery(Person.self).where(\.joined, is: nil)) == [4, 8, 12, 16, 20])
    #expect(
      try await ids(ModelQuery(Person.self).where(\.place?.city, is: "Bern")) == [5, 10, 15, 20]
    )
    #expect(
      try await ids(ModelQuery(Person.self).where(\.followers, isOneOf: [0, 3, 99])) == [17, 20]
    )
  }

  @Test func `one of 10,000 values, and no more`() async throws {
    let query = ModelQuery(Person.self)
    #expect(try await ids(query.where(\.followers, isOneOf: 3..<10_003)).count == 17)
    await #expect(throws: FreshetError.store("more than 10,000 values for isOneOf")) {
      try await ids(query.where(\.followers, isOneOf: 0...10_000))
    }
  }

  @Test func `no more values are taken than a query can have`() async throws {
    var taken = 0
    let values = AnyIterator<Int> {
      taken += 1
      return taken < 20_000 ? taken : nil
    }

    let query = ModelQuery(Person.self).where(\.followers, isOneOf: values)

    #expect(taken == 10_001)
    await #expect(throws: FreshetError.store("more than 10,000 values for isOneOf")) {
      try await ids(query)
    }
  }

  @Test(arguments: [
    (ModelQuery(Person.self).where(\.followers, in: 3...5), [15, 16, 17]),
    (ModelQuery(Person.self).where(\.followers, in: 3..<5), [16, 17]),
    (ModelQuery(Person.self).where(\.followers, in: 18...), [1, 2]),
    (ModelQuery(Person.self).where(\.followers, in: ...1), [19, 20]),
    (ModelQuery(Person.self).where(\.followers, in: ..<1), [20]),
    (
      ModelQuery(Person.self).where(\.joined, in: ...Date(timeIntervalSinceReferenceDate: 5)),
      [1, 2, 3, 5]
    ),
    (ModelQuery(Person.self).where(\.followers, in: 3...9).where(\.name, is: "user 0"), [12, 15]),
  ])
  func `ranges, and conditions together`(query: ModelQuery<Person>, expected: [Int]) async throws {
    #expect(try await ids(query) == expected)
  }

  @Test func `order, limit and offset`() async throws {
    let sorted = ModelQuery(Person.self).sorted(by: \.followers)
    #expect(try await ids(sorted.limit(3)) == [20, 19, 18])
    #expect(try await ids(sorted.limit(3, offset: 2)) == [18, 17, 16])
    #expect(try await ids(sorted.limit(0)) == [])
    let byName = ModelQuery(Person.self).sorted(by: \.name, .descending).sorted(by: \.followers)
    #expect(try await ids(byName.limit(4)) == [20, 17, 14, 11])
    #expect(try await filled().count(byName.limit(4)) == 4)
  }

  @Test func `a nested model is found by its identity`() async throws {
    let store = ModelStore.temporary()
    try await store.save((0..<10).map { Tweet.sample("\($0)", by: .sample($0 % 2)) })

    let found = try await store.models(ModelQuery(Tweet.self).where(\.user.id, is: 1))

    #expect(found.map(\.id) == ["1", "3", "5", "7", "9"])
  }

  @Test func `a field that is not declared is a typed failure`() async throws {
    let store = try await filled()
    let query = ModelQuery(Person.self).where(\.place?.country, is: "CH")

    await #expect { try await store.models(query) } throws: { error in
      "\(error)".contains("Person has no index for")
    }
    await #expect(throws: FreshetError.self) { try await store.count(query) }
    await #expect(throws: FreshetError.self) { try await store.delete(query) }
  }

  @Test func `deletes the models that a query finds`() async throws {
    let store = try await filled()

    let count = try await store.delete(ModelQuery(Person.self).where(\.name, is: "user 2"))

    #expect(count == 7)
    #expect(try await store.count(ModelQuery(Person.self)) == 13)
  }

  @Test func `an index follows its field`() async throws {
    let store = try await filled()
    try await store.save(Person.sample(1, name: "renamed"))

    #expect(try await store.models(ModelQuery(Person.self).where(\.name, is: "renamed")).count == 1)
    #expect(try await store.count(ModelQuery(Person.self).where(\.name, is: "user 1")) == 6)
  }
}
