import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// Changes a store until it is killed, after it has checked what the one before it had been told.
///
/// Its log has a line for each change that is tried (`try NUMBER STATE`) and for each that the store has
/// acknowledged (`done NUMBER STATE`); a state is a version and a refresh, or `gone`.
struct CrashProbe {
  static let itemCount = 60
  static let taskCount = 4
  static let smallLimit: Int64 = 500_000

  let store: DiskStore
  let log: CrashLog
  let seed: UInt64
  /// Whether the store is so small that it evicts all the time.
  let evicts: Bool
  /// Which of so many processes at a time this is; each one has items of its own.
  let lane: Lane

  struct Lane {
    var index = 0
    var count = 1

    var numbers: [Int] { (0..<CrashProbe.itemCount).filter { $0 % count == index } }
  }

  init(store directory: URL, log: URL, seed: UInt64, evicts: Bool, lane: Lane) throws {
    var configuration = DiskStore.Configuration()
    if evicts { configuration.byteLimit = Self.smallLimit }
    store = DiskStore(directory: directory, configuration: configuration) { diagnostic in
      // Only a store that was damaged, or is in the way of another one, says anything.
      CrashProbe.fail("\(diagnostic)")
    }
    self.log = try CrashLog(log)
    self.seed = seed
    self.evicts = evicts
    self.lane = lane
  }

  /// Checks, and then changes for ever.
  func run(microseconds: Range<UInt32>) async throws {
    var generator = SeededGenerator(seed: seed)
    let delay = UInt32.random(in: microseconds, using: &generator)
    let isEarly = Int.random(in: 0..<4, using: &generator) == 0
    if isEarly { Self.dieIn(delay / 4) }
    let items = try await check()
    try log.begin(items, of: lane.numbers)
    if !isEarly { Self.dieIn(delay) }
    await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<Self.taskCount {
        let seed = generator.next()
        group.addTask { try await change(items, task, seed) }
      }
    }
  }

  /// Compares what is stored with the log, all of it.
  func check() async throws -> [Int: StoreItem] {
    let record = try log.read()
    let expected = record.states
    let mayBeEvicted = evicts ? evictable(record.newest) : []
    var items: [Int: StoreItem] = [:]
    for number in lane.numbers {
      let key = StoreItem(number: number, version: 0).key
      if let found = await store.find(key, for: [:]) {
        items[number] = try StoreItem(number: number, found)
        if items[number] == nil { Self.fail("item \(number) is mixed up") }
      }
      let state = items[number]?.description ?? "gone"
      let allowed = expected[number] ?? ["gone"]
      guard allowed.contains(state) || state == "gone" && mayBeEvicted.contains(number)
      else {
        Self.fail("item \(number) is \(state), not \(allowed)")
      }
    }
    let verification = try await store.verify()
    if !verification.damaged.isEmpty { Self.fail("\(verification.damaged)") }
    guard verification.count == items.count || lane.count > 1 else {
      Self.fail("\(verification.count) records for \(items.count) items")
    }
    return items
  }

  /// What an eviction may have taken: all but the newest, as many as are sure to fit into what it
  /// leaves beside those that are under way.
  private func evictable(_ newest: [(number: Int, item: StoreItem)]) -> Set<Int> {
    let reserved = Int64(Self.taskCount) * Int64(StoreItem.largestCost)
    var room = Self.smallLimit / 10 * 9 - reserved
    var evictable = Set(lane.numbers)
    for (number, item) in newest {
      room -= Int64(item.body.count + StoreItem.headCost)
      guard room >= 0 else { break }
      evictable.remove(number)
    }
    return evictable
  }

  private func change(_ items: [Int: StoreItem], _ task: Int, _ seed: UInt64) async throws {
    var items = items
    var generator = SeededGenerator(seed: seed)
    let numbers = lane.numbers.enumerated()
      .compactMap { $0.offset % Self.taskCount == task ? $0.element : nil }
    while true {
      let number = numbers[Int.random(in: numbers.indices, using: &generator)]
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
        try await keep(item, coming: Int.random(in: 0..<3, using: &generator))
        items[number] = item
        try log.tell("done \(number) \(item)")
      }
    }
  }

  /// Keeps a body that comes from memory, from the spool, or from where it could be resumed.
  private func keep(_ item: StoreItem, coming way: Int) async throws {
    guard way > 0 else {
      _ = try await store.keep(item.response())
      return
    }
    var spool = store.spool
    spool.threshold = 1_000
    let transport = ScriptedTransport { _ in item.answer(isResumable: way == 1) }
    let resource = try await Fetch.request(Request(.get, item.url))
      .download(over: transport, spool: spool)
      .persist(in: store)
      .settle()
      .value
    guard resource.explanation.contains(.stored(.disk)) else {
      Self.fail("item \(item.number) was not stored: \(resource.explanation)")
    }
  }

  /// Ends this process as `kill -9` does, after some time.
  static func dieIn(_ microseconds: UInt32) {
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
