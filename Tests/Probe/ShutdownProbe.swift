#if !canImport(Darwin)
import CLinux
import Foundation
import Freshet

/// Fetches much with a client that is kept, shuts it down, and tells what is left of that.
struct ShutdownProbe {
  let url: String
  let directory: URL
  let count: Int

  /// What the process holds.
  struct Holdings {
    let descriptors = Self.names(of: "/proc/self/fd").count
    /// The threads of the framework; the system's pool grows and shrinks as it likes.
    let threads = Self.names(of: "/proc/self/task")
      .compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
      .filter { $0.hasPrefix("freshet") }
      .count
    /// What is allocated and not freed, in bytes.
    let memory = Int(freshet_allocated_bytes())

    private static func names(of directory: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
  }

  /// Has the C library keep one arena, for it tells of no other.
  static func keepOneArena() {
    guard getenv("MALLOC_ARENA_MAX") == nil else { return }
    setenv("MALLOC_ARENA_MAX", "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
  }

  /// - Returns: A line for each thing that is left, with its number.
  func run() async throws -> [String] {
    // What is loaded and allocated once does not count.
    try await fetch(64, in: "warm")
    try await Self.openTimers()
    await settle()
    let before = Holdings()
    let client = try await fetch(count, in: "store")
    await settle(at: before.descriptors)
    let after = Holdings()
    var isRefused = false
    do {
      _ = try await client.send(Request(url)).value
    } catch FreshetError.shutDown {
      isRefused = true
    }
    return [
      "refused \(isRefused ? 1 : 0)",
      "descriptors \(after.descriptors - before.descriptors)",
      "threads \(after.threads)",
      "memory \(after.memory - before.memory)",
    ]
  }

  /// Sleeps once by each clock: the system opens a timer for a clock when it is first waited for, and keeps it.
  private static func openTimers() async throws {
    try await Task.sleep(for: .milliseconds(1), clock: .continuous)
    try await Task.sleep(for: .milliseconds(1), clock: .suspending)
  }

  @discardableResult
  private func fetch(_ count: Int, in folder: String) async throws -> Client {
    let client = Client {
      $0.transport = DefaultTransport()
      $0.disk = DiskStore(directory: directory.appending(path: folder))
      $0.policy.expiry = .never
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<64 {
        group.addTask {
          for number in stride(from: lane, to: count, by: 64) {
            let request = try Request("\(url)?number=\(number)")
            if number.isMultiple(of: 2) {
              _ = try await client.resource(request).value
            } else {
              _ = try await client.send(request).value
            }
          }
        }
      }
      try await group.waitForAll()
    }
    await client.shutdown(grace: .seconds(10))
    return client
  }

  /// Waits for a while until the threads have ended and the number of descriptors remains the same.
  ///
  /// A thread that has ended is listed for a moment, and a descriptor is open until the last task that
  /// refers to it has been released.
  private func settle(at expected: Int? = nil) async {
    var calm = 0
    var last: Int?
    for _ in 0..<1_000 where calm < 20 {
      let now = Holdings()
      calm = now.threads == 0 && now.descriptors == expected ?? last ? calm + 1 : 0
      last = now.descriptors
      try? await Task.sleep(for: .milliseconds(5))
    }
  }
}
#endif
