import Foundation
import Synchronization

/// What a file's bytes must hash to; checked by the first one who reads them all.
final class BodyVerification: Sendable {
  let expected: SHA256Digest
  private let outcome: @Sendable (Bool) -> Void
  private let pending = Mutex(true)

  /// Makes a verification.
  ///
  /// - Parameters:
  ///   - expected: The digest that was stored.
  ///   - outcome: Hears once whether the bytes have it.
  init(_ expected: SHA256Digest, outcome: @escaping @Sendable (Bool) -> Void) {
    self.expected = expected
    self.outcome = outcome
  }

  var isPending: Bool { pending.withLock { $0 } }

  /// Says that the bytes have been seen to be right.
  func succeed() {
    let isFirst = pending.withLock { pending in
      defer { pending = false }
      return pending
    }
    if isFirst { outcome(true) }
  }

  func check(_ actual: SHA256Digest, at url: URL) throws(FreshetError) {
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
