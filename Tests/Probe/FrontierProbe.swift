#if Redis && !canImport(Darwin)
import Foundation
import Freshet
import FreshetRedis

/// A worker of a frontier, which stores what it fetches in the server of the frontier.
struct FrontierProbe {
  let server: String
  let name: String
  let lease: Duration

  /// Works until the frontier has ended, and returns the number of values.
  func run() async throws -> Int {
    let shared = try SharedStore(server) { $0.timeout = .seconds(5) }
    let frontier = Frontier(name, in: shared) {
      $0.lease = lease
      // Two workers may be killed, and a busy machine may let others come late.
      $0.attemptLimit = 10
    }
    let client = Client {
      $0.memory = nil
      $0.shared = shared
    }
    return try await client.batch(from: frontier).run().value.completedItems
  }
}
#endif
