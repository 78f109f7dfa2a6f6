extension Decision: CustomStringConvertible {
  /// The decision as a phrase without a full stop; control characters are escaped.
  public var description: String { Printable.line(sentence) }

  private var sentence: String {
    switch self {
    case .missed(let store):
      "\(store.rawValue): miss"
    case .unavailable(let store, let reason):
      "\(store.rawValue): miss, \(reason)"
    case .hit(let store):
      "\(store.rawValue): hit"
    case .checked(let reuse):
      reuse.description
    case .answeredPart:
      "answered with a range of the copy"
    case .answeredNotModified:
      "304: the copy matches the request's condition"
    case .onlyIfCached:
      "only-if-cached: no request is sent"
    case .announcedStale:
      "delivered stale before its validation"
    case .servedWhileRefreshing:
      "served stale and refreshed in the background"
    case .withoutValidator:
      "no validator: it cannot be validated"
    case .coalesced(let count):
      "coalesced with \(count)"
    case .awaited(let store, let duration):
      "\(store.rawValue): waited \(duration.rounded) for another process"
    case .validating(.conditional):
      "conditional GET"
    case .validating(.head):
      "HEAD"
    case .validating(.none):
      "not validated"
    case .confirmed(let status, let duration):
      "\(status) in \(duration.rounded): still current"
    case .mistaken(let status):
      "\(status) for another version: requested again without a condition"
    case .changed(let status):
      "\(status): changed"
    case .redirected(let target):
      "redirected to \(target)"
    case .resuming(let position):
      "requested the rest from byte \(position)"
    case .resumed(let position):
      "resumed at byte \(position)"
    case .restarted(let reason):
      "restarted: \(reason)"
    case .waitedForConnectivity:
      "waited for the network"
    case .retried(let attempt, let delay, let reason):
      "attempt \(attempt) after \(delay.rounded): \(reason)"
    case .notRetried(let reason):
      "not tried again: \(reason)"
    case .hedged(let delay):
      "second request after \(delay.rounded)"
    case .downloaded(let bytes, let metrics):
      "downloaded \(bytes) bytes in \(metrics.total.rounded) over \(metrics.networkProtocol)"
        + (metrics.reusedConnection ? ", connection reused" : "")
    case .verified(let digest):
      "verified, SHA-256 \(digest.hex.prefix(12))…"
    case .refused(let store):
      "\(store.rawValue): its digest is not the requested one"
    case .stored(let store):
      "\(store.rawValue): stored"
    case .notStored(let store, let reason):
      "\(store.rawValue): not stored, \(reason)"
    case .servedStale(let reason, _):
      "served stale: \(reason)"
    }
  }
}

extension Duration {
  /// The duration in a suitable unit, such as `41 ms`.
  package var rounded: String {
    let (seconds, attoseconds) = components
    // The longest durations have more microseconds than fit.
    guard -10 < seconds, seconds < 10 else { return "\(seconds) s" }
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    return switch microseconds {
    case ..<1_000: "\(microseconds) µs"
    default: "\(microseconds / 1_000) ms"
    }
  }
}
