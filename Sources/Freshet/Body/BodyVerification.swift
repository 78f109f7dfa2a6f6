import FreshetEssentials
import Synchronization

/// A check of a file's bytes against a digest, made by the first reader that reads all of them.
final class BodyVerification: Sendable {
  let expected: SHA256Checksum
  private let outcome: @Sendable (Bool) -> Void
  private let pending = Mutex(true)

  /// Makes a verification.
  ///
  /// - Parameters:
  ///   - expected: The digest that was stored.
  ///   - outcome: A closure that receives once whether the bytes match.
  init(_ expected: SHA256Checksum, outcome: @escaping @Sendable (Bool) -> Void) {
    self.expected = expected
    self.outcome = outcome
  }

  var isPending: Bool { pending.withLock { $0 } }

  /// Records that the bytes match.
  func succeed() {
    let isFirst = pending.withLock { pending in
      defer { pending = false }
      return pending
    }
    if isFirst { outcome(true) }
  }

  func check(_ actual: SHA256Checksum, at url: URL) throws(FreshetError) {
    let isRight = actual == expected
    let isFirst = pending.withLock { pending in
      defer { if isRight { pending = false } }
      return pending
    }
    if isFirst { outcome(isRight) }
    guard isRight else {
      throw .corrupted(expected: expected.hex, actual: actual.hex, url: url.path)
    }
  }
}
