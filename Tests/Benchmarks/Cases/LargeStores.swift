import Foundation
import Freshet

/// A store of a million entries beside smaller ones.
extension Catalogue {
  static let largeStores: [Benchmark] =
    sizes.map(open) + sizes.map(lookUp) + [1_000_000, 10_000].map(evict)

  private static let sizes = [1_000_000, 500_000, 10_000]

  /// Opening the store in a directory that was closed, and the first hit.
  private static func open(_ entries: Int) -> Benchmark {
    Benchmark(name: "open-\(entries)", unit: .cost, count: 1, doubles: false) { world, _ in
      let store = try await LargeStore.filled(entries, in: world)
      return [
        Contender(name: "freshet") { _, meter in
          let disk = DiskStore(directory: store.folder)
          let key = store.key(store.count / 2)
          guard await disk.find(key, for: [:]) != nil else { throw BenchError("not there") }
          meter.stop()
          await disk.close()
        }
      ]
    }
  }

  /// Hits all over an open store, each on another entry.
  private static func lookUp(_ entries: Int) -> Benchmark {
    Benchmark(name: "lookup-of-\(entries)", unit: .cost, count: 10_000) { world, _ in
      let store = try await LargeStore.filled(entries, in: world)
      let disk = DiskStore(directory: store.folder)
      return [
        Contender(name: "freshet") { count, _ in
          for index in 0..<count {
            let key = store.key(index &* 104_729 % store.count)
            guard await disk.find(key, for: [:]) != nil else { throw BenchError("not there") }
          }
        }
      ]
    }
  }

  /// Writes that push out what was unused longest; an operation is one entry that goes.
  ///
  /// The limit is set so that the next write begins to remove a tenth of all.
  private static func evict(_ entries: Int) -> Benchmark {
    Benchmark(name: "evict-of-\(entries)", unit: .cost, count: 1_000, doubles: false) {
      world,
      _ in
      [
        Contender(name: "freshet") { count, meter in
          let store = try await LargeStore.filled(entries, in: world)
          try await store.evict(min(count, store.count / 20), of: count, meter)
        }
      ]
    }
  }
}

/// A store that is made once for all cases and processes.
struct LargeStore: Sendable {
  let folder: URL
  let count: Int

  static func filled(_ entries: Int, in world: World) async throws -> LargeStore {
    let count = world.options.count(entries)
    let name = "store-of-\(count)"
    let folder = world.folder.appending(path: name, directoryHint: .isDirectory)
    let store = LargeStore(folder: folder, count: count)
    if !FileManager.default.fileExists(atPath: folder.path) { try await store.fill() }
    return store
  }

  func key(_ index: Int) -> CacheKey {
    CacheKey(text: "https://images.example.org/avatars/large/\(index).png")
  }

  private func fill() async throws {
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = 16 << 30
    let disk = DiskStore(directory: folder, configuration: configuration)
    let body = Data(repeating: 7, count: 64)
    try await Workers.run(count, tasks: 128) { index in
      guard let url = URL(string: key(index).text) else { return }
      _ = try await disk.keep(Catalogue.stored(url, body))
    }
    await disk.close()
  }

  /// Lets about so many entries go, and tells the meter what `count` of them take.
  func evict(_ goal: Int, of count: Int, _ meter: Meter) async throws {
    let disk = DiskStore(directory: folder)
    let before = try await disk.statistics()
    await disk.close()
    var configuration = DiskStore.Configuration()
    configuration.byteLimit = before.bytes - 1
    let tight = DiskStore(directory: folder, configuration: configuration)
    _ = try await tight.statistics()
    let start = ContinuousClock.now
    var gone = 0
    // It removes some hundreds between two writes.
    for index in 0..<1_000 where gone < goal * 9 / 10 {
      guard let url = URL(string: "https://images.example.org/new/\(index).png") else { return }
      _ = try await tight.keep(Catalogue.stored(url, Data(count: 64)))
      gone = before.count + index + 1 - (try await tight.statistics().count)
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    await tight.close()
    guard gone >= goal / 2 else { throw BenchError("only \(gone) of \(goal) went") }
    meter.set(seconds: seconds / Double(gone) * Double(count))
  }
}
