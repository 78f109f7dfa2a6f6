import FreshetEssentials

/// The pure decision to serve a stale copy when the network fails.
enum StaleFallback {
  /// Returns the stale copy as the final resource, if it may be served instead of this failure.
  ///
  /// A stored error is never served instead of a failure.
  ///
  /// - Throws: The failure, if there is no such copy.
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
    resource.outage = Boxed(error)
    return .resource(resource)
  }

  /// Returns whether the copy may be served instead of the failure.
  static func standsIn(_ copy: Fetch.Expired, for error: FreshetError) -> Bool {
    copy.uses.contains(.onError) && isOutage(error) && !copy.response.isRefusal
  }

  /// Returns whether the failure says nothing about the resource itself (RFC 5861 section 4).
  ///
  /// That includes responses that arrived damaged, have another media type or could not be written. A
  /// certificate that is not trusted and a cancellation are never papered over.
  static func isOutage(_ error: FreshetError) -> Bool {
    switch error {
    case .connection, .timedOut, .invalidResponse, .corrupted, .decoding, .file: true
    case .status(let head, _): ReusePolicy.isFailure(head.status)
    default: false
    }
  }
}
