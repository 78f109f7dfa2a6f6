#if Redis && !canImport(Darwin)
import TestSupport
#endif

/// The stores for which the same situations hold; the shared one where its server is installed.
enum TestedStore: CaseIterable {
  case memory
  case disk
  #if Redis && !canImport(Darwin)
  case shared

  static var allCases: [TestedStore] {
    RedisServer.executable == nil ? [.memory, .disk] : [.memory, .disk, .shared]
  }
  #endif
}
