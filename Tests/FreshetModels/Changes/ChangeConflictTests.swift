import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Synchronization
import Testing

/// Changes that supersede each other, and those that the server has overtaken.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangeConflictTests {
  private static let loue = Spring(id: 1, name: "Loue")

  private func world(
    fault: @escaping @Sendable (Int, Request) -> SpringService.Fault = { _, _ in .none }
  ) async throws -> ChangeWorld {
    let world = ChangeWorld(.temporary(), SpringService([Self.loue], fault: fault))
    try await world.models.save(Self.loue)
    return world
  }

  /// A world whose server loses the first answer, and is still at the change when it is asked again.
  private func slowWorld() async throws -> ChangeWorld {
    try await world { number, _ in
      switch number {
      case 1: .lost
      case 2: .status(409, "{}")
      default: .none
      }
    }
  }

  // MARK: - Superseding

  @Test func `the last write wins over one that was never sent`() async throws {
    let world = try await world()
    let changes = world.queue { $0.register(Rename.self, superseding: .lastWriteWins) }
    changes.pause()
    let first = try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    try await changes.add(Rename(subjectID: 1, name: "Orbe"))
    #expect(try await changes.state().changes.count == 1)
    #expect(try await world.spring(1)?.name == "Orbe")

    changes.resume()
    #expect(try await first.output.name == "Orbe")
    #expect(world.service.texts.count == 1)
  }

  @Test func `a closure merges two changes, and sees what is confirmed`() async throws {
    let world = try await world()
    let bases = Mutex<[Int?]>([])
    let changes = world.queue {
      $0.register(
        Like.self,
        superseding: .merging { base, earlier, later in
          bases.withLock { $0.append(base?.likes) }
          return Like(subjectID: later.subjectID, count: earlier.count + later.count)
        }
      )
    }
    changes.pause()
    for _ in 1...3 { try await changes.add(Like(subjectID: 1)) }
    #expect(try await world.spring(1)?.likes == 3)

    changes.resume()
    try await changes.idle()
    #expect(bases.withLock { $0 } == [0, 0])
    #expect(world.service.texts.count == 1)
    #expect(world.service.springs[0].likes == 3)
    #expect(try await world.spring(1)?.likes == 3)
  }

  @Test func `a change that may have reached the server is not superseded`() async throws {
    let world = try await world { number, _ in number == 1 ? .lost : .none }
    let changes = world.queue { $0.register(Rename.self, superseding: .lastWriteWins) }
    try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    try await changes.isRetrying()

    try await changes.add(Rename(subjectID: 1, name: "Orbe"))

    #expect(try await changes.state().changes.count == 2)
  }

  @Test func `another change between two keeps both`() async throws {
    let world = try await world()
    let changes = world.queue { $0.register(Rename.self, superseding: .lastWriteWins) }
    changes.pause()
    try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    try await changes.add(Like(subjectID: 1))
    try await changes.add(Rename(subjectID: 1, name: "Orbe"))

    #expect(try await changes.state().changes.count == 3)
  }

  // MARK: - Conflicts

  /// What a closure is told, and the change that it sends instead.
  private func resolved(
    status: HTTPStatus,
    _ resolution: ChangeResolution<Rename>
  ) async throws -> (ChangeWorld, ChangeConflict<Rename>?, ChangeQueueState) {
    let theirs = #"{"id": 1, "name": "Theirs", "likes": 4}"#
    let world = try await world { number, _ in number == 1 ? .status(status, theirs) : .none }
    let told = Mutex<ChangeConflict<Rename>?>(nil)
    let changes = world.queue {
      $0.register(
        Rename.self,
        conflicts: .resolving { conflict in
          told.withLock { $0 = conflict }
          return resolution
        }
      )
    }
    try await changes.add(Rename(subjectID: 1, name: "Mine"))
    if case .mine = resolution {
      #expect(await world.clock.sleepers(count: 1))
      world.clock.advance(by: .seconds(1))
    }
    try await changes.idle()
    return (world, told.withLock { $0 }, try await changes.state())
  }

  @Test(arguments: [409, 412] as [HTTPStatus])
  func `a closure sees base, mine and theirs, and sends another change`(
    status: HTTPStatus
  ) async throws {
    let merged = Rename(subjectID: 1, name: "Both")
    let (world, conflict, state) = try await resolved(status: status, .mine(merged))

    #expect(conflict?.base == Self.loue)
    #expect(conflict?.mine?.name == "Mine")
    #expect(conflict?.theirs == Spring(id: 1, name: "Theirs", likes: 4))
    #expect(state.changes == [])
    #expect(world.service.springs[0].name == "Both")
    #expect(try await world.spring(1)?.name == "Both")
    #expect(Set(world.service.calls.map(\.key)).count == 2)
  }

  @Test func `a closure may remove all changes, which cancels its own`() async throws {
    let world = try await world { _, _ in .status(409, "{}") }
    let queue = Mutex<ChangeQueue?>(nil)
    let isCancelled = Mutex<Bool?>(nil)
    let changes = world.queue {
      $0.register(
        Rename.self,
        conflicts: .resolving { conflict in
          try? await queue.withLock { $0 }?.removeAll()
          isCancelled.withLock { $0 = Task.isCancelled }
          return .mine(conflict.change)
        }
      )
    }
    queue.withLock { $0 = changes }
    try await changes.add(Rename(subjectID: 1, name: "Mine"))

    while isCancelled.withLock({ $0 == nil }) { await Task.yield() }

    #expect(isCancelled.withLock { $0 } == true)
    #expect(try await changes.state().changes == [])
  }

  @Test func `changes of other models are sent while a closure decides`() async throws {
    let world = try await world { number, _ in number == 1 ? .status(409, "{}") : .none }
    let gate = Gate()
    let changes = world.queue {
      $0.maximumConcurrent = 1
      $0.register(
        Rename.self,
        conflicts: .resolving { _ in
          try? await gate.enter()
          return .theirs()
        }
      )
    }
    let disputed = try await changes.add(Rename(subjectID: 1, name: "Mine"))
    #expect(await gate.waiting())

    let later = try await changes.add(Rename(subjectID: 1, name: "Later"))
    let other = try await changes.add(AddSpring(subjectID: TemporaryID.integer(), name: "Orbe"))

    #expect(try await other.output.name == "Orbe")
    #expect(try await changes.state().changes.map(\.id) == [disputed.id, later.id])
    #expect(world.service.texts.count == 2)
    gate.open()
    #expect(try await later.output.name == "Later")
  }

  @Test func `a closure may name a temporary identity in the change that it sends`()
    async throws
  {
    let id = TemporaryID.integer()
    let world = try await world { number, _ in number == 2 ? .status(409, "{}") : .none }
    let changes = world.queue {
      $0.register(
        Rename.self,
        conflicts: .resolving { .mine(Rename(subjectID: id, name: $0.change.name)) }
      )
    }
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.idle()
    try await changes.add(Rename(subjectID: 1, name: "Mine"))
    try await changes.isRetrying()
    #expect(try await world.spring(101)?.name == "Mine")
    #expect(try await world.spring(1) == Self.loue)

    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(1))
    try await changes.idle()
    #expect(world.service.texts.last == "PATCH /springs/101")
    #expect(try await world.spring(101)?.name == "Mine")
  }

  @Test func `a change of another model that is sent instead has that model as its base`()
    async throws
  {
    let doubs = Spring(id: 2, name: "Doubs")
    let service = SpringService([Self.loue, doubs]) { number, _ in
      number < 3 ? .status(409, "{}") : .none
    }
    let world = ChangeWorld(.temporary(), service)
    try await world.models.save([Self.loue, doubs])
    let bases = Mutex<[Spring?]>([])
    let changes = world.queue {
      $0.register(
        Rename.self,
        conflicts: .resolving { conflict in
          bases.withLock { $0.append(conflict.base) }
          return .mine(Rename(subjectID: 2, name: "Mine"))
        }
      )
    }
    try await changes.add(Rename(subjectID: 1, name: "Mine"))
    for pause in 1...2 {
      #expect(await world.clock.sleepers(count: 1))
      world.clock.advance(by: .seconds(pause))
    }
    try await changes.idle()

    #expect(bases.withLock { $0 } == [Self.loue, doubs])
    #expect(service.springs.map(\.name) == ["Loue", "Mine"])
  }

  @Test func `the base of a second conflict is what the closure saw in the first one`()
    async throws
  {
    let theirs = (1...2).map { Spring(id: 1, name: "Theirs \($0)", likes: $0) }
    let world = try await world { number, _ in
      guard number <= theirs.count else { return .none }
      let spring = theirs[number - 1]
      return .status(412, #"{"id": 1, "name": "\#(spring.name)", "likes": \#(spring.likes)}"#)
    }
    let bases = Mutex<[Spring?]>([])
    let changes = world.queue {
      $0.register(
        Rename.self,
        conflicts: .resolving { conflict in
          bases.withLock { $0.append(conflict.base) }
          return .mine(conflict.change)
        }
      )
    }
    try await changes.add(Rename(subjectID: 1, name: "Mine"))
    for pause in 1...2 {
      #expect(await world.clock.sleepers(count: 1))
      // Nothing of a base is stored as a model.
      #expect(try await world.spring(1) == Spring(id: 1, name: "Mine"))
      world.clock.advance(by: .seconds(pause))
    }
    try await changes.idle()

    #expect(bases.withLock { $0 } == [Self.loue, theirs[0]])
    #expect(try await world.spring(1)?.name == "Mine")
  }

  @Test func `theirs takes the place of mine`() async throws {
    let theirs = Spring(id: 1, name: "Theirs", likes: 4)
    let (world, _, state) = try await resolved(status: 409, .theirs(theirs))

    #expect(state.changes == [])
    #expect(try await world.spring(1) == theirs)
    #expect(world.service.texts.count == 1)
  }

  @Test func `theirs is decoded as the output of the change is`() async throws {
    let world = try await world { number, _ in number == 1 ? .status(409, "1,Theirs") : .none }
    let told = Mutex<ChangeConflict<RenameByText>?>(nil)
    let changes = world.queue {
      $0.register(
        RenameByText.self,
        conflicts: .resolving { conflict in
          told.withLock { $0 = conflict }
          return .refused
        }
      )
    }
    try await changes.add(RenameByText(subjectID: 1, name: "Mine"))
    try await changes.idle()

    #expect(told.withLock { $0?.theirs } == Spring(id: 1, name: "Theirs"))
  }

  @Test(arguments: [0, 70_000])
  func `theirs is decoded at the payload of the change, however long the body is`(
    padding: Int
  ) async throws {
    let theirs = #"{"data": {"id": 1, "name": "Theirs", "likes": 4}}"#
    let body = String(repeating: " ", count: padding) + theirs
    let world = try await world { number, _ in number == 1 ? .status(412, body) : .none }
    let told = Mutex<Spring?>(nil)
    let changes = world.queue {
      $0.register(
        RenameInEnvelope.self,
        conflicts: .resolving { conflict in
          told.withLock { $0 = conflict.theirs }
          return .refused
        }
      )
    }
    try await changes.add(RenameInEnvelope(subjectID: 1, name: "Mine"))
    try await changes.idle()

    #expect(told.withLock { $0 } == Spring(id: 1, name: "Theirs", likes: 4))
  }

  /// The bases of renamings that are all refused as conflicts after some calls.
  private func bases(
    after calls: Int,
    _ service: [Spring],
    _ add: (ChangeQueue) async throws -> Void
  ) async throws -> [Spring?] {
    let world = ChangeWorld(
      .temporary(),
      SpringService(service) { number, _ in number > calls ? .status(409, "{}") : .none }
    )
    try await world.models.save(Self.loue)
    let bases = Mutex<[Spring?]>([])
    let changes = world.queue {
      $0.register(
        Rename.self,
        conflicts: .resolving { conflict in
          bases.withLock { $0.append(conflict.base) }
          return .refused
        }
      )
    }
    changes.pause()
    try await add(changes)
    changes.resume()
    try await changes.idle()
    return bases.withLock { $0 }
  }

  @Test func `a base has the earlier changes that were confirmed, and nothing else of the server`()
    async throws
  {
    let bases = try await bases(after: 2, [Spring(id: 1, name: "Loue", likes: 5)]) { changes in
      try await changes.add(Like(subjectID: 1))
      for name in ["Doubs", "Orbe", "Birs"] {
        try await changes.add(Rename(subjectID: 1, name: name))
      }
    }

    #expect(bases == Array(repeating: Spring(id: 1, name: "Doubs", likes: 1), count: 2))
  }

  @Test func `the base of a change of a new model is the created one`() async throws {
    let id = TemporaryID.integer()
    let bases = try await bases(after: 1, []) { changes in
      try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
      try await changes.add(Rename(subjectID: id, name: "Orbe"))
    }

    #expect(bases == [Spring(id: 101, name: "Areuse")])
  }

  @Test func `a change that a closure sends instead fails if it names a refused creation`()
    async throws
  {
    let id = TemporaryID.integer()
    let world = try await world { number, _ in
      number == 1 ? .status(422, "{}") : .status(409, "{}")
    }
    let changes = world.queue {
      $0.register(
        Rename.self,
        conflicts: .resolving { .mine(Rename(subjectID: id, name: $0.change.name)) }
      )
    }
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.idle()
    let receipt = try await changes.add(Rename(subjectID: 1, name: "Mine"))

    let failure = FreshetError.store("a change that it depends on was refused or removed")
    await #expect(throws: CallError<SpringError>.failed(failure)) { try await receipt.output }
    try await changes.idle()
    #expect(try await changes.state().failed.count == 2)
    #expect(try await world.spring(1) == Self.loue)
  }

  @Test func `a conflict can be a refusal`() async throws {
    let (world, _, state) = try await resolved(status: 412, .refused)

    #expect(state.failed.count == 1)
    #expect(try await world.spring(1) == Self.loue)
  }

  @Test func `a conflict that is being resolved when the queue stops stays in it`() async throws {
    let world = try await world { _, _ in .status(409, "{}") }
    let (asked, question) = AsyncStream.makeStream(of: Void.self)
    let changes = world.queue {
      $0.register(
        Rename.self,
        conflicts: .resolving { _ in
          question.yield()
          while !Task.isCancelled { await Task.yield() }
          return .refused
        }
      )
    }
    try await changes.add(Rename(subjectID: 1, name: "Mine"))
    for await _ in asked { break }

    await changes.stop()

    #expect(try await changes.state().failed == [])
    #expect(try await changes.state().pending.count == 1)
    #expect(try await world.spring(1)?.name == "Mine")
  }

  @Test func `without a policy a conflict is a refusal`() async throws {
    let world = try await world { _, _ in .status(409, "{}") }
    let changes = world.queue()
    try await changes.add(Rename(subjectID: 1, name: "Mine"))
    try await changes.idle()

    #expect(try await changes.state().failed.count == 1)
  }

  @Test func `a server that is still at it is asked again with the same key`() async throws {
    let world = try await slowWorld()
    let changes = world.queue()
    let receipt = try await changes.add(Rename(subjectID: 1, name: "Mine"))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(1))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(2))

    #expect(try await receipt.output.name == "Mine")
    #expect(world.service.calls.count == 3)
    #expect(Set(world.service.calls.map(\.key)).count == 1)
  }

  @Test func `what failed without an answer is sent again as what may be under way`() async throws {
    let world = try await slowWorld()
    let changes = world.queue { $0.retry.maximumRetries = 0 }
    let receipt = try await changes.add(Rename(subjectID: 1, name: "Mine"))
    try await changes.idle()
    #expect(try await changes.state().failed.count == 1)
    await changes.stop()

    let next = world.queue { $0.register(Rename.self, conflicts: .lastWriteWins) }
    #expect(try await next.retry(receipt.id))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(2))
    try await next.idle()

    #expect(world.service.calls.count == 3)
    #expect(Set(world.service.calls.map(\.key)).count == 1)
  }

  @Test func `a conflict that stays is a conflict`() async throws {
    let world = try await world { number, _ in number == 1 ? .lost : .status(409, "{}") }
    let changes = world.queue()
    try await changes.add(Rename(subjectID: 1, name: "Mine"))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(1))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(2))
    try await changes.idle()

    #expect(try await changes.state().failed.count == 1)
    #expect(world.service.calls.count == 3)
  }

  @Test func `the last write wins over a conflict`() async throws {
    let world = try await world { number, _ in number == 1 ? .status(409, "{}") : .none }
    let changes = world.queue { $0.register(Rename.self, conflicts: .lastWriteWins) }
    let receipt = try await changes.add(Rename(subjectID: 1, name: "Mine"))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(1))

    #expect(try await receipt.output.name == "Mine")
    #expect(Set(world.service.calls.map(\.key)).count == 2)
  }
}

/// A change whose service answers in an envelope.
private struct RenameInEnvelope: ModelChange {
  static let changeName = "RenameInEnvelope"
  typealias Subject = Spring
  typealias Output = Spring
  var subjectID: Int
  var name: String
  var method: HTTPMethod { .patch }
  var path: RequestPath { "springs/\(subjectID)" }
  var payload: PayloadPath { "data" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard var spring = try models.model(Spring.self, id: subjectID) else { return }
    spring.name = name
    try models.save(spring)
  }
}

/// A change whose service answers with a text of its own.
private struct RenameByText: ModelChange {
  static let changeName = "RenameByText"
  typealias Subject = Spring
  typealias Output = Spring
  var subjectID: Int
  var name: String
  var method: HTTPMethod { .patch }
  var path: RequestPath { "springs/\(subjectID)" }
  var decoding: Decoding<Spring> {
    Decoding { data, _ in
      let parts = String(decoding: data, as: UTF8.self).split(separator: ",")
      guard parts.count == 2, let id = Int(parts[0]) else { throw FreshetError.noValue }
      return Spring(id: id, name: String(parts[1]))
    }
  }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard var spring = try models.model(Spring.self, id: subjectID) else { return }
    spring.name = name
    try models.save(spring)
  }
}
