import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetModels

@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangeIdentityTests {
  let id = TemporaryID.integer()
  let visit = UUID()

  @Test(arguments: StorePlace.allCases)
  func `a temporary identity becomes the server's in models and changes behind it`(
    place: StorePlace
  ) async throws {
    let gate = Gate()
    let world = ChangeWorld(place.make(), SpringService(gate: gate))
    let changes = world.queue()
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.add(AddVisit(subjectID: visit, springID: id))
    try await changes.add(Rename(subjectID: id, name: "Birs"))
    // A confirmed model that names it, as of an app's own.
    let own = Visit(id: UUID(), springID: id, spring: nil)
    try await world.models.save(own)
    var seen = world.models.observe(Spring.self, id: id).makeAsyncIterator()
    #expect(try await seen.next() == Spring(id: id, name: "Birs"))
    #expect(try await changes.state().changes.map(\.state).contains(.blocked))

    gate.open()
    try await changes.idle()

    let created = Spring(id: 101, name: "Birs")
    #expect(world.service.springs == [created])
    #expect(try await world.models.models(ModelQuery(Spring.self)) == [created])
    let visits = try await world.models.models(ModelQuery(Visit.self))
    #expect(Set(visits.map(\.springID)) == [101])
    #expect(visits.first { $0.id == visit }?.spring == created)
    let texts = ["POST /springs", "POST /springs/101/visits", "PATCH /springs/101"]
    #expect(Set(world.service.texts) == Set(texts))
    // Who shows it by its first identity follows it.
    try await seen.reach { $0 == created }
    #expect(try await world.spring(id) == created)
    try await changes.add(Rename(subjectID: id, name: "Orbe"))
    try await changes.idle()
    try await seen.reach { $0?.name == "Orbe" }
    #expect(world.service.texts.last == "PATCH /springs/101")
  }

  @Test func `a temporary identity becomes the server's in the keys of a dictionary`()
    async throws
  {
    let gate = Gate()
    let world = ChangeWorld(.temporary(), SpringService(gate: gate))
    let changes = world.queue { $0.register(Write.self) }
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.add(Write(subjectID: 1, notes: [id: "cold"]))
    try await world.models.save(Journal(id: 2, notes: [id: "deep", 7: "wide"]))
    #expect(try await changes.state().changes.map(\.state).contains(.blocked))

    gate.open()
    try await changes.idle()

    #expect(try await world.models.model(Journal.self, id: 1)?.notes == [101: "cold"])
    let notes = try await world.models.model(Journal.self, id: 2)?.notes
    #expect(notes == [101: "deep", 7: "wide"])
    #expect(world.service.texts == ["POST /springs", "POST /springs/101/notes"])
  }

  @Test func `a temporary identity becomes the server's in the identity of another subject`()
    async throws
  {
    let gate = Gate()
    let world = ChangeWorld(.temporary(), SpringService(gate: gate))
    let changes = world.queue { $0.register(Measure.self, superseding: .lastWriteWins) }
    let creation = try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.add(Measure(subjectID: Level.ID(spring: id, day: 1), metres: 2))
    await gate.waiting()
    changes.pause()
    gate.open()
    _ = try await creation.output

    try await changes.add(Measure(subjectID: Level.ID(spring: 101, day: 1), metres: 3))
    #expect(try await changes.state().changes.count == 1)

    changes.resume()
    try await changes.idle()
    #expect(world.service.texts == ["POST /springs", "POST /springs/101/levels"])
    let level = Level(id: Level.ID(spring: 101, day: 1), metres: 3)
    #expect(try await world.models.models(ModelQuery(Level.self)) == [level])
  }

  @Test func `a temporary identity becomes the server's in the identities of confirmed models`()
    async throws
  {
    let gate = Gate()
    let world = ChangeWorld(.temporary(), SpringService(gate: gate))
    let changes = world.queue()
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    let level = Level(id: Level.ID(spring: id, day: 1), metres: 2)
    try await world.models.save(Chart(id: 7, levels: [level], source: Source(id: id, depth: 3)))

    gate.open()
    try await changes.idle()

    let renamed = Level(id: Level.ID(spring: 101, day: 1), metres: 2)
    let source = Source(id: 101, depth: 3)
    let chart = try await world.models.model(Chart.self, id: 7)
    #expect(chart == Chart(id: 7, levels: [renamed], source: source))
    #expect(try await world.models.model(Level.self, id: renamed.id) == renamed)
    #expect(try await world.models.model(Source.self, id: 101) == source)
    #expect(try await world.models.count(ModelQuery(Level.self)) == 1)
    // The first identity is another name for it.
    #expect(try await world.models.model(Level.self, id: level.id) == renamed)
  }

  private struct ClearVisit: ModelChange {
    static let changeName = "ClearVisit"
    typealias Subject = Visit
    typealias Output = EmptyResponse
    var subjectID: UUID
    var method: HTTPMethod { .delete }
    var path: RequestPath { "visits" }

    func apply(to models: ModelTransaction) throws(FreshetError) {
      try models.save(Visit(id: subjectID, springID: 0))
    }
  }

  @Test func `a temporary identity becomes the server's in a model that a pending change hides`()
    async throws
  {
    let gate = Gate()
    let service = SpringService(gate: gate) { _, request in
      request.method == .delete ? .unsent : .none
    }
    let world = ChangeWorld(.temporary(), service)
    let changes = world.queue { $0.register(ClearVisit.self) }
    let creation = try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await world.models.save(Visit(id: visit, springID: id))
    let clearing = try await changes.add(ClearVisit(subjectID: visit))
    #expect(try await world.models.model(Visit.self, id: visit)?.springID == 0)

    gate.open()
    _ = try await creation.output
    try await changes.isRetrying()
    #expect(try await changes.remove(clearing.id))

    #expect(try await world.models.model(Visit.self, id: visit)?.springID == 101)
  }

  @Test func `a temporary identity becomes the server's in the base of a conflict`() async throws {
    let gate = Gate()
    let service = SpringService(gate: gate) { number, request in
      if request.method != .delete { return .none }
      return number < 3 ? .unsent : .status(412, "{}")
    }
    let world = ChangeWorld(.temporary(), service)
    let bases = Mutex<[Int?]>([])
    let changes = world.queue {
      $0.register(
        ClearVisit.self,
        conflicts: .resolving { conflict in
          bases.withLock { $0.append(conflict.base?.springID) }
          return .refused
        }
      )
    }
    let creation = try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await world.models.save(Visit(id: visit, springID: id))
    try await changes.add(ClearVisit(subjectID: visit))

    gate.open()
    _ = try await creation.output
    try await changes.isRetrying()
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(1))
    try await changes.idle()

    #expect(bases.withLock { $0 } == [101])
  }

  @Test func `a model is deleted by its temporary identity too`() async throws {
    let world = ChangeWorld(.temporary(), SpringService())
    let changes = world.queue()
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.idle()
    #expect(try await world.spring(101) != nil)

    #expect(try await world.models.delete(Spring.self, id: id))

    #expect(try await world.models.count(ModelQuery(Spring.self)) == 0)
    #expect(try await !world.models.delete(Spring.self, id: id))
  }

  @Test func `changes fail with the one whose model they name, and are tried again with it`()
    async throws
  {
    let world = ChangeWorld(
      .temporary(),
      SpringService { number, _ in number == 1 ? .status(422, "{}") : .none }
    )
    let changes = world.queue()
    let creation = try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    let behind = try await changes.add(AddVisit(subjectID: visit, springID: id))
    await #expect(throws: CallError<NoErrorModel>.self) { try await creation.output }
    let failure = await #expect(throws: CallError<NoErrorModel>.self) { try await behind.output }
    guard case .failed(.store(let reason))? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.description == "a change that it depends on was refused or removed")
    #expect(try await changes.state().failed.count == 2)
    #expect(try await world.models.count(ModelQuery(Visit.self)) == 0)
    #expect(world.service.texts == ["POST /springs"])

    #expect(try await changes.retry(creation.id))
    try await changes.idle()

    #expect(try await world.models.model(Visit.self, id: visit)?.springID == 101)
    #expect(try await changes.state().changes == [])
  }

  @Test func `a change stays failed whose creation was removed`() async throws {
    let world = ChangeWorld(.temporary(), SpringService { _, _ in .status(422, "{}") })
    let changes = world.queue()
    let creation = try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    let behind = try await changes.add(AddVisit(subjectID: visit, springID: id))
    await #expect(throws: CallError<NoErrorModel>.self) { try await behind.output }

    #expect(try await changes.remove(creation.id))
    try await changes.retryAll()
    try await changes.idle()

    #expect(try await !changes.retry(behind.id))
    #expect(try await changes.state().failed.count == 1)
    #expect(world.service.texts == ["POST /springs"])
  }

  @Test func `removing everything forgets the identities of models that no change names`()
    async throws
  {
    let world = ChangeWorld(.temporary(), SpringService())
    let changes = world.queue()
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.idle()
    func identities() async throws -> Int64 {
      try await world.models.writer.perform { transaction throws(FreshetError) in
        let connection = transaction.connection
        return try connection.reporting { () throws(SQLiteError) in
          try connection.integer("SELECT count(*) FROM alias")
        }
      }
    }
    #expect(try await identities() == 1)

    try await world.models.removeAll()

    #expect(try await identities() == 0)
  }

  @Test func `a change that names a refused creation fails, and is tried again with it`()
    async throws
  {
    let world = ChangeWorld(
      .temporary(),
      SpringService { number, _ in number == 1 ? .status(422, "{}") : .none }
    )
    let changes = world.queue()
    let creation = try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.idle()
    let behind = try await changes.add(AddVisit(subjectID: visit, springID: id))

    await #expect(throws: CallError<NoErrorModel>.self) { try await behind.output }
    try await changes.idle()
    #expect(try await changes.state().failed.count == 2)
    #expect(try await world.models.count(ModelQuery(Visit.self)) == 0)
    #expect(try await !changes.retry(behind.id))

    #expect(try await changes.retry(creation.id))
    try await changes.idle()
    #expect(try await world.models.model(Visit.self, id: visit)?.springID == 101)
    #expect(try await changes.state().changes == [])
  }

  @Test func `a model keeps its place in a list when it gets the server's identity`() async throws {
    let gate = Gate()
    let world = ChangeWorld(.temporary(), SpringService(gate: gate))
    let changes = world.queue()
    let springs = ModelQuery(Spring.self)
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await world.models.replace(
      springs,
      with: [Spring(id: id, name: "Areuse"), Spring(id: 7, name: "Loue")]
    )
    gate.open()
    try await changes.idle()

    #expect(try await world.models.models(springs).map(\.id) == [101, 7])
  }

  @Test func `a creation whose answer was lost creates one model`() async throws {
    let service = SpringService { number, _ in number == 1 ? .lost : .none }
    let world = ChangeWorld(.temporary(), service)
    let changes = world.queue()
    let creation = try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.isRetrying()
    await changes.stop()

    let next = world.queue(seed: 8)
    try await next.retry(creation.id)
    try await next.idle()

    #expect(try await world.models.models(ModelQuery(Spring.self)) == world.service.springs)
    #expect(world.service.springs.count == 1)
  }

  @Test func `temporary identities are unmistakable`() {
    #expect(TemporaryID.isTemporary(id))
    #expect(Double(id) == Double(exactly: id))
    #expect(!TemporaryID.isTemporary(-1))
    #expect(TemporaryID.isTemporary(TemporaryID.text()))
    #expect(!TemporaryID.isTemporary("loue"))
  }

  @Test(arguments: [(32, Int64(Int32.max)), (64, 9_007_199_254_740_991)])
  func `temporary identities fit into an integer, and are larger than the usual ones`(
    bitWidth: Int,
    largest: Int64
  ) {
    let magnitudes = TemporaryID.magnitudes(bitWidth: bitWidth)

    #expect(magnitudes.upperBound == largest)
    #expect(magnitudes.lowerBound > Int64(TemporaryID.largestUsual(bitWidth: bitWidth)))
  }
}

