import FreshetTesting
import Testing

@testable import Freshet

@Suite struct BatchAccountTests {
  @Test(arguments: [.min, -1, 0, .max] as [Int64], [.min, -1, 0, .max] as [Int64])
  func `sums any progress that a stage announces`(completed: Int64, inherited: Int64) {
    var account = BatchAccount(now: .zero)
    account.offer(size: nil)
    account.start(0, offered: nil, size: nil)

    let progress = TransferProgress(completed: completed, inherited: inherited)
    account.advance(0, progress, now: .seconds(1))
    account.end(0, bytes: 5, failed: false, now: .seconds(2))

    #expect(account.progress(now: .seconds(2)).completedBytes == max(5, completed))
  }

  @Test func `sums planned, running and ended items`() {
    var account = BatchAccount(now: .zero)
    for size in [100, nil, 50] as [Int64?] { account.offer(size: size) }
    account.close()
    account.start(0, offered: 100, size: 100)
    account.advance(0, TransferProgress(completed: 40, total: 100), now: .seconds(1))

    var progress = account.progress(now: .seconds(1))
    #expect(progress.completedBytes == 40)
    #expect(progress.totalBytes == nil)
    #expect(progress.endedItems == 0 && progress.totalItems == 3)

    account.start(1, offered: nil, size: nil)
    account.advance(1, TransferProgress(completed: 10, total: 30), now: .seconds(2))
    progress = account.progress(now: .seconds(2))
    #expect(progress.totalBytes == 180)

    account.end(0, bytes: 100, failed: false, now: .seconds(3))
    account.end(1, bytes: nil, failed: true, now: .seconds(3))
    progress = account.progress(now: .seconds(3))
    // What a failed item still lacked is expected no more.
    #expect(progress.completedBytes == 110 && progress.totalBytes == 160)
    #expect(progress.endedItems == 2 && progress.failedItems == 1)

    account.start(2, offered: 50, size: 50)
    account.end(2, bytes: 50, failed: false, now: .seconds(4))
    progress = account.progress(now: .seconds(4))
    #expect(progress.completedBytes == 160 && progress.totalBytes == 160)
    #expect(progress.fraction == 1 && progress.timeLeft == .zero)
  }

  @Test func `actual lengths correct the planned ones`() {
    var account = BatchAccount(now: .zero)
    account.offer(size: 100)
    account.close()
    account.start(0, offered: 100, size: 100)

    account.advance(0, TransferProgress(completed: 10, total: 200), now: .seconds(1))
    #expect(account.progress(now: .seconds(1)).totalBytes == 200)
    account.advance(0, TransferProgress(completed: 250, total: 200), now: .seconds(1))
    #expect(account.progress(now: .seconds(1)).totalBytes == 250)
  }

  @Test func `a second attempt does not reduce the progress`() {
    var account = BatchAccount(now: .zero)
    account.offer(size: nil)
    account.close()
    account.start(0, offered: nil, size: nil)
    account.advance(0, TransferProgress(completed: 80, total: 100), now: .seconds(1))
    account.advance(0, TransferProgress(completed: 5, total: 100), now: .seconds(2))

    #expect(account.progress(now: .seconds(2)).completedBytes == 80)
  }

  @Test func `the remaining time follows from the rate, with unknown sizes as the average`() {
    let clock = VirtualClock()
    var account = BatchAccount(now: clock.now.offset)
    for size in [1_000, 1_000, nil, nil] as [Int64?] { account.offer(size: size) }
    account.close()
    account.start(0, offered: 1_000, size: 1_000)
    for step in 1...10 {
      clock.advance(by: .milliseconds(100))
      account.advance(
        0,
        TransferProgress(completed: Int64(step) * 100, total: 1_000),
        now: clock.now.offset
      )
    }

    let progress = account.progress(now: clock.now.offset)
    #expect(progress.bytesPerSecond == 1_000)
    #expect(progress.timeLeft == .seconds(3))
    #expect(progress.totalBytes == nil)
  }

  @Test func `inherited bytes count as done and not as speed`() {
    let clock = VirtualClock()
    var account = BatchAccount(now: clock.now.offset)
    account.offer(size: 1_000)
    account.close()
    account.start(0, offered: 1_000, size: 1_000)
    clock.advance(by: .seconds(1))
    account.advance(
      0,
      TransferProgress(completed: 800, total: 1_000, inherited: 800),
      now: clock.now.offset
    )

    var progress = account.progress(now: clock.now.offset)
    #expect(progress.completedBytes == 800 && progress.fraction == 0.8)
    #expect(progress.bytesPerSecond == 0 && progress.timeLeft == nil)

    clock.advance(by: .seconds(1))
    account.advance(
      0,
      TransferProgress(completed: 900, total: 1_000, inherited: 800),
      now: clock.now.offset
    )
    progress = account.progress(now: clock.now.offset)
    #expect(progress.bytesPerSecond == 50 && progress.timeLeft == .seconds(2))

    clock.advance(by: .seconds(2))
    account.end(0, bytes: 1_000, failed: false, now: clock.now.offset)
    #expect(account.progress(now: clock.now.offset).bytesPerSecond == 50)
  }

