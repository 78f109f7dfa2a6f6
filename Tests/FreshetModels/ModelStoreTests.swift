import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelStoreTests {
  @Test(arguments: StorePlace.allCases)
  func `saves, reads, updates and deletes a model`(place: StorePlace) async throws {
    let store = place.make()
    let user = Person.sample(7, name: "Ada", followers: 3)

    #expect(try await store.model(Person.self, id: 7) == nil)
    #expect(try await store.save(user) == user)
    #expect(try await store.model(Person.self, id: 7) == user)

    let renamed = Person.sample(7, name: "Grace")
    try await store.save(renamed)
    #expect(try await store.model(Person.self, id: 7) == renamed)
    #expect(try await store.count(ModelQuery(Person.self)) == 1)

    #expect(try await store.delete(Person.self, id: 7))
    #expect(try await !store.delete(Person.self, id: 7))
    #expect(try await store.model(Person.self, id: 7) == nil)
  }

  @Test(arguments: StorePlace.allCases)
  func `saves an array in one transaction, and the last of an identity stays`(
    place: StorePlace
  ) async throws {
    let store = place.make()
    let users = (1...10).map { Person.sample($0) } + [.sample(3, name: "last")]

    let saved = try await store.save(users)

    #expect(saved.count == 11)
    #expect(saved[2].name == "last" && saved[10].name == "last")
    #expect(try await store.models(ModelQuery(Person.self)).map(\.id) == Array(1...10))
  }

  @Test func `keeps acknowledged changes for the next store`() async throws {
    try await TemporaryDirectory.scope { directory in
      let first = ModelStore(directory: directory.file("models"))
      try await first.save(Person.sample(1))
      await first.close()

      let second = ModelStore(directory: directory.file("models"))
      #expect(try await second.model(Person.self, id: 1) == .sample(1))
      await second.close()
    }
  }

  @Test func `one store sees immediately what another has committed in the same directory`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let stores = [0, 1].map { _ in ModelStore(directory: directory.file("models")) }
      for round in 0..<20 {
        try await stores[round % 2].save(Person.sample(round))
        #expect(try await stores[(round + 1) % 2].model(Person.self, id: round) == .sample(round))
      }
      for store in stores { await store.close() }
    }
  }

  @Test func `the same user through five requests at once is one user`() async throws {
    let store = ModelStore.temporary()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for request in 0..<5 {
        group.addTask {
          let user = Person.sample(7, name: "from \(request)")
          try await store.save((0..<10).map { Tweet.sample("\(request)-\($0)", by: user) })
        }
      }
      try await group.waitForAll()
    }

    let users = try await store.models(ModelQuery(Person.self))
    let tweets = try await store.models(ModelQuery(Tweet.self))
    #expect(users.count == 1)
    #expect(tweets.count == 50)
    #expect(Set(tweets.map(\.user)) == Set(users))
  }

  @Test func `identities of any kind stay apart`() async throws {
    struct Tag: PersistableModel, Hashable {
      static let modelName = "Tag"
      let id: String
      var text = ""
    }
    struct Pixel: PersistableModel, Hashable {
      static let modelName = "Pixel"
      struct ID: Codable, Hashable, Sendable {
        let x: Int
        let y: Int
      }
      let id: ID
      var colour: String
    }
    struct Document: PersistableModel, Hashable {
      static let modelName = "Document"
      let id: UUID
      var size: UInt64
    }
    let store = ModelStore.temporary()
    let tags = ["1", "", "a\u{0}b", "a\u{0}c", "ü", "u\u{308}", "'; DROP TABLE model"]
      .map { Tag(id: $0, text: "tag \($0)") }
    let pixels = [
      Pixel(id: .init(x: 1, y: 2), colour: "a"), Pixel(id: .init(x: 2, y: 1), colour: "b"),
    ]
    let document = Document(id: UUID(), size: .max)
    try await store.save(tags)
    try await store.save(pixels)
    try await store.save(document)

    for tag in tags.prefix(4) { #expect(try await store.model(Tag.self, id: tag.id) == tag) }
    // Swift calls the two spellings equal.
    #expect(try await store.model(Tag.self, id: "ü")?.text == "tag u\u{308}")
    for pixel in pixels { #expect(try await store.model(Pixel.self, id: pixel.id) == pixel) }
    #expect(try await store.model(Document.self, id: document.id) == document)
    #expect(try await store.count(ModelQuery(Tag.self)) == 6)
  }

  @Test func `a store in memory is separate, and writes no file`() async throws {
    let (first, second) = (ModelStore.inMemory(), ModelStore.inMemory())
    try await first.save(Person.sample(1))

    #expect(try await second.model(Person.self, id: 1) == nil)
    #expect(first.directory == nil)
  }

  @Test func `a temporary store is removed when it is closed`() async throws {
    let store = ModelStore.temporary()
    let directory = try #require(store.directory)
    #expect(!FileManager.default.fileExists(atPath: directory.path))
    try await store.save(Person.sample(1))
    #expect(FileManager.default.fileExists(atPath: directory.path))

    await store.close()

    #expect(!FileManager.default.fileExists(atPath: directory.path))
  }

  @Test func `a closed store refuses, and closing twice is harmless`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(1))
    await store.close()
    await store.close()

    await #expect(throws: FreshetError.store("the store is closed")) {
      try await store.save(Person.sample(2))
    }
    await #expect(throws: FreshetError.store("the store is closed")) {
      try await store.model(Person.self, id: 1)
    }
  }

  @Test func `an unused store touches no file`() async throws {
    try await TemporaryDirectory.scope { directory in
      let store = ModelStore(directory: directory.file("models"))
      await store.close()

      #expect(!FileManager.default.fileExists(atPath: directory.file("models").path))
    }
  }

  @Test func `removing all leaves an empty store that works`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Tweet.sample("1"))
    try await store.removeAll()

    #expect(try await store.count(ModelQuery(Tweet.self)) == 0)
    #expect(try await store.count(ModelQuery(Person.self)) == 0)
    try await store.save(Tweet.sample("1"))
    #expect(try await store.count(ModelQuery(Person.self)) == 1)
  }

  @Test func `a scan sees the state at its beginning, one model at a time`() async throws {
    let store = ModelStore.temporary()
    try await store.save((1...500).map { Person.sample($0) })

    var scan = store.scan(ModelQuery(Person.self)).makeAsyncIterator()
    var ids = [try #require(try await scan.next()).id]
    try await store.delete(Person.self, id: 400)
    try await store.save(Person.sample(1_000))
    while let user = try await scan.next() { ids.append(user.id) }

    #expect(ids == Array(1...500))
    #expect(try await scan.next() == nil)
  }

  @Test func `a scan works in memory, and in the order of its query`() async throws {
    let store = ModelStore.inMemory()
    try await store.save((1...300).map { Person.sample($0, followers: $0 % 10) })
    let query = ModelQuery(Person.self).where(\.followers, in: 8...).sorted(by: \.name)

    var names: [String] = []
    for try await user in store.scan(query) { names.append(user.name) }

    #expect(names.count == 60)
    #expect(names == names.sorted())
  }
}
