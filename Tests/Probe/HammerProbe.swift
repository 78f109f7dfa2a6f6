import Foundation
import Freshet
import FreshetTesting

/// One of several processes that use a store at once: reads, writes, removes and evicts, and looks at
/// each body that it gets.
struct HammerProbe {
  let store: DiskStore
  let seed: UInt64
  let count: Int

  init(store directory: URL, seed: UInt64, count: Int) {
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = 1_000_000
    store = DiskStore(directory: directory, configuration: configuration) { diagnostic in
      CrashProbe.fail("\(diagnostic)")
    }
    self.seed = seed
    self.count = count
  }

  /// Works, and returns how many bodies it has looked at.
  func run() async throws -> Int {
    let hits = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask { try await work(SeededGenerator(seed: seed &* 31 &+ UInt64(task))) }
      }
      return try await group.reduce(0, +)
    }
    await store.close()
    return hits
  }

  private func work(_ generator: SeededGenerator) async throws -> Int {
    var generator = generator
    var hits = 0
    for _ in 0..<count {
      let number = Int.random(in: 0..<40, using: &generator)
      let item = StoreItem(number: number, version: Int.random(in: 1..<1_000, using: &generator))
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<60:
        guard let found = await store.find(item.key, for: [:]) else { continue }
        guard try StoreItem(number: number, found) != nil else {
          CrashProbe.fail("item \(number) is mixed up")
        }
        hits += 1
      case 60..<90:
        try await store.keepNewest(item)
      case 90..<97:
        try await store.remove(item.key)
      case 97:
        try await store.purge(olderThan: .milliseconds(50))
      default:
        _ = try await store.statistics()
      }
    }
    return hits
  }
}
