import Freshet
import FreshetEssentials

/// The decision after a change was sent in vain.
enum ChangeVerdict: Equatable {
  /// It is sent again after this pause, with the same key.
  case again(after: Duration)
  /// The server does not want it.
  case refused
  /// The server has another state.
  case conflict
  /// The attempt was ended here, and does not count.
  case interrupted
}

extension ChangeVerdict {
  /// Decides; depends on nothing but the parameters.
  ///
  /// - Parameters:
  ///   - error: The error response, or the failure.
  ///   - attempt: The number of attempts so far, from 1.
  ///   - policy: The policy of pauses.
  ///   - now: The time, to which a `Retry-After` may be relative.
  ///   - jitter: A number in 0..<1, by which the pause is multiplied.
  ///   - isFileMissing: A Boolean value that indicates whether a file of the body is not there. One that cannot be
  ///     read may be readable later, such as on a device that was locked.
  ///   - mayBeUnderWay: A Boolean value that indicates whether there was no answer to the attempt before: the
  ///     server may be at it still, and says so by a 409 (draft-ietf-httpapi-idempotency-key-header).
  init(
    _ error: FreshetError,
    attempt: Int,
    policy: RetryPolicy,
    now: Date,
    jitter: Double,
    isFileMissing: Bool = false,
    mayBeUnderWay: Bool = false
  ) {
    var status: HTTPStatus?
    var least: Duration?
    switch error {
    case .cancelled, .shutDown:
      self = .interrupted
      return
    case .invalidRequest:
      self = .refused
      return
    case .file where isFileMissing:
      self = .refused
      return
    case .status(let head, _):
      status = head.status
      least = head.retryAfter(now: now).map { min($0, policy.maximumRetryAfter) }
    default:
      break
    }
    // After a 401, the user may sign in again.
    if let status, status != 401, !(status == 409 && mayBeUnderWay),
      !policy.statuses.contains(status), status.rawValue < 500
    {
      self = status == 409 || status == 412 ? .conflict : .refused
      return
    }
    guard attempt <= policy.maximumRetries else {
      self = .refused
      return
    }
    let pause = policy.pause(beforeRetry: attempt) * (policy.jitter == .none ? 1 : jitter)
    self = .again(after: max(pause, least ?? .zero))
  }
}
