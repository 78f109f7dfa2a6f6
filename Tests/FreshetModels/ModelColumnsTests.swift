import Foundation
import FreshetTesting
import Testing

@testable import Freshet
@testable import FreshetModels

/// Columns that another version of the library, or of an app, has filled in its way.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelColumnsTests {
  enum Past: CaseIterable {
    /// The database is as a version wrote it that knew nothing of how columns are filled.
    case unmarked
    /// Such a version has written into a database of this one.
    case between
  }

  private func change(_ place: URL, _ past: Past) throws {
    let path = place.appending(path: "models.sqlite").path
    let database = try SQLiteConnection(path, isCreating: false, patience: 1_000)
    let model = try database.integer("SELECT number FROM model WHERE name = 'Person'")
    let name = try database.integer(
      "SELECT number FROM field WHERE model = \(model) AND path = 'name'"
    )
    let mark = try database.integer(
      "SELECT number FROM field WHERE model = \(model) AND path = '\(ModelTable.stamp)'"
    )
    try database.run("UPDATE entity_\(model) SET f\(name) = NULL, f\(mark) = NULL")
    guard past == .unmarked else { return }
    try database.run("DROP INDEX entity_\(model)_f\(mark)")
    try database.run("ALTER TABLE entity_\(model) DROP COLUMN f\(mark)")
    try database.run("DELETE FROM field WHERE model = \(model) AND number = \(mark)")
  }

  @Test func `adds lists to a database of an earlier version`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let first = ModelStore(directory: place)
      try await first.save([Person.sample(1), .sample(2)])
      await first.close()
      let path = place.appending(path: "models.sqlite").path
      try SQLiteConnection(path, isCreating: false, patience: 1_000)
        .run("DROP TABLE list; DROP TABLE member")

      let store = ModelStore(directory: place)
      let query = ModelQuery(Person.self)
      #expect(try await store.models(query).map(\.id) == [1, 2])
      try await store.replace(query, with: [.sample(2), .sample(1)])
      #expect(try await store.models(query).map(\.id) == [2, 1])
      await store.close()
    }
  }

  @Test(arguments: Past.allCases)
  func `fills columns of an older form again`(past: Past) async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let first = ModelStore(directory: place)
      try await first.save((0..<600).map { Person.sample($0) })
      await first.close()
      try change(place, past)

      let store = ModelStore(directory: place)
      let query = ModelQuery(Person.self).where(\.name, is: "user 599")
      #expect(try await store.models(query) == [.sample(599)])
      #expect(try await store.count(ModelQuery(Person.self)) == 600)
      await store.close()
    }
  }

  @Test func `finds what an older library writes meanwhile`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let store = ModelStore(directory: place)
      try await store.save((0..<10).map { Person.sample($0) })
      let query = ModelQuery(Person.self).where(\.name, is: "user 5")
      #expect(try await store.count(query) == 1)

      try change(place, .between)

      #expect(try await store.models(query) == [.sample(5)])
      #expect(try await store.count(query) == 1)
      try change(place, .between)
      var scanned: [Person] = []
      for try await person in store.scan(query) { scanned.append(person) }
      #expect(scanned == [.sample(5)])
      try change(place, .between)
      var observed = store.observe(query).makeAsyncIterator()
      #expect(try await observed.next() == [.sample(5)])
      await store.close()
    }
  }

  @Test func `the newer app's fields find what an older app inserts meanwhile`() async throws {
    typealias Migration = ModelMigrationTests
    try await TemporaryDirectory.scope { directory in
      let old = ModelStore(directory: directory.file("models"))
      let new = ModelStore(directory: directory.file("models"))
      try await new.save(Migration.Second(id: 1, given: "Ada", family: "King", age: 30))
      let query = ModelQuery(Migration.Second.self).where(\.family, is: "Hopper")
      #expect(try await new.count(query) == 0)

      try await old.save(Migration.First(id: 2, name: "Grace Hopper"))
      #expect(try await new.models(query).map(\.id) == [2])
      try await old.save(Migration.First(id: 3, name: "Anna Hopper"))
      #expect(try await new.models(query).map(\.id) == [2, 3])
      for store in [old, new] { await store.close() }
    }
  }

  @Test func `a store fills a column of another process after its commit`()
    async throws
  {
    struct Plain: PersistableModel {
      static let modelName = "Person"
      let id: Int
      var name: String
    }
    try await TemporaryDirectory.scope { directory in
      let (here, there) = (
        ModelStore(directory: directory.file("models")),
        ModelStore(directory: directory.file("models"))
      )
      try await here.save(Plain(id: 1, name: "a"))
      var observed = here.observe(ModelQuery(Plain.self)).makeAsyncIterator()
      #expect(try await observed.next()?.count == 1)
      // This gives the table its columns.
      try await there.save(Person.sample(2))
      #expect(try await observed.next()?.count == 2)

      try await here.save(Plain(id: 3, name: "found"))

      let query = ModelQuery(Person.self).where(\.name, is: "found")
      #expect(try await there.count(query) == 1)
      for store in [here, there] { await store.close() }
    }
  }

  @Test func `two types of one name must agree on the version`() async throws {
    struct Full: PersistableModel {
      static let modelName = "Thing"
      static let modelVersion = 2
      let id: Int
      var score: Int

      static func migrate(
        _ fields: inout [String: ModelValue],
        from version: Int
      ) throws(FreshetError) {
        if case .integer(let score)? = fields["score"] { fields["score"] = .integer(score * 10) }
      }
    }
    struct Brief: PersistableModel {
      static let modelName = "Thing"
      let id: Int
    }
    let store = ModelStore.temporary()
    try await store.save(Full(id: 1, score: 5))

    let failure = FreshetError.store(
      "two types are called Thing, one in version 2, one in version 1"
    )
    await #expect(throws: failure) { try await store.save(Brief(id: 1)) }
    await #expect(throws: failure) { try await store.models(ModelQuery(Brief.self)) }
    await #expect(throws: failure) {
      try await store.transaction { transaction throws(FreshetError) in
        _ = try transaction.save(Brief(id: 1))
      }
    }
    try await store.save(Full(id: 2, score: 6))
    #expect(try await store.models(ModelQuery(Full.self)).map(\.score) == [5, 6])
  }
}