  @Test func `a restarted body counts once`() {
    var account = BatchAccount(now: .zero)
    account.offer(size: nil)
    account.close()
    account.start(0, offered: nil, size: nil)
    account.advance(
      0,
      TransferProgress(completed: 90, total: 100, inherited: 80),
      now: .seconds(1)
    )
    account.advance(0, TransferProgress(completed: 5, total: 100), now: .seconds(2))
    #expect(account.progress(now: .seconds(2)).bytesPerSecond == 5)

    account.end(0, bytes: 100, failed: false, now: .seconds(4))
    let progress = account.progress(now: .seconds(4))
    #expect(progress.bytesPerSecond == 25 && progress.completedBytes == 100)
  }

  @Test func `without bytes the remaining time follows from the items`() {
    var account = BatchAccount(now: .zero)
    for _ in 0..<10 { account.offer(size: 0) }
    account.close()
    for id in 0..<4 {
      account.start(id, offered: 0, size: 0)
      account.end(id, bytes: 0, failed: false, now: .seconds(id + 1))
    }

    let progress = account.progress(now: .seconds(4))
    #expect(progress.itemsPerSecond == 1)
    #expect(progress.timeLeft == .seconds(6))
  }

  @Test func `reports no remaining time while items may still be added`() {
    var account = BatchAccount(now: .zero)
    account.offer(upTo: 2)
    account.start(0, offered: nil, size: nil)
    account.end(0, bytes: 10, failed: false, now: .seconds(1))

    let progress = account.progress(now: .seconds(1))
    #expect(progress.totalItems == 2 && !progress.knowsAllItems)
    #expect(progress.totalBytes == nil && progress.fraction == nil && progress.timeLeft == nil)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `it agrees with a list of items, never decreases and never exceeds the total`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let clock = VirtualClock()
    var account = BatchAccount(now: clock.now.offset)
    var model = Model()
    for _ in 0..<200 {
      let size =
        Bool.random(using: &generator) ? Int64.random(in: 0...5_000, using: &generator) : nil
      account.offer(size: size)
      model.items.append(Model.Item(size: size))
    }
    account.close()
    var last = BatchProgress()

    while model.items.contains(where: { $0.state != .ended }) {
      clock.advance(by: .milliseconds(Int.random(in: 0...50, using: &generator)))
      step(&account, &model, clock.now.offset, &generator)
      let progress = account.progress(now: clock.now.offset)
      #expect(progress.completedBytes == model.completed)
      #expect(progress.totalBytes == model.total)
      #expect(progress.completedBytes >= last.completedBytes)
      #expect(progress.completedBytes <= progress.totalBytes ?? .max)
      #expect(progress.endedItems >= last.endedItems && progress.endedItems <= 200)
      #expect(progress.fraction ?? 0 >= last.fraction ?? 0 && progress.fraction ?? 0 <= 1)
      #expect(progress.timeLeft ?? .zero >= .zero && progress.bytesPerSecond >= 0)
      last = progress
    }

    #expect(last.endedItems == 200 && last.completedBytes == last.totalBytes)
    #expect(last.fraction == 1)
  }

  private func step(
    _ account: inout BatchAccount,
    _ model: inout Model,
    _ now: Duration,
    _ generator: inout SeededGenerator
  ) {
    let id = Int.random(in: 0..<model.items.count, using: &generator)
    switch (model.items[id].state, Int.random(in: 0..<4, using: &generator)) {
    case (.waiting, _):
      account.start(id, offered: model.items[id].size, size: model.items[id].size)
      model.items[id].state = .running
    case (.running, 0):
      let failed = Bool.random(using: &generator)
      let bytes = failed ? nil : Int64.random(in: 0...6_000, using: &generator)
      account.end(id, bytes: bytes, failed: failed, now: now)
      model.items[id].completed = max(model.items[id].completed, bytes ?? 0)
      model.items[id].state = .ended
    case (.running, _):
      let progress = TransferProgress(
        completed: Int64.random(in: 0...6_000, using: &generator),
        total: Bool.random(using: &generator) ? Int64.random(in: 0...6_000, using: &generator) : nil
      )
      account.advance(id, progress, now: now)
      model.items[id].completed = max(model.items[id].completed, progress.completed)
      let size = progress.total ?? model.items[id].size
      model.items[id].size = size.map { max($0, model.items[id].completed) }
    case (.ended, _):
      break
    }
  }

  /// The sums, taken anew each time.
  private struct Model {
    enum State { case waiting, running, ended }

    struct Item {
      var size: Int64?
      var completed: Int64 = 0
      var state = State.waiting
    }

    var items: [Item] = []

    var completed: Int64 { items.reduce(0) { $0 + $1.completed } }

    var total: Int64? {
      guard items.allSatisfy({ $0.state == .ended || $0.size != nil }) else { return nil }
      return items.reduce(0) { $0 + ($1.state == .ended ? $1.completed : $1.size ?? 0) }
    }
  }
}
