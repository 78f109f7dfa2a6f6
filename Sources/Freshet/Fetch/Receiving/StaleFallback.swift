import Foundation

/// Serving the stale copy when the network fails: a pure decision.
enum StaleFallback {
  /// The stale copy as the final resource, if there is one that may stand in for this failure.
  ///
  /// An old answer that there is no resource stands in for nothing.
  ///
  /// - Throws: The failure itself, otherwise.
  static func serve(
    _ fallback: Fetch.Expired?,
    insteadOf error: FreshetError,
    explanation: Explanation,
    now: Date
  ) throws(FreshetError) -> Fetch {
    guard var copy = fallback, standsIn(copy, for: error) else { throw error }
    copy.age = copy.response.record.age(now)
    copy.explanation = explanation.adding(.servedStale(because: error))
    var resource = Resource(stale: copy, isFinal: true)
    resource.outage = Outage(error)
    return .resource(resource)
  }

  /// Whether the copy may be served in place of the failure.
  static func standsIn(_ copy: Fetch.Expired, for error: FreshetError) -> Bool {
    copy.uses.contains(.onError) && isOutage(error) && !copy.response.isRefusal
  }

  /// Whether the failure says nothing about the resource itself (RFC 5861 section 4): what arrived
  /// damaged, or could be put nowhere, has not arrived.
  ///
  /// A certificate that is not trusted and a cancellation are never papered over.
  static func isOutage(_ error: FreshetError) -> Bool {
    switch error {
    case .connection, .timedOut, .invalidResponse, .corrupted, .file: true
    case .status(let head, _): ReusePolicy.isFailure(head.status)
    default: false
    }
  }
}

/// A failure of the network that a stale copy stands in for, in one reference.
final class Outage: Sendable {
  let error: FreshetError

  init(_ error: FreshetError) {
    self.error = error
  }
}
