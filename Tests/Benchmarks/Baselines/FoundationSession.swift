import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Contender {
  /// Foundation's own client in this process, with so many tasks.
  static func session(_ url: URL, tasks: Int, share: Double) -> Contender {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = tasks
    let session = URLSession(configuration: configuration)
    return Contender(name: "URLSession", share: share) { count, _ in
      try await Workers.run(count, tasks: tasks) {
        _ = try await session.data(from: url)
      }
    }
  }
}

/// Does something so many times from so many tasks.
enum Workers {
  @concurrent
  static func run(
    _ count: Int,
    tasks: Int,
    _ work: @escaping @Sendable @concurrent () async throws -> Void
  ) async throws {
    if tasks == 1 {
      for _ in 0..<count { try await work() }
      return
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        let amount = (count + task) / tasks
        group.addTask {
          for _ in 0..<amount { try await work() }
        }
      }
      try await group.waitForAll()
    }
  }
}
