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
      try await Workers.run(count, tasks: tasks) { _ in
        _ = try await session.data(from: url)
      }
    }
  }
}

/// Does something so many times from so many tasks, with the number of each time.
enum Workers {
  @concurrent
  static func run(
    _ count: Int,
    tasks: Int,
    _ work: @escaping @Sendable @concurrent (_ index: Int) async throws -> Void
  ) async throws {
    if tasks == 1 {
      for index in 0..<count { try await work(index) }
      return
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for index in stride(from: task, to: count, by: tasks) { try await work(index) }
        }
      }
      try await group.waitForAll()
    }
  }
}
