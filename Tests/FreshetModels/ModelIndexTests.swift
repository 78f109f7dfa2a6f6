import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@Suite(.serialized) struct ModelIndexTests {
  enum State: Codable, Hashable {
    case open
    case closed
    case waiting(since: Int)
  }

  struct Errand: PersistableModel, Hashable {
    static let modelName = "Errand"
    static let indexes = [
      ModelIndex(\Errand.state, "state"), ModelIndex(\Errand.price, "price"),
      ModelIndex(\Errand.length, "length"), ModelIndex(\Errand.labels, "labels"),
      ModelIndex(\Errand.colours, "colours"),
    ]
    let id: Int
    var state: State
    var price: Decimal
    var length: Duration
    var labels: [String] = []
    var colours: Set<Int> = []
  }

  private static let errands = [
    Errand(id: 1, state: .open, price: 1.5, length: .seconds(1), labels: ["a"], colours: [1, 2]),
    Errand(id: 2, state: .closed, price: 2.5, length: .seconds(2), labels: ["a", "b"]),
    Errand(id: 3, state: .waiting(since: 4), price: 0, length: .zero, colours: [2]),
  ]

  @Test(arguments: [
    (ModelQuery(Errand.self).where(\.state, is: .open), [1]),
    (ModelQuery(Errand.self).where(\.state, isOneOf: [.closed, .waiting(since: 4)]), [2, 3]),
    (ModelQuery(Errand.self).where(\.state, is: .waiting(since: 5)), []),
    (ModelQuery(Errand.self).where(\.price, is: 2.5), [2]),
    (ModelQuery(Errand.self).where(\.length, is: .seconds(1)), [1]),
    (ModelQuery(Errand.self).where(\.labels, is: ["a", "b"]), [2]),
    (ModelQuery(Errand.self).where(\.labels, is: []), [3]),
    (ModelQuery(Errand.self).where(\.colours, is: [2, 1]), [1]),
  ])
  func `a list or map is found by its content, and nothing else is deleted`(
    query: ModelQuery<Errand>,
    expected: [Int]
  ) async throws {
    let store = ModelStore.temporary()
    try await store.save(Self.errands)

    #expect(try await store.models(query).map(\.id) == expected)
    #expect(try await store.delete(query) == expected.count)
    let left = try await store.models(ModelQuery(Errand.self)).map(\.id)
    #expect(left == [1, 2, 3].filter { !expected.contains($0) })
  }

  @Test func `a range of values without an order is a failure`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Self.errands)

    let failure = FreshetError.store("a query cannot take a range of the type Decimal")
    await #expect(throws: failure) {
      try await store.models(ModelQuery(Errand.self).where(\.price, in: 2...))
    }
    await #expect(throws: FreshetError.self) {
      try await store.delete(ModelQuery(Errand.self).where(\.length, in: ..<Duration.seconds(2)))
    }
  }

  struct Owner<ID: Codable & Hashable & Sendable>: PersistableModel, Hashable {
    static var modelName: String { "Owner" }
    let id: ID
  }

  struct Thing<ID: Codable & Hashable & Sendable>: PersistableModel, Hashable {
    static var modelName: String { "Thing" }
    static var indexes: [ModelIndex<Thing>] {
      [ModelIndex(\Thing.owner.id, "owner"), ModelIndex(\Thing.mark, "mark")]
    }
    let id: Int
    var owner: Owner<ID>
    var mark: ID
  }

  private func findsByIdentity<ID: Codable & Hashable & Sendable>(_ ids: [ID]) async throws {
    let store = ModelStore.temporary()
    let things = ids.enumerated()
      .map { Thing(id: $0.offset, owner: Owner(id: $0.element), mark: $0.element) }
    try await store.save(things)
    for (number, id) in ids.enumerated() {
      let owned = ModelQuery(Thing<ID>.self).where(\.owner.id, is: id)
      #expect(try await store.models(owned).map(\.id) == [number], "\(id)")
      let marked = ModelQuery(Thing<ID>.self).where(\.mark, is: id)
      #expect(try await store.models(marked).map(\.id) == [number], "\(id)")
    }
  }

  private struct Pixel: Codable, Hashable {
    let x: Int
    let y: Int
  }

  @Test func `a nested model is found by an identity of any kind`() async throws {
    try await findsByIdentity(["Jose\u{301}", "Jose", ""])
    try await findsByIdentity([Pixel(x: 1, y: 2), Pixel(x: 2, y: 1)])
    try await findsByIdentity([UInt64.max, .max - 1, 0])
    try await findsByIdentity([1.5, 2, -1])
    try await findsByIdentity([Date(timeIntervalSinceReferenceDate: 1), .distantPast])
    try await findsByIdentity([true, false])
    try await findsByIdentity([UUID(), UUID()])
    try await findsByIdentity([Data([1, 2]), Data([2])])
    try await findsByIdentity([State.open, .closed, .waiting(since: 1)])
  }

  @Test func `texts are found in any normalization of their accents`() async throws {
    let store = ModelStore.temporary()
    try await store.save([Person.sample(1, name: "Zoe\u{308}"), .sample(2, name: "Zo\u{EB}")])

    for name in ["Zoe\u{308}", "Zo\u{EB}"] {
      #expect(try await store.count(ModelQuery(Person.self).where(\.name, is: name)) == 2)
    }
  }

  @Test func `large numbers keep their order`() async throws {
    struct Large: PersistableModel {
      static let modelName = "Large"
      static let indexes = [ModelIndex(\Large.size, "size")]
      let id: Int
      var size: UInt64
    }
    let store = ModelStore.temporary()
    try await store.save(
      [UInt64.max, 3, .max - 1, 1 << 63].enumerated().map { Large(id: $0.offset, size: $0.element) }
    )

    let query = ModelQuery(Large.self)
    #expect(try await store.models(query.sorted(by: \.size)).map(\.id) == [1, 3, 2, 0])
    #expect(try await store.models(query.where(\.size, in: (1 << 63)...)).map(\.id) == [0, 2, 3])
    #expect(try await store.models(query.where(\.size, in: ..<UInt64.max)).map(\.id) == [1, 2, 3])
  }

  // MARK: - Limits and orders

  @Test(arguments: StorePlace.allCases)
  func `a limit counts the found models`(place: StorePlace) async throws {
    let store = place.make()
    try await store.save((0..<40).map { Tweet.sample("\($0 + 10)", by: .sample($0)) })
    for number in 0..<30 where number != 20 { try await store.delete(Person.self, id: number) }
    let query = ModelQuery(Tweet.self)

    for (limit, offset, expected) in [
      (1, 0, ["30"]), (2, 0, ["30", "40"]), (2, 1, ["40", "41"]), (100, 9, ["48", "49"]),
      (Int.max, 10, ["49"]), (0, 0, []),
    ] {
      let limited = query.limit(limit, offset: offset)
      #expect(try await store.models(limited).map(\.id) == expected)
      var scanned: [String] = []
      for try await tweet in store.scan(limited) { scanned.append(tweet.id) }
      #expect(scanned == expected)
    }
  }

  @Test func `equal models keep their stored order, also descending`()
    async throws
  {
    let store = ModelStore.temporary()
    try await store.save((1...9).map { Person.sample($0, followers: $0 % 3) })
    let query = ModelQuery(Person.self)

    let found = try await store.models(query.sorted(by: \.followers, .descending)).map(\.id)
    #expect(found == [2, 5, 8, 1, 4, 7, 3, 6, 9])
    let limited = query.sorted(by: \.followers, .descending).limit(4)
    #expect(try await store.models(limited).map(\.id) == [2, 5, 8, 1])
  }

  // MARK: - Wrong paths

  @propertyWrapper struct ISO8601: Codable, Hashable, Sendable {
    var wrappedValue: Date

    init(wrappedValue: Date) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
      wrappedValue = try Date(String(from: decoder), strategy: .iso8601)
    }

    func encode(to encoder: any Encoder) throws {
      try wrappedValue.formatted(.iso8601).encode(to: encoder)
    }
  }

  @Test func `an index whose path does not hold its field is a typed failure`() async throws {
    struct Event: PersistableModel {
      static let modelName = "Event"
      static let indexes = [ModelIndex(\Event.at, "at")]
      let id: Int
      @ISO8601 var at: Date
    }
    struct Wrong: PersistableModel {
      static let modelName = "Wrong"
      static let indexes = [ModelIndex(\Wrong.user.id, "user.id")]
      let id: Int
      var user: Person
    }
    struct Misspelt: PersistableModel {
      static let modelName = "Misspelt"
      static let indexes = [ModelIndex(\Misspelt.note, "remark")]
      let id: Int
      var note: String?
    }
    let store = ModelStore.temporary()

    await #expect(throws: FreshetError.self) { try await store.save(Event(id: 1, at: .now)) }
    await #expect {
      try await store.save(Wrong(id: 1, user: .sample(1)))
    } throws: { error in
      "\(error)".contains("a Wrong cannot be stored: 'user.id' does not hold")
    }
    // Nothing is where nothing is looked for.
    try await store.save(Misspelt(id: 1))
    await #expect(throws: FreshetError.self) { try await store.save(Misspelt(id: 2, note: "a")) }
    #expect(try await store.count(ModelQuery(Person.self)) == 0)
  }

  @Test func `a field that is omitted at its default is found as none`() async throws {
    struct Sparse: PersistableModel {
      static let modelName = "Sparse"
      static let indexes = [ModelIndex(\Sparse.count, "count")]
      let id: Int
      var count = 0

      init(id: Int, count: Int = 0) { (self.id, self.count) = (id, count) }

      enum CodingKeys: CodingKey { case id, count }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 0
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        if count != 0 { try container.encode(count, forKey: .count) }
      }
    }
    let store = ModelStore.temporary()
    try await store.save([Sparse(id: 1), Sparse(id: 2, count: 3)])

    let query = ModelQuery(Sparse.self).where(\.count, is: 3)
    #expect(try await store.models(query).map(\.id) == [2])
  }
}
