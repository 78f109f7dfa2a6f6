import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetModels

/// Changes that a process was sending when it was killed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangeLostAttemptTests {
  /// A world with a stopped queue of two changes, which are marked as being sent.
  private func world() async throws -> (ChangeWorld, ChangeQueue, [ChangeReceipt<Like>]) {
    let loue = Spring(id: 1, name: "Loue")
    let world = ChangeWorld(.temporary(), SpringService([loue]))
    try await world.models.save(loue)
    let changes = world.queue()
    changes.pause()
    let receipts = [
      try await changes.add(Like(subjectID: 1)), try await changes.add(Like(subjectID: 1)),
    ]
    await changes.stop()
    try await world.models.writer.perform { transaction throws(FreshetError) in
      for number in 1...2 { _ = try transaction.beginAttempt(Int64(number)) }
    }
    #expect(try await changes.state().changes.map(\.state) == [.sending, .sending])
    return (world, changes, receipts)
  }

  @Test func `all of them are removed before a queue sends`() async throws {
    let (world, changes, _) = try await world()

    try await changes.removeAll()

    #expect(try await changes.state().changes == [])
    #expect(try await world.spring(1)?.likes == 0)
    let next = world.queue()
    try await next.idle()
    #expect(world.service.calls == [])
  }

  @Test func `one is removed before a queue sends`() async throws {
    let (world, changes, receipts) = try await world()

    #expect(try await changes.remove(receipts[0].id))

    #expect(try await changes.state().changes.map(\.id) == [receipts[1].id])
    let next = world.queue()
    try await next.idle()
    #expect(world.service.calls.count == 1)
  }

  @Test func `those of a queue that sends stay, unless all are removed`() async throws {
    let (world, changes, receipts) = try await world()
    let lock = try #require(try ChangeLock(world.models.core))

    #expect(try await !changes.remove(receipts[0].id))
    #expect(try await changes.state().changes.map(\.state) == [.sending, .sending])
    try await changes.removeAll()

    #expect(try await changes.state().changes == [])
    withExtendedLifetime(lock) {}
  }

  @Test func `the answer to a change does not end another one with its number`() async throws {
    let gate = Gate()
    let loue = Spring(id: 1, name: "Loue")
    let world = ChangeWorld(.temporary(), SpringService([loue], gate: gate))
    try await world.models.save(loue)
    let changes = world.queue()
    let receipt = try await changes.add(Like(subjectID: 1))
    await gate.waiting()
    let other = UUID()
    // As in a database that has replaced a damaged one.
    try await world.models.writer.perform { transaction throws(FreshetError) in
      try transaction.connection.reporting { () throws(SQLiteError) in
        let sql = "UPDATE change SET id = ?, state = 0, due = 1e12"
        try transaction.connection.run(sql, .text(other.uuidString))
      }
    }

    gate.open()
    _ = try? await receipt.output

    #expect(try await changes.state().changes.map(\.id) == [other])
    await changes.stop()
  }
}
