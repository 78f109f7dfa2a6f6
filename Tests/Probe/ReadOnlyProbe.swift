import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// Fills a store, takes the right to write from it, and uses it all the same.
struct ReadOnlyProbe {
  let directory: URL

  /// Becomes an ordinary user, whom a directory's mode holds up.
  init(_ path: String) {
    if geteuid() == 0 {
      let nobody: uid_t = 65_534
      guard chown(path, nobody, nobody) == 0, setgid(nobody) == 0, setuid(nobody) == 0 else {
        CrashProbe.fail("it was not possible to become an ordinary user")
      }
    }
    directory = URL(filePath: path).appending(path: "store")
  }

  func run() async throws {
    let items = [StoreItem(number: 1, version: 5), StoreItem(number: 3, version: 5)]
    let writer = DiskStore(directory: directory)
    for item in items { _ = try await writer.keep(item.response()) }
    await writer.close()
    setModes(0o500)

    let told = Told()
    let store = DiskStore(directory: directory, onDiagnostic: { told.add("\($0)") })
    for item in items {
      let found = await store.find(item.key, for: [:])
      guard try found.flatMap({ try StoreItem(number: item.number, $0) }) == item else {
        CrashProbe.fail("item \(item.number) is not found: \(told.all)")
      }
    }
    guard try await store.statistics().count == 2 else { CrashProbe.fail("the count is wrong") }
    try await fetch(StoreItem(number: 6, version: 1), through: store)
    guard told.all.count == 1 else { CrashProbe.fail("it says \(told.all)") }

    setModes(0o700)
    _ = try await store.keep(StoreItem(number: 6, version: 1).response())
    guard try await store.statistics().count == 3 else { CrashProbe.fail("nothing is kept again") }
    await store.close()
  }

  /// The answer is there although it is not kept.
  private func fetch(_ item: StoreItem, through store: DiskStore) async throws {
    let client = Client {
      $0.transport = ScriptedTransport { _ in item.answer(isResumable: true) }
      $0.disk = store
      $0.memory = nil
      $0.memoryThreshold = 1_000
    }
    let resource = try await client.resource(Request(.get, item.url)).value
    guard try resource.data() == item.body, !resource.explanation.contains(.stored(.disk)) else {
      CrashProbe.fail("the answer is \(resource.explanation)")
    }
  }

  private func setModes(_ mode: mode_t) {
    for folder in ["bodies", "spool"] { chmod(directory.appending(path: folder).path, mode) }
    chmod(directory.path, mode)
  }
}

/// What a store has said.
private final class Told: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
