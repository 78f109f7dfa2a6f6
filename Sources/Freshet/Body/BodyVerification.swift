import FreshetEssentials
import Synchronization

/// A check of a file's bytes against a digest, made by the first reader that reads all of them.
final class BodyVerification: Sendable {
  private enum State { case unread, wrong, right }

  let expected: SHA256Checksum
  private let outcome: @Sendable (Bool) -> Void
  private let state = Mutex(State.unread)

  /// Makes a verification.
  ///
  /// - Parameters:
  ///   - expected: The digest that was stored.
  ///   - outcome: A closure that receives once whether the bytes match.
  init(_ expected: SHA256Checksum, outcome: @escaping @Sendable (Bool) -> Void) {
    self.expected = expected
    self.outcome = outcome
  }

  var isPending: Bool { state.withLock { $0 != .right } }

  /// Records that the bytes match.
  func succeed() { record(true) }

  func check(_ actual: SHA256Checksum, at url: URL) throws(FreshetError) {
    record(actual == expected)
    guard actual == expected else {
      throw .corrupted(expected: expected.hex, actual: actual.hex, url: url.path)
    }
  }

  private func record(_ isRight: Bool) {
    let isFirst = state.withLock { state in
      defer { if state != .right { state = isRight ? .right : .wrong } }
      return state == .unread
    }
    if isFirst { outcome(isRight) }
  }
}
