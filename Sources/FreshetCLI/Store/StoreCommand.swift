import Foundation
import Freshet

/// `freshet store`: examines and changes a store.
struct StoreCommand: RunnableCommand {
  let options: StoreOptions

  func run() async -> ExitStatus {
    guard let store = await openedStore() else { return .failure }
    do throws(FreshetError) {
      let status = try await perform(in: store)
      await store.close()
      return status
    } catch {
      await store.close()
      fail(error.description, kind: error.kind)
      return .failure
    }
  }

  /// Returns the store; `nil` if there is none, which has been printed.
  private func openedStore() async -> (any ExaminedStore)? {
    switch options.place {
    case .directory(let directory):
      // Opening it would create one.
      if let problem = Paths.obstacle(toReading: directory) {
        fail(problem, kind: "store")
        return nil
      }
      return DiskStore(directory: directory)
    case .shared(let store):
      do throws(FreshetError) {
        try await store.connect()
        return store
      } catch {
        await store.close()
        fail(error.description, kind: error.kind)
        return nil
      }
    }
  }

  private func perform(in store: some ExaminedStore) async throws(FreshetError) -> ExitStatus {
    switch options.action {
    case .stats: try await stats(of: store)
    case .list: try await list(store)
    case .verify: return try await verify(store)
    case .purge(let age):
      let count = try await store.purge(olderThan: age)
      try tell("removed \(count) responses", "purged") { $0.add("count", Int64(count)) }
    case .remove(let target, let partition):
      try await remove(target, partition, from: store)
      try tell("removed", "removed") { _ in }
    }
    return .success
  }

  private func stats(of store: some ExaminedStore) async throws(FreshetError) {
    let statistics = try await store.statistics()
    try tell("\(statistics.count) responses, \(statistics.bytes) bytes", "stats") { line in
      line.add("count", Int64(statistics.count))
      line.add("bytes", statistics.bytes)
    }
  }

  private func list(_ store: some ExaminedStore) async throws(FreshetError) {
    for try await entry in store.entries {
      let time = entry.stored.formatted(.iso8601)
      let tags = entry.tags.isEmpty ? "" : " [\(entry.tags.sorted().joined(separator: ", "))]"
      let text = "\(entry.status) \(entry.length) \(time) \(entry.url.absoluteString)\(tags)"
      try tell(text, "entry") { line in
        line.add("url", entry.url.absoluteString)
        line.add("partition", entry.partition)
        line.add("status", Int64(entry.status.rawValue))
        line.add("bytes", entry.length)
        line.add("sha256", entry.digest.hex)
        line.add("stored", time)
        line.add("tags", entry.tags.sorted())
      }
    }
  }

  private func verify(_ store: some ExaminedStore) async throws(FreshetError) -> ExitStatus {
    let result = try await store.verify()
    for damage in result.damaged {
      let text = "\(damage.url) was damaged and has been removed: \(damage.reason)"
      try tell(text, "damaged") { line in
        line.add("url", damage.url)
        line.add("reason", damage.reason)
      }
    }
    let text = "\(result.count) responses, \(result.bytes) bytes, \(result.damaged.count) damaged"
    try tell(text, "verified") { line in
      line.add("count", Int64(result.count))
      line.add("bytes", result.bytes)
      line.add("damaged", Int64(result.damaged.count))
    }
    return result.damaged.isEmpty ? .success : .failure
  }

  private func remove(
    _ target: StoreOptions.Target,
    _ partition: String,
    from store: some ExaminedStore
  ) async throws(FreshetError) {
    switch target {
    case .url(let url):
      let request = try URLText.request(.get, url, credentials: "leave them out")
      try await store.remove(CacheKey(request, partition: partition))
    case .prefix(let prefix): try await store.removeAll(prefix: prefix, partition: partition)
    case .tag(let tag): try await store.removeAll(tag: tag)
    case .all where partition.isEmpty: try await store.removeAll()
    case .all: try await store.removeAll(prefix: "", partition: partition)
    }
  }

  private func tell(
    _ text: String,
    _ event: String,
    _ addMembers: (inout JSONLine) -> Void
  ) throws(FreshetError) {
    guard options.format == .json else { return try Console.out(Printable.line(text)) }
    var line = JSONLine(event: event)
    addMembers(&line)
    try Console.out(line.text)
  }

  private func fail(_ message: String, kind: String) {
    guard options.format == .json else {
      return Console.error(Printable.line("freshet: \(message)"))
    }
    var line = JSONLine(event: "error")
    line.add("kind", kind)
    line.add("message", message)
    Console.report(line)
  }
}
