import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Synchronization
import Testing

/// The changes that are taken back and applied again when another one is confirmed or a model is read.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangeCostTests {
  /// The number of times that changes were applied.
  private static let applied = Mutex(0)

  private struct Counted: ModelChange {
    static let changeName = "Counted"
    typealias Subject = Spring
    typealias Output = EmptyResponse
    var subjectID: Int
    var method: HTTPMethod { .post }
    var path: RequestPath { "springs/\(subjectID)/likes" }

    func apply(to models: ModelTransaction) throws(FreshetError) {
      applied.withLock { $0 += 1 }
      guard var spring = try models.model(Spring.self, id: subjectID) else { return }
      spring.likes += 1
      try models.save(spring)
    }
  }

  private struct CountedCreation: ModelChange {
    static let changeName = "CountedCreation"
    static let createsSubject = true
    typealias Subject = Spring
    typealias Output = Spring
    var subjectID: Int
    var method: HTTPMethod { .post }
    var path: RequestPath { "springs" }

    func apply(to models: ModelTransaction) throws(FreshetError) {
      applied.withLock { $0 += 1 }
      try models.save(Spring(id: subjectID, name: ""))
    }
  }

  private static let count = 20

  private func world() async throws -> ChangeWorld {
    let springs = (1...Self.count).map { Spring(id: $0, name: "") }
    let world = ChangeWorld(.temporary(), SpringService(springs))
    try await world.models.save(springs)
    Self.applied.withLock { $0 = 0 }
    return world
  }

  private func queue(_ world: ChangeWorld) -> ChangeQueue {
    world.queue {
      $0.register(Counted.self)
      $0.register(CountedCreation.self)
    }
  }

  @Test func `a confirmation does not apply the changes of other models again`() async throws {
    let world = try await world()
    let changes = queue(world)
    changes.pause()
    for id in 1...Self.count { try await changes.add(Counted(subjectID: id)) }
    changes.resume()
    try await changes.idle()

    #expect(try await world.spring(Self.count)?.likes == 1)
    // When they are made, perhaps when the queue begins, and when they are confirmed.
    #expect(Self.applied.withLock(\.self) <= 3 * Self.count)
  }

  @Test func `nor does the confirmation of a creation`() async throws {
    let world = try await world()
    let changes = queue(world)
    changes.pause()
    for number in 1...Self.count {
      try await changes.add(CountedCreation(subjectID: TemporaryID.integer()))
      try await changes.add(Counted(subjectID: number))
    }
    changes.resume()
    try await changes.idle()

    #expect(try await world.models.count(ModelQuery(Spring.self)) == 2 * Self.count)
    #expect(Self.applied.withLock(\.self) <= 3 * 2 * Self.count)
  }

  @Test func `a transaction that reads a model leaves the changes of others in place`()
    async throws
  {
    let world = try await world()
    let changes = queue(world)
    changes.pause()
    for id in 1...Self.count { try await changes.add(Counted(subjectID: id)) }
    await changes.stop()
    let before = Self.applied.withLock(\.self)

    let read = try await world.models.transaction { transaction throws(FreshetError) in
      try transaction.model(Spring.self, id: 1)
    }
    #expect(read?.likes == 0)
    #expect(Self.applied.withLock(\.self) == before + 1)

    // It does not know the changes, and cannot apply again what it takes back.
    let other = ModelStore(directory: try #require(world.models.directory))
    _ = try await other.transaction { transaction throws(FreshetError) in
      try transaction.model(Spring.self, id: 2)
    }
    #expect(try await world.spring(1)?.likes == 1)
    #expect(try await world.spring(2)?.likes == 0)
    await other.close()
  }
}
