import Foundation
import Freshet
import Testing

@testable import FreshetModels

@Suite struct ChangeScheduleTests {
  private static let entities = [1, 2].map { EntityKey(model: "Spring", id: .integer($0)) }

  /// The states of one change.
  private static let kinds: [@Sendable (Int64, EntityKey) -> ChangeEntry] = [
    { ChangeEntry(number: $0, subject: $1) },
    { ChangeEntry(number: $0, subject: $1, state: .sending) },
    { ChangeEntry(number: $0, subject: $1, state: .failed) },
    { ChangeEntry(number: $0, subject: $1, isKnown: false) },
    { ChangeEntry(number: $0, subject: $1, isBlocked: true) },
    { ChangeEntry(number: $0, subject: $1, due: 90) },
    { ChangeEntry(number: $0, subject: $1, due: 110) },
    { ChangeEntry(number: $0, subject: $1, due: 99_999) },
  ]

  /// All queues of three changes of two models.
  private static var queues: [[ChangeEntry]] {
    var queues: [[ChangeEntry]] = [[]]
    for number in 1...3 {
      queues = queues.flatMap { queue in
        entities.flatMap { entity in kinds.map { queue + [$0(Int64(number), entity)] } }
      }
    }
    return queues
  }

  private static func schedules(_ body: (ChangeSchedule) -> Void) {
    for queue in queues {
      let sending = queue.filter { $0.state == .sending }.map(\.number)
      for limit in 1...2 {
        body(
          ChangeSchedule(
            entries: queue,
            running: Set(sending),
            maximumConcurrent: limit,
            now: 100,
            longestPause: 300
          )
        )
      }
    }
  }

  /// The changes that may be sent or keep others waiting.
  private static func living(_ schedule: ChangeSchedule) -> [ChangeEntry] {
    schedule.entries.filter { $0.isKnown && $0.state != .failed }
  }

  @Test func `only the earliest living change of a model is sent`() {
    var count = 0
    Self.schedules { schedule in
      for number in schedule.next.start {
        count += 1
        let entry = schedule.entries[Int(number) - 1]
        let first = Self.living(schedule).first { $0.subject == entry.subject }
        #expect(first?.number == number)
        #expect(entry.state == .waiting && !entry.isBlocked && entry.due != 110)
      }
    }
    #expect(count > 4_000)
  }

  @Test func `no change is sent while another one of its model is, and none twice`() {
    Self.schedules { schedule in
      let sent = schedule.running.union(schedule.next.start)
      let subjects = schedule.entries.filter { sent.contains($0.number) }.map(\.subject)
      #expect(schedule.running.isDisjoint(with: schedule.next.start))
      let old = schedule.entries.filter { schedule.running.contains($0.number) }.map(\.subject)
      if Set(old).count == old.count { #expect(Set(subjects).count == subjects.count) }
    }
  }

  @Test func `a change that may be sent is sent, within the limit`() {
    Self.schedules { schedule in
      let next = schedule.next
      #expect(
        schedule.running.count > schedule.maximumConcurrent
          || schedule.running.count + next.start.count <= schedule.maximumConcurrent
      )
      var subjects: Set<EntityKey> = []
      let heads = Self.living(schedule).filter { subjects.insert($0.subject).inserted }
      let busy = schedule.entries.filter { schedule.running.contains($0.number) }.map(\.subject)
      let ready = heads.filter { entry in
        !entry.isBlocked && entry.due != 110 && !busy.contains(entry.subject)
      }
      let room = max(0, schedule.maximumConcurrent - schedule.running.count)
      #expect(next.start.count == min(room, ready.count))
    }
  }

  @Test func `a change that was sent and waits for another one keeps no earlier one waiting`() {
    let entries = [
      ChangeEntry(number: 1, subject: Self.entities[0]),
      ChangeEntry(number: 2, subject: Self.entities[0], isBlocked: true, wasSent: true),
    ]
    let schedule = ChangeSchedule(entries: entries, now: 100, longestPause: 300)
    #expect(schedule.next.start == [1])
  }

  @Test func `a conflict that is being decided takes no place, and keeps its model waiting`() {
    let entries = [
      ChangeEntry(number: 1, subject: Self.entities[0], state: .sending),
      ChangeEntry(number: 2, subject: Self.entities[0]),
      ChangeEntry(number: 3, subject: Self.entities[1]),
    ]
    var schedule = ChangeSchedule(
      entries: entries,
      running: [1],
      maximumConcurrent: 1,
      now: 100,
      longestPause: 300
    )
    #expect(schedule.next.start == [])
    schedule.deciding = [1]
    #expect(schedule.next.start == [3])
  }

  @Test func `it wakes at the first time of a change that could be sent then`() {
    Self.schedules { schedule in
      var subjects: Set<EntityKey> = []
      let heads = Self.living(schedule).filter { subjects.insert($0.subject).inserted }
      let busy = schedule.entries.filter { schedule.running.contains($0.number) }.map(\.subject)
      let isWaiting = heads.contains { $0.due == 110 && !busy.contains($0.subject) }
      #expect(schedule.next.wake == (isWaiting ? 110 : nil))
    }
  }

  @Test(arguments: [true, false])
  func `nothing is sent in a pause or without a network`(isPaused: Bool) {
    Self.schedules { schedule in
      var schedule = schedule
      schedule.isPaused = isPaused
      schedule.isOnline = isPaused
      #expect(schedule.next == ChangeSchedule.Next())
    }
  }
}
