import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@Suite(.serialized) struct ModelMigrationTests {
  struct First: PersistableModel, Hashable {
    static let modelName = "Person"
    let id: Int
    var name: String
    var age = 30
  }

  struct Second: PersistableModel, Hashable {
    static let modelName = "Person"
    static let modelVersion = 2
    static let indexes = [ModelIndex(\Second.family, "family"), ModelIndex(\Second.age, "age")]
    let id: Int
    var given: String
    var family: String
    var age: Int
    var note: String?

    static func migrate(
      _ fields: inout [String: ModelValue],
      from version: Int
    ) throws(FreshetError) {
      guard case .text(let name) = fields["name"] ?? .null else { return }
      if name == "poison" { throw .store("no family name") }
      let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
      fields["given"] = .text(parts[0])
      fields["family"] = .text(parts.last ?? "")
      fields["name"] = nil
    }
  }

  struct Added: PersistableModel, Hashable {
    static let modelName = "Person"
    static let indexes = [ModelIndex(\Added.age, "age")]
    let id: Int
    var name: String
    var age: Int
    var nickname: String?
  }

  @Test func `adding an optional field, or removing a field, needs no migration`() async throws {
    struct Removed: PersistableModel {
      static let modelName = "Person"
      let id: Int
      var name: String
    }
    try await TemporaryDirectory.scope { directory in
      try await with(directory) { try await $0.save(First(id: 1, name: "Ada Lovelace")) }
      try await with(directory) { store in
        let added = try #require(try await store.model(Added.self, id: 1))
        #expect(added == Added(id: 1, name: "Ada Lovelace", age: 30))
      }
      try await with(directory) { store in
        try await store.save(Removed(id: 1, name: "Ada"))
        #expect(try await store.model(First.self, id: 1) == First(id: 1, name: "Ada", age: 30))
      }
    }
  }

  @Test func `a new index finds models that were stored before`() async throws {
    try await TemporaryDirectory.scope { directory in
      try await with(directory) { store in
        try await store.save((0..<1_000).map { First(id: $0, name: "n", age: $0 % 50) })
      }
      try await with(directory) { store in
        let query = ModelQuery(Added.self).where(\.age, is: 7)
        let found = try await store.models(query)
        #expect(found.count == 20)
      }
    }
  }

  @Test func `the hook migrates all models at once`() async throws {
    try await TemporaryDirectory.scope { directory in
      try await with(directory) { store in
        try await store.save((0..<600).map { First(id: $0, name: "Ada L\($0)") })
      }
      try await with(directory) { store in
        let query = ModelQuery(Second.self).where(\.family, is: "L599")
        let found = try await store.models(query)
        #expect(found == [Second(id: 599, given: "Ada", family: "L599", age: 30)])
      }
    }
  }

  @Test func `a hook that throws errors of its own is called`() async throws {
    struct Before: PersistableModel {
      static let modelName = "Amount"
      let id: Int
      var value: Int
    }
    struct After: PersistableModel {
      static let modelName = "Amount"
      static let modelVersion = 2
      let id: Int
      var cents: Int?

      static func migrate(_ fields: inout [String: ModelValue], from version: Int) throws {
        guard case .integer(let value)? = fields["value"] else { return }
        guard value >= 0 else { throw CocoaError(.coderInvalidValue) }
        fields["cents"] = .integer(value * 100)
      }
    }
    for value in [7, -1] {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: folder) }
      let older = ModelStore(directory: folder)
      try await older.save(Before(id: 1, value: value))
      await older.close()
      let newer = ModelStore(directory: folder)
      if value < 0 {
        await #expect(throws: FreshetError.self) { try await newer.model(After.self, id: 1) }
      } else {
        #expect(try await newer.model(After.self, id: 1)?.cents == 700)
      }
      await newer.close()
    }
  }

  @Test func `a hook that throws changes nothing`() async throws {
    try await TemporaryDirectory.scope { directory in
      try await with(directory) { store in
        try await store.save([First(id: 1, name: "Ada L"), First(id: 2, name: "poison")])
      }
      try await with(directory) { store in
        await #expect(
          throws: FreshetError.store("Person cannot be migrated: no family name")
        ) {
          try await store.models(ModelQuery(Second.self))
        }
      }
      try await with(directory) { store in
        let found = try await store.models(ModelQuery(First.self))
        #expect(found.map(\.name) == ["Ada L", "poison"])
      }
    }
  }

  @Test func `models that an older app writes afterwards are migrated when they are read`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let old = ModelStore(directory: directory.url.appending(path: "models"))
      let new = ModelStore(directory: directory.url.appending(path: "models"))
      try await new.save(Second(id: 1, given: "Ada", family: "L", age: 30, note: "kept"))

      try await old.save(First(id: 1, name: "Ada King", age: 36))
      try await old.save(First(id: 2, name: "Grace Hopper"))

      let found = try await new.models(ModelQuery(Second.self))
      #expect(found.map(\.family) == ["King", "Hopper"])
      #expect(found.map(\.note) == ["kept", nil])
      await new.close()
      await old.close()
      try await with(directory) { store in
        let query = ModelQuery(Second.self).where(\.family, is: "Hopper")
        let found = try await store.models(query)
        #expect(found.map(\.given) == ["Grace"])
      }
    }
  }

  private func with(
    _ directory: TemporaryDirectory,
    _ body: (ModelStore) async throws -> Void
  ) async throws {
    let store = ModelStore(directory: directory.url.appending(path: "models"))
    try await body(store)
    await store.close()
  }
}
