import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

/// Two versions of an app, or two views of the same thing, with one name in the store.
@Suite(.serialized) struct ModelMergeTests {
  enum Kind: Codable, Hashable {
    case plain
    case rich(weight: Int)
    case newest(size: Int)
  }

  struct New: PersistableModel, Hashable {
    static let modelName = "Thing"
    static let indexes = [ModelIndex(\New.rank, "rank")]
    struct Part: Codable, Hashable {
      var name: String
      var weight: Int?
    }
    let id: Int
    var title: String
    var subtitle: String?
    var rank: Int?
    var part: Part? = Part(name: "part", weight: 4)
    var parts: [Part] = []
    var byName: [String: Part] = [:]
    var kind = Kind.plain
  }

  struct Old: PersistableModel, Hashable {
    static let modelName = "Thing"
    enum Kind: Codable, Hashable {
      case plain
      case rich(weight: Int)
    }
    struct Part: Codable, Hashable {
      var name: String
    }
    let id: Int
    var title: String
    var subtitle: String?
    var part: Part?
    var parts: [Part] = []
    var byName: [String: Part] = [:]
    var kind = Kind.plain
  }

  @Test func `an older app keeps unknown fields of list elements with a number that is none`()
    async throws
  {
    struct Newer: PersistableModel {
      static let modelName = "Measured"
      struct Part: Codable { var (x, z) = (Double.nan, 1) }
      let id: Int
      var parts = [Part()]
    }
    struct Older: PersistableModel {
      static let modelName = "Measured"
      struct Part: Codable { var x: Double }
      let id: Int
      var parts: [Part]
    }
    let store = ModelStore.temporary()
    try await store.save(Newer(id: 1))

    try await store.save(try #require(try await store.model(Older.self, id: 1)))

    #expect(try await store.model(Newer.self, id: 1)?.parts.first?.z == 1)
  }

  @Test func `an older app keeps unknown fields, and clears its own`() async throws {
    let store = ModelStore.temporary()
    try await store.save(New(id: 1, title: "a", subtitle: "b", rank: 9))

    var old = try #require(try await store.model(Old.self, id: 1))
    old.title = "changed"
    old.subtitle = nil
    try await store.save(old)

    let new = try #require(try await store.model(New.self, id: 1))
    #expect(new == New(id: 1, title: "changed", subtitle: nil, rank: 9))
  }

  @Test func `an older app keeps unknown indexes`() async throws {
    let store = ModelStore.temporary()
    try await store.save(New(id: 1, title: "a", rank: 9))
    try await store.save(Old(id: 1, title: "b"))
    try await store.save(Old(id: 2, title: "c"))

    let found = try await store.models(ModelQuery(New.self).where(\.rank, is: 9))

    #expect(found.map(\.title) == ["b"])
  }

  @Test func `elements of a list keep unknown fields when their content is the same`() async throws
  {
    let store = ModelStore.temporary()
    let parts = [
      New.Part(name: "a", weight: 1), .init(name: "b", weight: 2), .init(name: "c", weight: 3),
    ]
    try await store.save(
      New(id: 1, title: "a", parts: parts, byName: ["x": parts[0], "y": parts[1]])
    )

    let names = ["new", "c", "a"]
    try await store.save(
      Old(
        id: 1,
        title: "a",
        part: .init(name: "part"),
        parts: names.map { Old.Part(name: $0) },
        byName: ["x": .init(name: "renamed")]
      )
    )

    let new = try #require(try await store.model(New.self, id: 1))
    #expect(new.parts.map(\.name) == names)
    #expect(new.parts.map(\.weight) == [nil, 3, 1])
    #expect(new.byName == ["x": .init(name: "renamed", weight: 1)])
  }

  @Test(arguments: [
    ["dd"], ["a", "dd"], ["c", "dd"], ["b", "cc", "dd", "de"], ["dd", "longer", "g"],
    ["b", "d", "dd"], ["a", "b", "c", "d", "dd", "e", "f", "z"],
  ])
  func `an entry of a dictionary keeps unknown fields, whichever keys are beside it`(
    keys: [String]
  ) async throws {
    let store = ModelStore.inMemory()
    var byName = Dictionary(uniqueKeysWithValues: ["b", "d", "f"].map { ($0, New.Part(name: $0)) })
    byName["dd"] = New.Part(name: "dd", weight: 4)
    try await store.save(New(id: 1, title: "a", part: nil, byName: byName))

    let parts = keys.map { ($0, Old.Part(name: $0)) }
    try await store.save(
      Old(id: 1, title: "a", byName: Dictionary(uniqueKeysWithValues: parts))
    )

    let found = try #require(try await store.model(New.self, id: 1)).byName
    #expect(Set(found.keys) == Set(keys))
    #expect(found.compactMapValues(\.weight) == ["dd": 4])
  }

  @Test func `another case of an enumeration replaces the one before`() async throws {
    let store = ModelStore.temporary()
    try await store.save(New(id: 1, title: "a", kind: .newest(size: 3)))

    try await store.save(Old(id: 1, title: "a", kind: .rich(weight: 2)))

    #expect(try await store.model(New.self, id: 1)?.kind == .rich(weight: 2))
    #expect(try await store.model(Old.self, id: 1)?.kind == .rich(weight: 2))
  }

  @Test func `a summary inside another model keeps the other fields of its model`() async throws {
    struct Summary: PersistableModel {
      static let modelName = "Thing"
      let id: Int
      var title: String
    }
    struct Shelf: PersistableModel {
      static let modelName = "Shelf"
      let id: Int
      var things: [Summary]
    }
    let store = ModelStore.temporary()
    try await store.save(New(id: 1, title: "a", subtitle: "kept", rank: 3))

    try await store.save(Shelf(id: 1, things: [Summary(id: 1, title: "b")]))

    let thing = try #require(try await store.model(New.self, id: 1))
    #expect(thing.title == "b")
    #expect(thing.subtitle == "kept")
  }
}
