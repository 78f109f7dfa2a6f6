import Foundation
import Freshet
import Synchronization
import Testing

@testable import FreshetModels

@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelFullDiskTests {
  @Test func `a full disk is a typed failure, and stored models stay`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(0, name: "stored"))
    try await store.writer.perform { transaction throws(FreshetError) in
      do throws(SQLiteError) {
        try transaction.connection.sqlite.run("PRAGMA max_page_count = 40")
      } catch {
        throw transaction.connection.failure(error)
      }
    }

    let large = String(repeating: "name", count: 2_500)
    let full = FreshetError.store("there is no space left on the disk")
    await #expect(throws: full) {
      for number in 1..<60 { try await store.save(Person.sample(number, name: large)) }
    }
    await #expect(throws: full) {
      try await ResponseScript(.body(Person.sample(0, name: large))).persist(in: store).value
    }

    await #expect(throws: full) {
      try await store.transaction { transaction in
        _ = try? transaction.save((100..<160).map { Person.sample($0, name: large) })
        _ = try? transaction.save(Person.sample(0, name: "behind it"))
      }
    }
    var pages = ResponseScript(.body(Person.sample(0, name: large)), .body(.sample(0)))
      .persist(in: store).makeAsyncIterator()
    do {
      _ = try await pages.next()
      Issue.record("it was saved")
    } catch {
      #expect(error as? FreshetError == full)
    }
    #expect(try await pages.next() == nil)

    #expect(try await store.model(Person.self, id: 0)?.name == "stored")
    let count = try await store.count(ModelQuery(Person.self))
    #expect(count > 1 && count < 60)
  }

  @Test func `a write for which a full disk has no space takes the place of the log`() async throws
  {
    let store = ModelStore.temporary()
    for number in 0..<20 { try await store.save(Person.sample(number)) }
    let log = try #require(store.directory).appending(path: "models.sqlite-wal")
    let header = try Data(contentsOf: log).prefix(32)

    let large = String(repeating: "name", count: 2_500)
    let runs = Atomic(0)
    try await store.writer.perform { transaction throws(FreshetError) in
      let isFull = runs.add(1, ordering: .relaxed).newValue == 1
      do throws(SQLiteError) {
        // The number of pages that there are is the least.
        let pages = isFull ? 1 : 1 << 20
        try transaction.connection.sqlite.run("PRAGMA max_page_count = \(pages)")
      } catch {
        throw transaction.connection.failure(error)
      }
      try transaction.save((20..<30).map { Person.sample($0, name: large) })
    }

    #expect(runs.load(ordering: .relaxed) == 2)
    #expect(try Data(contentsOf: log).prefix(32) != header)
    #expect(try await store.count(ModelQuery(Person.self)) == 30)
    await store.close()
  }
}
