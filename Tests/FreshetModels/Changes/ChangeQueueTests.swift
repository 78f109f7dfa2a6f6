import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangeQueueTests {
  private static let loue = Spring(id: 1, name: "Loue")
  private static let orbe = Spring(id: 2, name: "Orbe")

  /// A world with two springs in the service and in the store.
  private func world(
    _ place: StorePlace = .disk,
    gate: Gate? = nil,
    fault: @escaping @Sendable (Int, Request) -> SpringService.Fault = { _, _ in .none }
  ) async throws -> ChangeWorld {
    let world = ChangeWorld(
      place.make(),
      SpringService([Self.loue, Self.orbe], gate: gate, fault: fault)
    )
    try await world.models.save([Self.loue, Self.orbe])
    return world
  }

  // MARK: - Making

  @Test(arguments: StorePlace.allCases)
  func `a change is shown at once as pending, and then as the server confirms it`(
    place: StorePlace
  ) async throws {
    let gate = Gate()
    let world = try await world(place, gate: gate)
    let changes = world.queue()
    var seen = world.models.observe(Spring.self, id: 1).withPending.makeAsyncIterator()
    #expect(try await seen.next()?.isPending == false)

    let receipt = try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    #expect(try await world.spring(1)?.name == "Doubs")
    let shown = try #require(try await seen.next())
    #expect(shown.value?.name == "Doubs" && shown.isPending)
    #expect(shown.pending.contains(Spring.self, id: 1))
    #expect(!shown.pending.contains(Self.orbe))

    gate.open()
    #expect(try await receipt.output.name == "Doubs")
    let doubs = Spring(id: 1, name: "Doubs")
    #expect(try await seen.next() == PendingValue(value: doubs, pending: .none))
    #expect(world.service.springs[0].name == "Doubs")
    #expect(try await changes.state().changes == [])
  }

  @Test func `live values say that they are pending`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    let live = world.models.live(
      ModelQuery(Spring.self),
      refresh: .never,
      by: ResponseScript<[Spring]>()
    )
    var values = live.makeAsyncIterator()
    #expect(try await values.next()?.isPending == false)

    try await changes.add(DeleteSpring(subjectID: 2))
    let deleted = try #require(try await values.next())
    #expect(deleted.value.map(\.id) == [1])
    #expect(deleted.pending.contains(Self.orbe))
    #expect("\(deleted)".hasPrefix("stored, pending: "))

    gate.open()
    try await changes.idle()
    #expect(try await values.next()?.isPending == false)
  }

  @Test func `a change that cannot be applied is not queued`() async throws {
    let world = try await world()
    let changes = world.queue()

    await #expect(throws: FreshetError.store("there is no spring")) {
      try await changes.add(Like(subjectID: 9))
    }
    await #expect(throws: FreshetError.self) {
      try await changes.add(AddSpring(subjectID: -1, name: "Areuse"))
    }

    #expect(try await changes.state().changes == [])
    #expect(try await world.models.count(ModelQuery(Spring.self)) == 2)
  }

  @Test func `functions of a change may throw errors of their own`() async throws {
    struct NoNote: Error {}
    struct Annotate: ModelChange {
      static let changeName = "Annotate"
      typealias Subject = Spring
      typealias Output = EmptyResponse
      var subjectID: Int
      var note: String
      var method: HTTPMethod { .post }
      var path: RequestPath { "springs/\(subjectID)/likes" }

      func apply(to models: ModelTransaction) throws {
        if note.isEmpty { throw NoNote() }
        try write(note, in: models)
      }

      func confirm(_ output: Output, in models: ModelTransaction) throws {
        try write("\(note), confirmed", in: models)
        if note == "undone" { throw NoNote() }
      }

      private func write(_ note: String, in models: ModelTransaction) throws {
        guard var spring = try models.model(Spring.self, id: subjectID) else { return }
        spring.note = note
        try models.save(spring)
      }
    }
    let world = try await world()
    let changes = world.queue { $0.register(Annotate.self) }

    let error = await #expect(throws: FreshetError.self) {
      try await changes.add(Annotate(subjectID: 1, note: ""))
    }
    let receipts = try await [
      changes.add(Annotate(subjectID: 1, note: "cold")),
      changes.add(Annotate(subjectID: 2, note: "undone")),
    ]
    for receipt in receipts { _ = try await receipt.output }

    #expect("\(try #require(error))".contains("NoNote"))
    #expect(try await world.spring(1)?.note == "cold, confirmed")
    #expect(try await world.spring(2)?.note == nil)
  }

  @Test func `a change of a type that is not registered is refused`() async throws {
    let world = try await world()
    let changes = ChangeQueue(world.models, sending: world.service.client(world.clock)) { _ in }

    await #expect(
      throws: FreshetError.store("Rename is not registered; register it where the queue is created")
    ) {
      try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    }
  }

  // MARK: - The layer

  @Test func `a refresh that arrives meanwhile does not undo a change`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    try await changes.add(Like(subjectID: 1))

    try await world.models.save(Spring(id: 1, name: "Loue", likes: 10, note: "cold"))

    #expect(try await world.spring(1) == Spring(id: 1, name: "Doubs", likes: 11, note: "cold"))
  }

  @Test func `a change that made no difference is made over a refresh`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    let visit = UUID()
    try await changes.add(Rename(subjectID: 1, name: "Loue"))
    try await changes.add(DeleteSpring(subjectID: 3))
    try await changes.add(Rename(subjectID: 4, name: "Birs"))
    try await changes.add(AddVisit(subjectID: visit, springID: 4))

    try await world.models.save([
      Spring(id: 1, name: "Doubs"), Spring(id: 3, name: "Areuse"), Spring(id: 4, name: "Aare"),
    ])

    #expect(try await world.spring(1)?.name == "Loue")
    #expect(try await world.spring(3) == nil)
    #expect(try await world.spring(4)?.name == "Birs")
    #expect(try await world.models.model(Visit.self, id: visit)?.spring?.name == "Birs")
  }

  @Test func `a change whose model was deleted is made over the one that comes back`()
    async throws
  {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    try await changes.add(Like(subjectID: 1))

    try await world.models.delete(Spring.self, id: 1)
    #expect(try await world.spring(1) == nil)
    try await world.models.save(Self.loue)

    #expect(try await world.spring(1)?.likes == 1)
  }

  @Test func `an equal change is shown when the one before it is removed`() async throws {
    let world = try await world()
    let changes = world.queue()
    changes.pause()
    let first = try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    try await changes.add(Rename(subjectID: 1, name: "Doubs"))

    #expect(try await changes.remove(first.id))

    #expect(try await world.spring(1)?.name == "Doubs")
  }

  @Test(arguments: StorePlace.allCases)
  func `a change that reads by a query is made over a model that the query finds later`(
    place: StorePlace
  ) async throws {
    let world = try await world(place)
    let changes = world.queue { $0.register(LikeNamed.self) }
    changes.pause()
    try await changes.add(LikeNamed(subjectID: 1, name: "Loue"))
    try await changes.add(Rename(subjectID: 2, name: "Loue"))
    #expect(try await world.spring(1)?.likes == 1)

    try await world.models.save(Spring(id: 3, name: "Loue"))

    #expect(try await world.spring(3)?.likes == 1)
    #expect(try await world.spring(1)?.likes == 1)
    // It was renamed behind the change.
    #expect(try await world.spring(2) == Spring(id: 2, name: "Loue"))

    try await world.models.save(Spring(id: 3, name: "Areuse"))
    #expect(try await world.spring(3) == Spring(id: 3, name: "Areuse"))
  }

  @Test func `a change that deletes by a query deletes a model that the query finds later`()
    async throws
  {
    let world = try await world()
    let changes = world.queue { $0.register(DeleteNamed.self) }
    changes.pause()
    try await changes.add(DeleteNamed(subjectID: 1, name: "Loue"))
    #expect(try await world.spring(1) == nil)

    try await world.models.save(Spring(id: 3, name: "Loue"))

    #expect(try await world.spring(3) == nil)
    #expect(try await world.spring(2) == Self.orbe)
  }

  @Test func `a change that replaces a query replaces a model that the query finds later`()
    async throws
  {
    let world = try await world()
    let changes = world.queue { $0.register(ReplaceNamed.self) }
    changes.pause()
    try await changes.add(ReplaceNamed(subjectID: 1, name: "Loue"))
    #expect(try await world.spring(1) == nil)

    try await world.models.save(Spring(id: 3, name: "Loue"))

    #expect(try await world.spring(3) == nil)
    #expect(try await world.spring(2) == Self.orbe)
  }

  @Test func `a change that lacks another model is made again when that comes back`()
    async throws
  {
    let world = try await world()
    let changes = world.queue { $0.register(LikeBeside.self) }
    changes.pause()
    try await changes.add(LikeBeside(subjectID: 1, otherID: 2))
    #expect(try await world.spring(1)?.likes == 1)

    try await world.models.delete(Spring.self, id: 2)
    #expect(try await world.spring(1)?.likes == 0)
    // It lacks it still.
    try await world.models.save(Spring(id: 1, name: "Doubs"))
    #expect(try await world.spring(1)?.likes == 0)
    try await world.models.save(Self.orbe)

    #expect(try await world.spring(1) == Spring(id: 1, name: "Doubs", likes: 1))
  }

  @Test func `a change that begins to change another model does so before the later changes of it`()
    async throws
  {
    let world = try await world()
    let changes = world.queue { $0.register(RenameBesideLiked.self) }
    changes.pause()
    try await changes.add(RenameBesideLiked(subjectID: 1, otherID: 2, name: "Doubs"))
    let later = try await changes.add(Rename(subjectID: 2, name: "Birs"))

    try await world.models.save(Spring(id: 1, name: "Loue", likes: 3))

    #expect(try await world.spring(2)?.name == "Birs")
    #expect(try await changes.remove(later.id))
    #expect(try await world.spring(2)?.name == "Doubs")
    try await world.models.save(Self.loue)
    #expect(try await world.spring(2) == Self.orbe)
  }

  @Test func `a list that replaces another one keeps pending changes`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    let id = TemporaryID.integer()
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.add(DeleteSpring(subjectID: 2))

    let list = [Spring(id: 2, name: "Orbe"), Spring(id: 3, name: "Birs")]
    try await world.models.replace(ModelQuery(Spring.self), with: list)

    let shown = try await world.models.models(ModelQuery(Spring.self).sorted(by: \.name))
    #expect(shown.map(\.name) == ["Areuse", "Birs"])
  }

  @Test func `a transaction reads and writes what is confirmed`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    try await changes.add(Like(subjectID: 1))

    try await world.models.transaction { transaction throws(FreshetError) in
      var spring = try transaction.model(Spring.self, id: 1)
      #expect(spring?.likes == 0)
      spring?.note = "cold"
      if let spring { try transaction.save(spring) }
    }

    #expect(try await world.spring(1) == Spring(id: 1, name: "Loue", likes: 1, note: "cold"))
  }

  @Test func `a transaction reads what is confirmed of the models inside another one too`()
    async throws
  {
    let world = try await world()
    let visit = Visit(id: UUID(), springID: 1, spring: Self.loue)
    try await world.models.save(visit)
    let changes = world.queue()
    changes.pause()
    try await changes.add(Rename(subjectID: 1, name: "Doubs"))

    let (one, all) = try await world.models.transaction { transaction throws(FreshetError) in
      let one = try transaction.model(Visit.self, id: visit.id)
      return (one, try transaction.models(ModelQuery(Visit.self)))
    }

    #expect(one == visit && all == [visit])
    #expect(try await world.models.model(Visit.self, id: visit.id)?.spring?.name == "Doubs")
  }

  @Test func `deleted models that a transaction sees are in their places`() async throws {
    let world = try await world()
    let deleted = (3...10).map { Spring(id: $0, name: "Birs") }
    try await world.models.save(deleted)
    let changes = world.queue()
    changes.pause()
    for spring in deleted { try await changes.add(DeleteSpring(subjectID: spring.id)) }
    // These are stored where the deleted ones were.
    for _ in deleted {
      try await changes.add(AddSpring(subjectID: TemporaryID.integer(), name: "Areuse"))
    }
    try await world.models.save(Spring(id: 20, name: "Doubs"))

    let confirmed = try await world.models.transaction { transaction throws(FreshetError) in
      try transaction.models(ModelQuery(Spring.self)).map(\.id)
    }

    #expect(confirmed == Array(1...10) + [20])
  }

  private struct Report: PersistableModel, Hashable {
    static let modelName = "Report"
    let id: Int
    let spring: Spring
  }

  @Test func `a transaction reads a model that needs one which a pending change has deleted`()
    async throws
  {
    let world = try await world()
    let report = Report(id: 1, spring: Self.loue)
    try await world.models.save(report)
    let changes = world.queue()
    changes.pause()
    try await changes.add(DeleteSpring(subjectID: 1))

    let read = try await world.models.transaction { transaction throws(FreshetError) in
      try transaction.model(Report.self, id: 1)
    }

    #expect(read == report)
    #expect(try await world.spring(1) == nil)
  }

  @Test func `deleting all models keeps the changes, which are sent`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    let receipt = try await changes.add(Rename(subjectID: 1, name: "Doubs"))

    try await world.models.removeAll()
    #expect(try await world.spring(1) == nil)

    gate.open()
    #expect(try await receipt.output.name == "Doubs")
    #expect(try await world.spring(1)?.name == "Doubs")
  }

  // MARK: - Sending

  @Test func `changes of a model are sent in order, those of different ones at once`()
    async throws
  {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    for count in 1...3 {
      try await changes.add(Rename(subjectID: 1, name: "Loue \(count)"))
      try await changes.add(Like(subjectID: 2))
    }

    #expect(await gate.waiting(count: 2))
    #expect(Set(world.service.texts) == ["PATCH /springs/1", "POST /springs/2/likes"])
    gate.open()
    try await changes.idle()

    #expect(world.service.springs.map(\.name) == ["Loue 3", "Orbe"])
    #expect(try await world.models.models(ModelQuery(Spring.self)) == world.service.springs)
  }

  @Test func `a lost answer is asked for again with the same key, and applied once`()
    async throws
  {
    let world = try await world { number, _ in number < 3 ? .lost : .none }
    let changes = world.queue()
    try await changes.add(Like(subjectID: 1))

    try await changes.isRetrying()
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(1))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(2))
    try await changes.idle()

    #expect(Set(world.service.calls.map(\.key)).count == 1)
    #expect(world.service.calls.count == 3)
    #expect(world.service.done.count == 1)
    #expect(try await world.spring(1)?.likes == 1)
    #expect(world.service.springs[0].likes == 1)
  }

  @Test func `a stopped queue leaves its changes to the next one, with their keys`()
    async throws
  {
    let gate = Gate()
    let world = try await world(gate: gate)
    let first = world.queue()
    let receipt = try await first.add(Like(subjectID: 1))
    await gate.waiting()

    await first.stop()
    await #expect(throws: CallError<NoErrorModel>.failed(.cancelled)) {
      try await receipt.output
    }
    #expect(try await first.state().pending.count == 1)
    #expect(try await world.spring(1)?.likes == 1)

    gate.open()
    let second = world.queue()
    try await second.idle()
    #expect(world.service.calls.count == 2)
    #expect(Set(world.service.calls.map(\.key)).count == 1)
    #expect(try await world.spring(1)?.likes == 1)
  }

  @Test func `nobody waits for a change of a queue that has ended`() async throws {
    let world = try await world()
    let changes = world.queue()
    await changes.stop()

    let receipt = try await changes.add(Like(subjectID: 1))

    await #expect(throws: CallError<NoErrorModel>.failed(.cancelled)) {
      try await receipt.output
    }
    #expect(try await changes.state().pending.count == 1)
    #expect(world.service.calls == [])
  }

  @Test func `another queue of the same directory sends when the first has ended`()
    async throws
  {
    let gate = Gate()
    let world = try await world(gate: gate)
    let first = world.queue()
    try await first.add(Like(subjectID: 1))
    await gate.waiting()
    let directory = try #require(world.models.directory)
    let second = ChangeWorld(ModelStore(directory: directory), world.service)
    let other = second.queue(seed: 8)
    #expect(await second.clock.sleepers(count: 1))
    try await other.add(Like(subjectID: 2))
    #expect(await gate.waiting(count: 2))
    #expect(world.service.calls.count == 2)

    await first.stop()
    gate.open()
    second.clock.advance(by: .seconds(1))
    try await other.idle()

    #expect(world.service.springs.map(\.likes) == [1, 1])
    #expect(try await second.models.models(ModelQuery(Spring.self)) == world.service.springs)
    await second.models.close()
  }

  @Test func `a queue does not send while another one does in a directory that was replaced`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let (place, next) = (directory.file("models"), directory.file("next"))
      let world = ChangeWorld(ModelStore(directory: place), SpringService([Self.loue]))
      try await world.models.save(Self.loue)
      let changes = world.queue()
      try await changes.add(Like(subjectID: 1))
      try await changes.idle()
      try FileManager.default.createDirectory(
        at: next,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
      var other: OpenFile? = try OpenFile(next.appending(path: "sender").path, O_RDWR | O_CREAT)
      #expect(other?.tryLock() == true)
      try FileManager.default.moveItem(at: place, to: directory.file("former"))
      try FileManager.default.moveItem(at: next, to: place)

      try await world.models.save(Self.loue)
      try await changes.add(Like(subjectID: 1))
      #expect(await world.clock.sleepers(count: 1))
      #expect(world.service.calls.count == 1)

      other = nil
      world.clock.advance(by: .seconds(1))
      try await changes.idle()
      #expect(world.service.calls.count == 2)
      await changes.stop()
      await world.models.close()
    }
  }

  @Test func `a queue sends again after the database could not be opened for a while`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let (place, away) = (directory.file("models"), directory.file("away"))
      let service = SpringService([Self.loue]) { number, _ in number == 1 ? .unsent : .none }
      let world = ChangeWorld(ModelStore(directory: place), service)
      try await world.models.save(Self.loue)
      let changes = world.queue()
      try await changes.add(Like(subjectID: 1))
      try await changes.isRetrying()
      #expect(await world.clock.sleepers(count: 1))
      try FileManager.default.moveItem(at: place, to: away)
      try Data("in the way".utf8).write(to: place)
      await #expect(throws: FreshetError.self) { try await world.models.save(Self.orbe) }
      try FileManager.default.removeItem(at: place)
      try FileManager.default.moveItem(at: away, to: place)

      world.clock.advance(by: .seconds(1))

      // Asking the queue would open the store.
      let isSent = try await eventually { service.calls.count == 2 }
      #expect(isSent)
      try await changes.idle()
      #expect(service.springs.map(\.likes) == [1])
      await changes.stop()
      await world.models.close()
    }
  }

  @Test func `a receipt ends when another queue has confirmed the change and ended`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let first = world.queue()
    try await first.add(Like(subjectID: 1))
    await gate.waiting()
    let directory = try #require(world.models.directory)
    let second = ChangeWorld(ModelStore(directory: directory), world.service)
    let other = second.queue(seed: 8)
    #expect(await second.clock.sleepers(count: 1))
    let receipt = try await other.add(Like(subjectID: 2))
    #expect(await gate.waiting(count: 2))
    gate.open()
    try await first.idle()
    await first.stop()

    second.clock.advance(by: .seconds(1))
    await #expect(throws: CallError<NoErrorModel>.failed(.cancelled)) {
      try await receipt.output
    }
    await other.stop()
    await second.models.close()
  }

  @Test func `a receipt ends when another queue removes the change`() async throws {
    let world = try await world()
    let changes = world.queue()
    changes.pause()
    let receipt = try await changes.add(Like(subjectID: 1))
    let directory = try #require(world.models.directory)
    let second = ChangeWorld(ModelStore(directory: directory), world.service)
    let other = second.queue(seed: 8)
    #expect(try await other.remove(receipt.id))

    await #expect(throws: CallError<NoErrorModel>.failed(.cancelled)) {
      try await receipt.output
    }
    await other.stop()
    await second.models.close()
  }

  @Test func `one queue of a store in memory sends at a time`() async throws {
    let gate = Gate()
    let world = try await world(.memory, gate: gate)
    let first = world.queue()
    try await first.add(Like(subjectID: 1))
    await gate.waiting()
    let second = world.queue(seed: 8)
    #expect(await world.clock.sleepers(count: 1))
    try await second.add(Like(subjectID: 2))
    #expect(await gate.waiting(count: 2))
    #expect(world.service.calls.count == 2)

    gate.open()
    try await first.idle()
    #expect(world.service.calls.count == 2)
    #expect(world.service.springs.map(\.likes) == [1, 1])
    await second.stop()
  }

  @Test func `changes of unknown types are kept, reported, and stand in the way of none`()
    async throws
  {
    let world = try await world()
    let first = world.queue()
    first.pause()
    try await first.add(Rename(subjectID: 1, name: "Doubs"))
    try await first.add(Like(subjectID: 1))
    await first.stop()
    let directory = try #require(world.models.directory)

    let older = ChangeWorld(ModelStore(directory: directory), world.service)
    let queue = ChangeQueue(older.models, sending: world.service.client(older.clock)) {
      $0.register(Like.self)
    }
    try await queue.idle()
    #expect(try await queue.state().changes.map(\.state) == [.unknown])
    #expect(try await queue.state().changes.map(\.name) == ["Rename"])
    #expect(try await older.spring(1) == Spring(id: 1, name: "Loue", likes: 1))
    await queue.stop()
    await older.models.close()

    let next = world.queue(seed: 9)
    try await next.idle()
    #expect(try await world.spring(1) == Spring(id: 1, name: "Doubs", likes: 1))
    #expect(world.service.springs[0] == Spring(id: 1, name: "Doubs", likes: 1))
  }

  @Test func `a change is shown again after a process without its type has saved its model`()
    async throws
  {
    let world = try await world()
    let changes = world.queue()
    changes.pause()
    try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    let other = ModelStore(directory: try #require(world.models.directory))
    try await other.save(Spring(id: 1, name: "Loue", likes: 3))

    try await world.models.shows(Spring(id: 1, name: "Doubs", likes: 3))
    #expect(try await other.model(Spring.self, id: 1)?.name == "Doubs")
    // A transaction reads what is confirmed, for which it takes changes back.
    try await other.transaction { transaction throws(FreshetError) in
      _ = try transaction.model(Spring.self, id: 2)
    }
    try await world.models.shows(Spring(id: 1, name: "Doubs", likes: 3))
    await other.close()
  }

  @Test func `a queue that does not send shows its changes again too`() async throws {
    let world = try await world()
    let sending = ChangeQueue(world.models, sending: world.service.client(world.clock)) {
      $0.register(Like.self)
    }
    try await sending.add(Like(subjectID: 1))
    try await sending.idle()
    let directory = try #require(world.models.directory)
    let second = ChangeWorld(ModelStore(directory: directory), world.service)
    let waiting = second.queue(seed: 8)
    #expect(await second.clock.sleepers(count: 1))
    try await waiting.add(Rename(subjectID: 2, name: "Doubs"))
    try await world.models.save(Spring(id: 2, name: "Orbe", likes: 3))

    second.clock.advance(by: .seconds(1))
    try await second.models.shows(Spring(id: 2, name: "Doubs", likes: 3))
    for queue in [sending, waiting] { await queue.stop() }
    await second.models.close()
  }

  @Test func `processes that know a part of the types each do not undo the other's`() async throws {
    let world = try await world()
    let directory = try #require(world.models.directory)
    // It sends, so that the others only look when their clocks say so.
    let sending = ChangeQueue(world.models, sending: world.service.client(world.clock)) {
      $0.register(DeleteSpring.self)
    }
    try await sending.add(DeleteSpring(subjectID: 2))
    try await sending.idle()
    let (first, second) = (
      ChangeWorld(ModelStore(directory: directory), world.service),
      ChangeWorld(ModelStore(directory: directory), world.service)
    )
    let renaming = ChangeQueue(first.models, sending: world.service.client(first.clock, seed: 9)) {
      $0.register(Rename.self)
    }
    let liking = ChangeQueue(second.models, sending: world.service.client(second.clock, seed: 8)) {
      $0.register(Like.self)
    }
    #expect(await first.clock.sleepers(count: 1))
    #expect(await second.clock.sleepers(count: 1))
    try await renaming.add(Rename(subjectID: 1, name: "Doubs"))
    try await liking.add(Like(subjectID: 1))
    #expect(try await world.spring(1) == Spring(id: 1, name: "Doubs", likes: 1))

    try await first.models.save(Spring(id: 1, name: "Loue", likes: 3))
    second.clock.advance(by: .seconds(1))
    #expect(await second.clock.sleepers(count: 1))

    #expect(try await world.spring(1) == Spring(id: 1, name: "Doubs", likes: 3))
    for queue in [sending, renaming, liking] { await queue.stop() }
    for store in [first.models, second.models] { await store.close() }
  }

  @Test func `nothing is sent without a network, and all of it when that is back`()
    async throws
  {
    let world = try await world { number, _ in number == 1 ? .unsent : .none }
    let (network, state) = AsyncStream.makeStream(of: Bool.self)
    let changes = world.queue { $0.connectivity = network }
    try await changes.add(Like(subjectID: 1))
    for _ in 0..<1_000 { await Task.yield() }
    #expect(world.service.calls == [])
    state.yield(true)
    try await changes.isRetrying()
    state.yield(false)
    state.yield(true)
    try await changes.idle()

    #expect(world.service.calls.count == 2)
    #expect(try await world.spring(1)?.likes == 1)
  }

  @Test func `a pause outlasts the queue, also where there is a network`() async throws {
    let world = try await world { number, _ in number == 1 ? .unsent : .none }
    let first = world.queue()
    try await first.add(Like(subjectID: 1))
    try await first.isRetrying()
    await first.stop()

    let (network, state) = AsyncStream.makeStream(of: Bool.self)
    state.yield(true)
    let second = world.queue { $0.connectivity = network }
    #expect(await world.clock.sleepers(count: 1))
    #expect(world.service.calls.count == 1)
    world.clock.advance(by: .seconds(1))
    try await second.idle()
    #expect(world.service.calls.count == 2)
  }

  @Test func `a pause of a wrong clock does not outlast the longest one`() async throws {
    let world = try await world { number, _ in number == 1 ? .unsent : .none }
    world.clock.date = world.clock.date.addingTimeInterval(1_000_000)
    let first = world.queue()
    try await first.add(Like(subjectID: 1))
    try await first.isRetrying()
    await first.stop()
    world.clock.date = world.clock.date.addingTimeInterval(-1_000_000)

    let second = world.queue()
    try await second.idle()
    #expect(try await world.spring(1)?.likes == 1)
  }

  @Test func `a queue that is released sends no more, and its changes stay`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    var changes: ChangeQueue? = world.queue()
    try await changes?.add(Like(subjectID: 1))
    await gate.waiting()

    changes = nil
    while gate.waitingCount > 0 { await Task.yield() }

    #expect(try await world.queue().state().changes.count == 1)
  }

  // MARK: - Refusals

  @Test func `a refused change is rolled back with a typed failure, and kept`() async throws {
    let world = try await world { number, _ in
      number == 1 ? .status(422, #"{"message": "too long"}"#) : .none
    }
    let changes = world.queue()
    let receipt = try await changes.add(Rename(subjectID: 1, name: "Doubs"))

    do throws(CallError<SpringError>) {
      _ = try await receipt.output
      Issue.record("it was confirmed")
    } catch {
      #expect(error.model == SpringError(message: "too long"))
    }
    #expect(try await world.spring(1) == Self.loue)
    let failed = try #require(try await changes.state().failed.first)
    guard case .failed(let failure) = failed.state else {
      Issue.record("\(failed.state)")
      return
    }
    #expect(failure.status == 422)
    #expect(failure.model(as: SpringError.self) == SpringError(message: "too long"))

    #expect(try await changes.retry(failed.id))
    try await changes.idle()
    #expect(try await world.spring(1)?.name == "Doubs")
    #expect(Set(world.service.calls.map(\.key)).count == 2)
  }

  @Test func `later changes of a model outlive the refusal of an earlier one`() async throws {
    let world = try await world { number, request in
      request.method == .patch ? .status(403, "{}") : .none
    }
    let changes = world.queue()
    changes.pause()
    try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    try await changes.add(Like(subjectID: 1))
    #expect(try await world.spring(1) == Spring(id: 1, name: "Doubs", likes: 1))

    changes.resume()
    try await changes.idle()
    #expect(try await world.spring(1) == Spring(id: 1, name: "Loue", likes: 1))
  }

  @Test func `a change whose file is missing fails, and one whose file cannot be read waits`()
    async throws
  {
    try await TemporaryDirectory.scope { directory in
      let files = [directory.file("missing"), directory.url]
      let transport = ScriptedTransport { request in
        let path = files[request.url.path.hasSuffix("1") ? 0 : 1].path
        return .failure(.file("it was not possible to open it", path: path))
      }
      let client = Client {
        $0.transport = transport
        $0.baseURL = URL(string: "http://a.example/")
      }
      let models = ModelStore.temporary()
      try await models.save([Spring(id: 1, name: "Loue"), Spring(id: 2, name: "Doubs")])
      let changes = ChangeQueue(models, sending: client) {
        $0.clock = VirtualClock()
        $0.register(Rename.self)
      }
      for id in 1...2 { try await changes.add(Rename(subjectID: id, name: "Orbe")) }

      try await changes.isRetrying()
      try await changes.reached { !$0.failed.isEmpty }
      #expect(try await changes.state().pending.count == 1)
      #expect(try await models.model(Spring.self, id: 1)?.name == "Loue")
      #expect(try await models.model(Spring.self, id: 2)?.name == "Orbe")
    }
  }

  @Test func `attempts can have an end, after which the key stays the same`() async throws {
    let world = try await world { number, _ in number < 3 ? .unsent : .none }
    let changes = world.queue { $0.retry.maximumRetries = 1 }
    let receipt = try await changes.add(Like(subjectID: 1))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(1))

    await #expect(throws: CallError<NoErrorModel>.self) { try await receipt.output }
    #expect(try await world.spring(1)?.likes == 0)

    #expect(try await changes.retry(receipt.id))
    try await changes.idle()
    #expect(Set(world.service.calls.map(\.key)).count == 1)
    #expect(try await world.spring(1)?.likes == 1)
  }

  @Test(arguments: [[403], [503, 404], [429, 403]])
  func `a change that may have been made keeps its key when it is refused`(
    statuses: [Int]
  ) async throws {
    let world = try await world { number, _ in
      if number == 1 { return .lost }
      return number - 2 < statuses.count ? .status(HTTPStatus(statuses[number - 2]), "{}") : .none
    }
    let changes = world.queue()
    let receipt = try await changes.add(Like(subjectID: 1))
    for _ in statuses {
      #expect(await world.clock.sleepers(count: 1))
      world.clock.advance(by: .seconds(300))
    }
    try await changes.idle()
    #expect(try await changes.state().failed.count == 1)

    #expect(try await changes.retry(receipt.id))
    try await changes.idle()

    #expect(world.service.calls.count == statuses.count + 2)
    #expect(Set(world.service.calls.map(\.key)).count == 1)
    #expect(world.service.done.count == 1)
    #expect(try await world.spring(1)?.likes == 1)
  }

  @Test func `a change keeps its key when a gateway has answered last`() async throws {
    let world = try await world { number, _ in number == 1 ? .status(504, "{}") : .none }
    let changes = world.queue { $0.retry.maximumRetries = 0 }
    let receipt = try await changes.add(Like(subjectID: 1))
    try await changes.idle()

    #expect(try await changes.retry(receipt.id))
    try await changes.idle()

    #expect(world.service.calls.count == 2)
    #expect(Set(world.service.calls.map(\.key)).count == 1)
  }

  @Test func `a change that is refused again and again gets a new key each time`() async throws {
    let world = try await world { number, _ in number < 3 ? .status(422, "{}") : .none }
    let changes = world.queue()
    let receipt = try await changes.add(Like(subjectID: 1))
    try await changes.idle()
    for _ in 1...2 {
      #expect(try await changes.retry(receipt.id))
      try await changes.idle()
    }

    #expect(Set(world.service.calls.map(\.key)).count == 3)
    #expect(world.service.done.count == 1)
  }

  @Test func `a pause is as long as the server asks, whoever reads the status`() async throws {
    let world = try await world { number, _ in
      number == 1 ? .status(503, "{}", [.retryAfter: "30"]) : .none
    }
    let changes = world.queue { $0.register(Note.self) }
    try await changes.add(Note(subjectID: 1, note: "cold"))
    try await changes.isRetrying()

    let state = try await changes.state().changes.first?.state
    guard case .retrying(let date, _)? = state else {
      Issue.record("\(String(describing: state))")
      return
    }
    #expect(date == world.clock.date.addingTimeInterval(30))
  }

  /// A change whose decoding refuses error responses, and not its predicate.
  private struct Note: ModelChange {
    static let changeName = "Note"
    typealias Subject = Spring
    typealias Output = EmptyResponse
    var subjectID: Int
    var note: String
    var method: HTTPMethod { .post }
    var path: RequestPath { "springs/\(subjectID)/note" }
    var decoding: Decoding<EmptyResponse> {
      Decoding { data, head in
        if let head, !head.status.isSuccess { throw FreshetError.status(head, body: data) }
        return EmptyResponse()
      }
    }

    func isError(_ response: Response<Data>) -> Bool { false }

    func apply(to models: ModelTransaction) throws(FreshetError) {
      guard var spring = try models.model(Spring.self, id: subjectID) else { return }
      spring.note = note
      try models.save(spring)
    }
  }

  @Test func `attempts that the queue has ended do not count`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate) { number, _ in number == 3 ? .unsent : .none }
    let first = world.queue()
    try await first.add(Like(subjectID: 1))
    #expect(await gate.waiting())
    await first.stop()
    while gate.waitingCount > 0 { await Task.yield() }
    let second = world.queue()
    #expect(await gate.waiting())
    #expect(world.service.calls.count == 2)
    await second.stop()
    #expect(try await second.state().changes.map(\.attempts) == [1])

    gate.open()
    let third = world.queue { $0.retry.maximumRetries = 2 }
    try await third.isRetrying()
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(300))
    try await third.idle()

    #expect(try await third.state().failed == [])
    #expect(world.service.calls.count == 4)
  }

  @Test func `a client that was shut down is asked again only after a pause`() async throws {
    let world = try await world()
    let client = world.service.client(world.clock)
    await client.shutdown()
    let changes = ChangeQueue(world.models, sending: client) {
      $0.retry.jitter = .none
      $0.register(Like.self)
    }
    try await changes.add(Like(subjectID: 1))

    for _ in 1...3 {
      #expect(await world.clock.sleepers(count: 1))
      world.clock.advance(by: .seconds(300))
    }
    #expect(await world.clock.sleepers(count: 1))

    #expect(try await changes.state().changes.map(\.attempts) == [1])
    #expect(try await changes.state().changes.map(\.state) == [.waiting])
    #expect(world.service.calls == [])
    await changes.stop()
  }

  // MARK: - Editing

  @Test func `a removed change is taken back, and never sent`() async throws {
    let world = try await world()
    let changes = world.queue()
    changes.pause()
    let receipt = try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    try await changes.add(Like(subjectID: 1))
    #expect(try await changes.state().isPaused)

    #expect(try await changes.remove(receipt.id))
    #expect(try await !changes.remove(receipt.id))
    #expect(try await world.spring(1) == Spring(id: 1, name: "Loue", likes: 1))
    await #expect(throws: CallError<SpringError>.failed(.cancelled)) { try await receipt.output }

    changes.resume()
    try await changes.idle()
    #expect(world.service.texts == ["POST /springs/1/likes"])
  }

  @Test func `a change that is being sent is not removed`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    let receipt = try await changes.add(Like(subjectID: 1))
    await gate.waiting()

    #expect(try await !changes.remove(receipt.id))
    #expect(try await changes.state().changes.map(\.state) == [.sending])
    gate.open()
    _ = try await receipt.output
  }

  @Test(arguments: [false, true])
  func `removing all changes drops one that is being sent, and its answer`(fails: Bool) async throws
  {
    let gate = Gate()
    let world = try await world(gate: gate) { number, _ in
      fails && number == 1 ? .status(503, "") : .none
    }
    let changes = world.queue()
    let receipt = try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    await gate.waiting()

    try await changes.removeAll()
    while gate.waitingCount > 0 { await Task.yield() }
    await #expect(throws: CallError<SpringError>.failed(.cancelled)) { try await receipt.output }
    try await world.models.removeAll()
    gate.open()
    _ = try await changes.add(AddSpring(subjectID: TemporaryID.integer(), name: "Areuse")).output

    #expect(world.service.calls.count == 2)
    #expect(try await world.models.models(ModelQuery(Spring.self)).map(\.name) == ["Areuse"])
  }

  @Test func `a request is cancelled whose change another queue removes`() async throws {
    let gate = Gate()
    let world = try await world(gate: gate)
    let changes = world.queue()
    try await changes.add(Rename(subjectID: 1, name: "Doubs"))
    await gate.waiting()

    try await world.queue().removeAll()
    while gate.waitingCount > 0 { await Task.yield() }

    #expect(try await changes.state().changes == [])
  }

  @Test func `a change that is tried again comes behind a later one that was sent`() async throws {
    let world = try await world { number, _ in
      switch number {
      case 1: .status(422, "{\"message\": \"no\"}")
      case 2: .lost
      default: .none
      }
    }
    let changes = world.queue()
    let first = try await changes.add(Rename(subjectID: 1, name: "first"))
    _ = try? await first.output
    try await changes.add(Rename(subjectID: 1, name: "second"))
    try await changes.isRetrying()

    #expect(try await changes.retry(first.id))
    #expect(await world.clock.sleepers(count: 1))
    world.clock.advance(by: .seconds(300))
    try await changes.idle()

    #expect(world.service.calls.count == 4)
    #expect(try await world.spring(1)?.name == world.service.springs.first { $0.id == 1 }?.name)
  }

  @Test func `all changes can be removed`() async throws {
    let world = try await world()
    let changes = world.queue()
    changes.pause()
    let id = TemporaryID.integer()
    try await changes.add(AddSpring(subjectID: id, name: "Areuse"))
    try await changes.add(AddVisit(subjectID: UUID(), springID: id))
    try await changes.add(DeleteSpring(subjectID: 1))

    try await changes.removeAll()

    #expect(try await changes.state().changes == [])
    #expect(try await world.models.models(ModelQuery(Spring.self)) == [Self.loue, Self.orbe])
    #expect(try await world.models.count(ModelQuery(Visit.self)) == 0)
  }

  @Test func `a change that waits for its time is sent at once by retry`() async throws {
    let world = try await world { number, _ in number == 1 ? .unsent : .none }
    let changes = world.queue()
    let receipt = try await changes.add(Like(subjectID: 1))
    try await changes.isRetrying()

    #expect(try await changes.retry(receipt.id))
    _ = try await receipt.output

    #expect(world.service.calls.count == 2)
  }

  @Test func `all changes that have failed or wait for their time are sent at once`() async throws {
    let world = try await world { number, _ in
      switch number {
      case 1, 2: .status(422, "{}")
      case 3: .unsent
      default: .none
      }
    }
    let changes = world.queue()
    for id in 1...2 { try await changes.add(Like(subjectID: id)) }
    try await changes.idle()
    #expect(try await changes.state().failed.count == 2)
    try await changes.add(AddSpring(subjectID: TemporaryID.integer(), name: "Areuse"))
    try await changes.isRetrying()

    try await changes.retryAll()
    try await changes.idle()

    #expect(try await changes.state().changes == [])
    #expect(world.service.springs.map(\.likes) == [1, 1, 0])
  }
}

