import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@Suite(.serialized) struct ModelTransactionTests {
  /// A model that cannot be encoded.
  struct Unwritable: PersistableModel {
    static let modelName = "Unwritable"
    let id: Int

    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(id, .init(codingPath: [], debugDescription: "no"))
    }
  }

  /// A model whose identity cannot be encoded.
  struct Unnamed: PersistableModel {
    static let modelName = "Unnamed"
    struct ID: Codable, Hashable, Sendable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "no"))
      }
    }
    let id: ID
  }

  @Test(arguments: StorePlace.allCases)
  func `changes are made together`(place: StorePlace) async throws {
    let store = place.make()
    try await store.save(Person.sample(1))

    let names = try await store.transaction { transaction throws(FreshetError) in
      try transaction.save(Person.sample(2, name: "two"))
      try transaction.delete(Person.self, id: 1)
      return try transaction.models(ModelQuery(Person.self)).map(\.name)
    }

    #expect(names == ["two"])
    #expect(try await store.models(ModelQuery(Person.self)).map(\.id) == [2])
  }

  @Test(arguments: StorePlace.allCases)
  func `throwing rolls everything back, tables and indexes included`(place: StorePlace) async throws
  {
    let store = place.make()
    await #expect(throws: FreshetError.store("no")) {
      try await store.transaction { transaction throws(FreshetError) in
        try transaction.save(Tweet.sample("1"))
        let user = try transaction.model(Person.self, id: 7)
        throw .store(user == nil ? "nothing was there" : "no")
      }
    }

    #expect(try await store.model(Tweet.self, id: "1") == nil)
    #expect(try await store.count(ModelQuery(Person.self)) == 0)
    try await store.save(Tweet.sample("1"))
    #expect(try await store.count(ModelQuery(Person.self)) == 1)
  }

  @Test(arguments: ["read", "delete", "replace", "save", "replace by it", "delete it"])
  func `a failed change fails the transaction, also if the closure continues`(
    change: String
  ) async throws {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(1))
    let undeclared = ModelQuery(Person.self).where(\.place?.country, is: "CH")

    await #expect(throws: FreshetError.self) {
      try await store.transaction { transaction throws(FreshetError) in
        try transaction.save(Person.sample(2))
        switch change {
        case "read": _ = try transaction.models(undeclared)
        case "delete": _ = try? transaction.delete(undeclared)
        case "replace": _ = try? transaction.replace(undeclared, with: [])
        case "save": _ = try? transaction.save(Unwritable(id: 1))
        case "replace by it":
          _ = try? transaction.replace(ModelQuery(Unwritable.self), with: [Unwritable(id: 1)])
        default: _ = try? transaction.delete(Unnamed.self, id: Unnamed.ID())
        }
      }
    }

    #expect(try await store.count(ModelQuery(Person.self)) == 1)
  }

  @Test func `a failed transaction fails no other`() async throws {
    let store = ModelStore.temporary()
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let result: Void? = try? await store.transaction { transaction throws(FreshetError) in
            try transaction.save(Tweet.sample("\(number)", by: .sample(number)))
            if number % 4 == 0 { throw .cancelled }
          }
          return result != nil
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }

    #expect(outcomes == 150)
    #expect(try await store.count(ModelQuery(Tweet.self)) == 150)
    #expect(try await store.count(ModelQuery(Person.self)) == 150)
  }

  @Test func `parallel increments lose nothing, in two stores`() async throws {
    try await TemporaryDirectory.scope { directory in
      let stores = [0, 1].map { _ in ModelStore(directory: directory.file("models")) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          group.addTask {
            try await stores[number % 2]
              .transaction { transaction throws(FreshetError) in
                var user = try transaction.model(Person.self, id: 1) ?? .sample(1)
                user.followers += 1
                try transaction.save(user)
              }
          }
        }
        try await group.waitForAll()
      }

      #expect(try await stores[0].model(Person.self, id: 1)?.followers == 100)
      for store in stores { await store.close() }
    }
  }
}
