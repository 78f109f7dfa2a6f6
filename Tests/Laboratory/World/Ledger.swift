#if !canImport(Darwin)
import Foundation
import Synchronization

/// What a fault server knows of the requests that came, by what stands behind the question mark.
final class Ledger: Sendable {
  private struct State {
    var mended: Set<String> = []
    var counts: [String: Int] = [:]
    var sound = 0
  }

  private let state = Mutex(State())

  /// Notes a request; whether it is the first one.
  func note(_ token: String) -> Bool {
    state.withLock { state in
      state.counts[token, default: 0] += 1
      return state.counts[token] == 1
    }
  }

  /// Notes an answer without a fault.
  func noteSound() { state.withLock { $0.sound += 1 } }

  func mend(_ token: String) { _ = state.withLock { $0.mended.insert(token) } }

  func isMended(_ token: String) -> Bool { state.withLock { $0.mended.contains(token) } }

  /// What is answered to who asks for `/seen?TOKEN`, or for all.
  func report(_ token: String) -> String {
    state.withLock { state in
      token.isEmpty ? "\(state.counts.count) \(state.sound)" : "\(state.counts[token] ?? 0)"
    }
  }
}
#endif
