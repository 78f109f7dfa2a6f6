#if Redis && !canImport(Darwin)
import Foundation
import Freshet
import FreshetRedis
import FreshetTesting

/// Fetches `ORIGIN/0` to `ORIGIN/COUNT` through a shared store, in an order of its own, eight at once.
struct CoalesceProbe {
  let server: String
  let origin: String
  let count: Int
  let seed: UInt64
  let lease: Duration

  /// Prints `ready`, waits for a line on standard input, and prints `fetched N TEXT` for each page, and
  /// `done`.
  func run(_ tell: @escaping @Sendable (String) -> Void) async throws {
    let shared = try SharedStore(server) {
      // A busy machine is no failure of the server.
      $0.timeout = .seconds(20)
      $0.connectTimeout = .seconds(20)
      $0.coalescing = .init(lease: lease, wait: .seconds(120))
    }
    try await shared.connect()
    let client = Client { $0.shared = shared }
    tell("ready")
    _ = readLine()
    var generator = SeededGenerator(seed: seed)
    let numbers = (0..<count).shuffled(using: &generator)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, number) in numbers.enumerated() {
        if index >= 8 { try await group.next() }
        group.addTask {
          let resource = try await client.resource(Request("\(origin)/\(number)")).value
          tell("fetched \(number) \(String(decoding: try resource.data(), as: UTF8.self))")
        }
      }
      try await group.waitForAll()
    }
    tell("done")
  }
}
#endif
