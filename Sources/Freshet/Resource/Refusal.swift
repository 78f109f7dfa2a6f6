import Synchronization

/// What a service call wants of an error response that comes through the stores: its whole body, and
/// what led to it.
final class Refusal: Sendable {
  /// How much of the body is kept, in bytes.
  let bodyLimit: Int
  private let kept = Mutex(Explanation())

  init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  var explanation: Explanation { kept.withLock { $0 } }

  func keep(_ explanation: Explanation) {
    kept.withLock { $0 = explanation }
  }
}
