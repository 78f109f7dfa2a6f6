import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// Changes a store until it is killed, after it has checked what the one before it had been told.
///
/// Its log has a line for each change that is tried (`try NUMBER STATE`) and for each that the store has
/// acknowledged (`done NUMBER STATE`); a state is a version and a refresh, or `gone`.
struct CrashProbe {
  static let itemCount = 24
  static let taskCount = 4

  let store: DiskStore
  let log: CrashLog
  let seed: UInt64
  /// Whether the store is so small that it evicts all the time.
  let evicts: Bool

  init(store directory: URL, log: URL, seed: UInt64, evicts: Bool) throws {
    var configuration = DiskStore.Configuration()
    if evicts { configuration.byteLimit = 500_000 }
    store = DiskStore(directory: directory, configuration: configuration) { diagnostic in
      // Only a store that was damaged, or is in the way of another one, says anything.
      CrashProbe.fail("\(diagnostic)")
    }
    self.log = try CrashLog(log)
    self.seed = seed
    self.evicts = evicts
  }

  /// Checks, and then changes for ever.
  func run(microseconds: Range<UInt32>) async throws {
    var generator = SeededGenerator(seed: seed)
    let delay = UInt32.random(in: microseconds, using: &generator)
    let isEarly = Int.random(in: 0..<4, using: &generator) == 0
    if isEarly { Self.dieIn(delay / 4) }
    let items = try await check()
    try log.begin(items)
    if !isEarly { Self.dieIn(delay) }
    await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<Self.taskCount {
        let own = items.filter { $0.key % Self.taskCount == task }
        let seed = generator.next()
        group.addTask { try await change(own, task, seed) }
      }
    }
  }

  /// Compares what is stored with the log, all of it.
  func check() async throws -> [Int: StoreItem] {
    let expected = try log.read()
    var items: [Int: StoreItem] = [:]
    for number in 0..<Self.itemCount {
      let key = StoreItem(number: number, version: 0).key
      if let found = await store.find(key, for: [:]) {
        items[number] = try StoreItem(number: number, found)
        if items[number] == nil { Self.fail("item \(number) is mixed up") }
      }
      let state = items[number]?.description ?? "gone"
      let allowed = expected[number] ?? ["gone"]
      guard allowed.contains(state) || evicts && state == "gone" else {
        Self.fail("item \(number) is \(state), not \(allowed)")
      }
    }
    let verification = try await store.verify()
    if !verification.damaged.isEmpty { Self.fail("\(verification.damaged)") }
    guard verification.count == items.count else {
      Self.fail("\(verification.count) records for \(items.count) items")
    }
    return items
  }

  private func change(_ items: [Int: StoreItem], _ task: Int, _ seed: UInt64) async throws {
    var items = items
    var generator = SeededGenerator(seed: seed)
    while true {
      let slot = Int.random(in: 0..<Self.itemCount / Self.taskCount, using: &generator)
      let number = slot * Self.taskCount + task
      let found = await store.find(StoreItem(number: number, version: 0).key, for: [:])
      let kind = Int.random(in: 0..<10, using: &generator)
      switch (kind, items[number]) {
      case (0, .some):
        try log.tell("try \(number) gone")
        try await store.remove(StoreItem(number: number, version: 0).key)
        items[number] = nil
        try log.tell("done \(number) gone")
      case (1...3, var item?):
        // An evicted one comes back whole.
        item.refresh += 1
        try log.tell("try \(number) \(item)")
        try await store.renew(item, body: found?.body)
        items[number] = item
        try log.tell("done \(number) \(item)")
      default:
        let version = Int.random(in: 1..<1_000_000, using: &generator)
        let item = StoreItem(number: number, version: version)
        try log.tell("try \(number) \(item)")
        _ = try await store.keep(item.response())
        items[number] = item
        try log.tell("done \(number) \(item)")
      }
    }
  }

  /// Ends this process as `kill -9` does, after some time.
  private static func dieIn(_ microseconds: UInt32) {
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
  }

  /// Ends this process with the status that says that something is wrong.
  static func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("\(reason)\n".utf8))
    exit(3)
  }
}
