import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelObservationTests {
  @Test(arguments: StorePlace.allCases)
  func `the current value comes immediately, then each change`(place: StorePlace) async throws {
    let store = place.make()
    var observed = store.observe(Person.self, id: 7).makeAsyncIterator()

    #expect(try await observed.next() == .some(nil))
    try await store.save(Person.sample(7, name: "a"))
    #expect(try await observed.next() == .sample(7, name: "a"))
    try await store.save(Person.sample(7, name: "b"))
    #expect(try await observed.next() == .sample(7, name: "b"))
    try await store.delete(Person.self, id: 7)
    #expect(try await observed.next() == .some(nil))
  }

  @Test func `a change reaches a waiting reader`() async throws {
    let store = ModelStore.temporary()
    let ready = Gate()
    let reader = Task {
      var names: [String?] = []
      for try await user in store.observe(Person.self, id: 7) {
        names.append(user?.name)
        if names.count == 1 { ready.open() }
        if user?.name == "last" { break }
      }
      return names
    }
    try await ready.enter()

    try await store.save(Person.sample(7, name: "last"))

    #expect(try await reader.value == [nil, "last"])
  }

  @Test func `a change of a nested model counts in its current model`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Tweet.sample("1", by: .sample(1)))
    var observed = store.observe(Tweet.self, id: "1").makeAsyncIterator()
    _ = try await observed.next()

    try await store.save(Person.sample(1, name: "renamed"))
    #expect(try await observed.next()??.user.name == "renamed")

    try await store.save(Tweet.sample("1", by: .sample(2)))
    #expect(try await observed.next()??.user.id == 2)

    try await store.save(Person.sample(1, name: "no longer of interest"))
    try await store.save(Person.sample(2, name: "of interest"))
    #expect(try await observed.next()??.user.name == "of interest")
  }

  @Test func `a query follows its results`() async throws {
    let store = ModelStore.temporary()
    let query = ModelQuery(Tweet.self).where(\.user.id, is: 1).sorted(by: \.text).limit(2)
    var observed = store.observe(query).makeAsyncIterator()
    #expect(try await observed.next() == [])

    try await store.save(Tweet.sample("b", text: "b", by: .sample(1)))
    #expect(try await observed.next()?.map(\.id) == ["b"])
    try await store.save([
      Tweet.sample("c", text: "c", by: .sample(1)), .sample("a", text: "a", by: .sample(1)),
    ])
    #expect(try await observed.next()?.map(\.id) == ["a", "b"])
    try await store.save(Person.sample(1, name: "renamed"))
    #expect(try await observed.next()?.map(\.user.name) == ["renamed", "renamed"])
    try await store.delete(Tweet.self, id: "a")
    #expect(try await observed.next()?.map(\.id) == ["b", "c"])
  }

  @Test func `equal values are omitted, also after a change in between`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(7))
    var observed = store.observe(Person.self, id: 7).makeAsyncIterator()
    _ = try await observed.next()

    try await store.save(Person.sample(7))
    try await store.save(Person.sample(7, name: "other"))
    try await store.save(Person.sample(7))
    try await store.save(Person.sample(8))
    try await store.save(Person.sample(7, name: "really"))

    #expect(try await observed.next()??.name == "really")
  }

  @Test func `a query omits changes that do not affect its results`() async throws {
    let store = ModelStore.temporary()
    try await store.save((1...3).map { Person.sample($0, followers: $0) })
    var observed = store.observe(ModelQuery(Person.self).where(\.followers, in: 3...))
      .makeAsyncIterator()
    #expect(try await observed.next()?.count == 1)

    try await store.save(Person.sample(1, followers: 2))
    try await store.save(Person.sample(2, followers: 5))

    #expect(try await observed.next()?.map(\.id) == [2, 3])
  }

  @Test func `a rollback is not reported`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(7))
    var observed = store.observe(Person.self, id: 7).makeAsyncIterator()
    _ = try await observed.next()

    try? await store.transaction { transaction throws(FreshetError) in
      try transaction.save(Person.sample(7, name: "rolled back"))
      throw .cancelled
    }
    try await store.save(Person.sample(7, name: "committed"))

    #expect(try await observed.next()??.name == "committed")
  }

  @Test func `a slow reader gets the newest state`() async throws {
    let store = ModelStore.temporary()
    var observed = store.observe(Person.self, id: 7).makeAsyncIterator()
    _ = try await observed.next()

    for number in 0..<100 { try await store.save(Person.sample(7, name: "\(number)")) }

    #expect(try await observed.next()??.name == "99")
  }

  @Test func `a transaction is one change`() async throws {
    let store = ModelStore.temporary()
    let total = 100
    try await store.save([Person.sample(1, followers: total), .sample(2)])
    let ready = Gate()
    let sums = Task {
      var sums: Set<Int> = []
      for try await users in store.observe(ModelQuery(Person.self)) {
        ready.open()
        sums.insert(users.reduce(0) { $0 + $1.followers })
        if users.contains(where: { $0.id == 3 }) { break }
      }
      return sums
    }
    try await ready.enter()

    for number in 1...total {
      try await store.transaction { transaction throws(FreshetError) in
        try transaction.save(Person.sample(1, followers: total - number))
        try transaction.save(Person.sample(2, followers: number))
      }
    }
    try await store.save(Person.sample(3))

    #expect(try await sums.value == [total])
  }

  @Test func `observes another store in the same directory`() async throws {
    try await TemporaryDirectory.scope { directory in
      let stores = [0, 1].map { _ in ModelStore(directory: directory.file("models")) }
      try await stores[1].save(Person.sample(1))
      var observed = stores[0].observe(ModelQuery(Person.self)).makeAsyncIterator()
      #expect(try await observed.next()?.count == 1)

      for number in 2...10 {
        try await stores[1].save(Person.sample(number))
        #expect(try await observed.next()?.count == number)
      }
      for store in stores { await store.close() }
    }
  }

  @Test func `reports to many readers and misses none`() async throws {
    let store = ModelStore.temporary()
    let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let readers = (0..<50)
      .map { number in
        Task {
          for try await user in store.observe(Person.self, id: number % 5) {
            if user != nil { return }
            hasBegun.yield()
          }
          throw FreshetError.noValue
        }
      }
    var beginnings = begun.makeAsyncIterator()
    for _ in readers { _ = await beginnings.next() }
    try await store.save((0..<5).map { Person.sample($0) })

    for reader in readers { try await reader.value }
  }

  @Test func `it ends when the store is closed, and fails when it is cancelled`() async throws {
    let store = ModelStore.temporary()
    let (first, second) = (Gate(), Gate())
    let ending = Task {
      var count = 0
      for try await _ in store.observe(Person.self, id: 1) {
        count += 1
        first.open()
      }
      return count
    }
    let cancelled = Task {
      for try await _ in store.observe(ModelQuery(Person.self)) { second.open() }
    }
    try await first.enter()
    try await second.enter()

    cancelled.cancel()
    await #expect(throws: FreshetError.cancelled) { try await cancelled.value }
    await store.close()
    #expect(try await ending.value == 1)
  }

  @Test func `an observation of a closed store ends at once`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(1))
    await store.close()

    for try await _ in store.observe(ModelQuery(Person.self)) { Issue.record("it has a list") }
    for try await _ in store.observe(Person.self, id: 1) { Issue.record("it has a person") }
  }

  @Test func `closing while it reads is its end, not a failure`() async throws {
    for round in 0..<30 {
      let store = ModelStore.temporary()
      try await store.save((0..<50).map { Person.sample($0) })
      let ready = Gate()
      let reader = Task {
        for try await _ in store.observe(ModelQuery(Person.self)) { ready.open() }
      }
      let writer = Task {
        for number in 0... {
          guard (try? await store.save(Person.sample(0, followers: number))) != nil else { return }
        }
      }
      try await ready.enter()
      for _ in 0..<round { await Task.yield() }

      await store.close()

      await #expect(throws: Never.self) { try await reader.value }
      await writer.value
    }
  }

  @Test func `removing all is a change`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(1))
    var observed = store.observe(ModelQuery(Person.self)).makeAsyncIterator()
    #expect(try await observed.next()?.count == 1)

    try await store.removeAll()

    #expect(try await observed.next() == [])
  }
}