/// A change of all springs with a name.
private struct LikeNamed: ModelChange {
  static let changeName = "LikeNamed"
  typealias Subject = Spring
  typealias Output = EmptyResponse
  var subjectID: Int
  var name: String
  var method: HTTPMethod { .post }
  var path: RequestPath { "springs/likes" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    for var spring in try models.models(ModelQuery(Spring.self).where(\.name, is: name)) {
      spring.likes += 1
      try models.save(spring)
    }
  }
}

private struct DeleteNamed: ModelChange {
  static let changeName = "DeleteNamed"
  typealias Subject = Spring
  typealias Output = EmptyResponse
  var subjectID: Int
  var name: String
  var method: HTTPMethod { .delete }
  var path: RequestPath { "springs" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    try models.delete(ModelQuery(Spring.self).where(\.name, is: name))
  }
}

private struct ReplaceNamed: ModelChange {
  static let changeName = "ReplaceNamed"
  typealias Subject = Spring
  typealias Output = EmptyResponse
  var subjectID: Int
  var name: String
  var method: HTTPMethod { .put }
  var path: RequestPath { "springs" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    try models.replace(ModelQuery(Spring.self).where(\.name, is: name), with: [])
  }
}

/// A change that needs another model than its subject.
private struct LikeBeside: ModelChange {
  static let changeName = "LikeBeside"
  typealias Subject = Spring
  typealias Output = EmptyResponse
  var subjectID: Int
  var otherID: Int
  var method: HTTPMethod { .post }
  var path: RequestPath { "springs/\(subjectID)/likes" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard var spring = try models.model(Spring.self, id: subjectID),
      try models.model(Spring.self, id: otherID) != nil
    else { throw .store("there is no spring") }
    spring.likes += 1
    try models.save(spring)
  }
}

/// A change of another model, as long as its subject has likes.
private struct RenameBesideLiked: ModelChange {
  static let changeName = "RenameBesideLiked"
  typealias Subject = Spring
  typealias Output = EmptyResponse
  var subjectID: Int
  var otherID: Int
  var name: String
  var method: HTTPMethod { .patch }
  var path: RequestPath { "springs/\(otherID)" }

  func apply(to models: ModelTransaction) throws(FreshetError) {
    guard let spring = try models.model(Spring.self, id: subjectID), spring.likes > 0,
      var other = try models.model(Spring.self, id: otherID)
    else { return }
    other.name = name
    try models.save(other)
  }
}