private struct Journal: PersistableModel, Hashable {
  static let modelName = "Journal"
  let id: Int
  var notes: [Int: String]
}

private struct Write: ModelChange {
  static let changeName = "Write"
  typealias Subject = Journal
  typealias Output = EmptyResponse
  var subjectID: Int
  var notes: [Int: String]
  var method: HTTPMethod { .post }
  var path: RequestPath { "springs/\(notes.keys.first ?? 0)/notes" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    try models.save(Journal(id: subjectID, notes: notes))
  }
}

/// A model whose identity has that of another one in it.
private struct Level: PersistableModel, Hashable {
  struct ID: Codable, Hashable, Sendable {
    var spring: Int
    var day: Int
  }

  static let modelName = "Level"
  let id: ID
  var metres: Double
}

/// A model with the same identity as a spring.
private struct Source: PersistableModel, Hashable {
  static let modelName = "Source"
  let id: Int
  var depth: Double
}

/// A model that has the others in it.
private struct Chart: PersistableModel, Hashable {
  static let modelName = "Chart"
  let id: Int
  var levels: [Level]
  var source: Source
}

private struct Measure: ModelChange {
  static let changeName = "Measure"
  typealias Subject = Level
  typealias Output = EmptyResponse
  var subjectID: Level.ID
  var metres: Double
  var method: HTTPMethod { .post }
  var path: RequestPath { "springs/\(subjectID.spring)/levels" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    try models.save(Level(id: subjectID, metres: metres))
  }
}
