import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet
@testable import FreshetModels

@Suite(.serialized) struct ModelSessionTests {
  @Test func `sees a commit between its own commit and its note`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let core = ModelDatabase(place: .directory(place), configuration: .init(), now: { Date() })
      let session = ModelSession(core: core, wake: {})
      try session.open()
      let other = ModelStore(directory: place)
      try await other.save(Person.sample(1))
      session.doDue()
      // One who depends on nothing hears only of what others may have changed.
      let subscription = ModelSubscription()
      _ = core.observers.add { subscription.note($0) }
      _ = subscription.turn()
      subscription.didRead(ModelInterest())
      let job = ModelSession.Job(
        work: { transaction throws(FreshetError) in
          try transaction.save(Person.sample(2))
          return {}
        },
        fail: { Issue.record($0) }
      )

      session.announce(session.commit([job]))
      guard case .wait = subscription.turn() else { throw FreshetError.noValue }
      let outcome = session.commit([job.changed])
      try await other.save(Person.sample(3))
      session.announce(outcome)

      guard case .read = subscription.turn() else { throw FreshetError.noValue }
      session.end()
      await other.close()
    }
  }

  @Test(arguments: [.refuse, .setAside] as [ModelStore.Damage])
  func `damage that a write meets once is none, and its whole group runs again`(
    damage: ModelStore.Damage
  ) async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let core = ModelDatabase(
        place: .directory(place),
        configuration: ModelStore.Configuration { $0.damage = damage },
        now: { Date() }
      )
      let session = ModelSession(core: core, wake: {})
      try session.open()
      let isFirst = Mutex(true)
      let counting = ModelSession.Job.changing { transaction throws(FreshetError) in
        var person = try transaction.model(Person.self, id: 1) ?? .sample(1)
        person.followers += 1
        try transaction.save(person)
      }
      let failing = ModelSession.Job.changing { transaction throws(FreshetError) in
        try transaction.save(Person.sample(2))
        let mustFail = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if mustFail { throw transaction.connection.failure(SQLiteError(damage: "a page")) }
      }

      session.announce(session.commit([counting, failing]))

      session.end()
      let store = ModelStore(directory: place)
      let followers = Person.sample(1).followers
      #expect(try await store.model(Person.self, id: 1)?.followers == followers + 1)
      #expect(try await store.model(Person.self, id: 2) != nil)
      await store.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
      #expect(!names.contains { $0.contains("damaged") })
    }
  }

  @Test func `nothing of a group is saved when SQLite has rolled it back`() async throws {
    try await TemporaryDirectory.scope { directory in
      let place = directory.file("models")
      let core = ModelDatabase(place: .directory(place), configuration: .init(), now: { Date() })
      let session = ModelSession(core: core, wake: {})
      try session.open()
      let first = ModelSession.Job.changing { transaction throws(FreshetError) in
        try transaction.save(Person.sample(1))
      }
      session.announce(session.commit([first]))
      let failures = Mutex(0)
      let fail: @Sendable (FreshetError) -> Void = { _ in failures.withLock { $0 += 1 } }
      let ending = ModelSession.Job.changing(fail: fail) { transaction throws(FreshetError) in
        try transaction.save(Person.sample(2))
        try transaction.rollBack()
      }
      let behind = ModelSession.Job.changing(fail: fail) { transaction throws(FreshetError) in
        try transaction.save(Person.sample(3))
      }

      session.announce(session.commit([ending, behind]))

      #expect(failures.withLock { $0 } == 2)
      session.end()
      let store = ModelStore(directory: place)
      #expect(try await store.models(ModelQuery(Person.self)).map(\.id) == [1])
      await store.close()
    }
  }

  @Test func `nothing is saved behind a read whose failure has rolled everything back`()
    async throws
  {
    let store = ModelStore.temporary()
    try await store.save(Person.sample(1))
    let undeclared = ModelQuery(Person.self).where(\.place?.country, is: "CH")

    await #expect(throws: FreshetError.self) {
      try await store.transaction { transaction throws(FreshetError) in
        try transaction.rollBack()
        _ = try? transaction.models(undeclared)
        _ = try? transaction.save(Person.sample(2))
      }
    }

    #expect(try await store.models(ModelQuery(Person.self)).map(\.id) == [1])
  }
}

extension ModelTransaction {
  /// Rolls back the transaction, as SQLite does after some failures.
  fileprivate func rollBack() throws(FreshetError) {
    try connection.reporting { () throws(SQLiteError) in try connection.run("ROLLBACK") }
  }
}

extension ModelSession.Job {
  fileprivate static func changing(
    fail: @escaping @Sendable (FreshetError) -> Void = { Issue.record($0) },
    _ work: @escaping @Sendable (ModelTransaction) throws(FreshetError) -> Void
  ) -> Self {
    Self(
      work: { transaction throws(FreshetError) in
        try work(transaction)
        return {}
      },
      fail: fail
    )
  }

  /// Another change of the same kind.
  fileprivate var changed: Self {
    Self(
      work: { transaction throws(FreshetError) in
        try transaction.save(Person.sample(4))
        return {}
      },
      fail: fail
    )
  }
}
