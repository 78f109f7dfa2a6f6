extension Decision: CustomStringConvertible {
  /// The decision as a phrase without a full stop; control characters are escaped.
  public var description: String { Printable.line(sentence) }

  private var sentence: String {
    switch self {
    case .missed(let store):
      "\(store.rawValue): miss"
    case .hit(let store):
      "\(store.rawValue): hit"
    case .checked(let reuse):
      reuse.description
    case .answeredPart:
      "answered with a part of it"
    case .answeredNotModified:
      "304: the request names this version"
    case .onlyIfCached:
      "only-if-cached: the network is not asked"
    case .announcedStale:
      "shown stale while it is being validated"
    case .servedWhileRefreshing:
      "served stale while it is being refreshed"
    case .withoutValidator:
      "nothing to validate it with"
    case .coalesced(let count):
      "coalesced with \(count)"
    case .validating(.conditional):
      "conditional GET"
    case .validating(.head):
      "HEAD"
    case .validating(.none):
      "not validated"
    case .confirmed(let status, let duration):
      "\(status) in \(duration.rounded): still right"
    case .mistaken(let status):
      "\(status) for another version: asked again without a condition"
    case .changed(let status):
      "\(status): changed"
    case .redirected(let target):
      "redirected to \(target)"
    case .resuming(let position):
      "asked for the rest from byte \(position)"
    case .resumed(let position):
      "resumed at byte \(position)"
    case .restarted(let reason):
      "begun anew: \(reason)"
    case .retried(let attempt, let delay, let reason):
      "attempt \(attempt) after \(delay.rounded): \(reason)"
    case .downloaded(let bytes, let metrics):
      "downloaded \(bytes) bytes in \(metrics.total.rounded) over \(metrics.networkProtocol)"
        + (metrics.reusedConnection ? ", connection reused" : "")
    case .verified(let digest):
      "verified, SHA-256 \(digest.hex.prefix(12))…"
    case .refused(let store):
      "\(store.rawValue): another digest than was asked for"
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
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    return switch microseconds {
    case ..<1_000: "\(microseconds) µs"
    case ..<10_000_000: "\(microseconds / 1_000) ms"
    default: "\(seconds) s"
    }
  }
}
