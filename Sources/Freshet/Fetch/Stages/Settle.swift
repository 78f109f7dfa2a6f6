extension FetchChain {
  /// Ends a chain of stages: turns its steps into the events for users, progress and values.
  ///
  /// - The last value is final, and the sequence ends after it.
  /// - A step that is still `expired`, because the chain has no revalidation, is a stale value; one
  ///   that is still `found`, because the chain does not check freshness, is a fresh one.
  /// - A `HEAD` that is answered by a stored `GET` has no body (RFC 9111 section 4).
  /// - A stored error response, such as a 404, fails with ``FreshetError/status(_:body:)`` as it did
  ///   when it was received. The error contains its source and its decisions (``FreshetError/source``,
  ///   ``FreshetError/explanation``).
  /// - A step that is still `wanted` fails with ``FreshetError/notStored(url:)``.
  ///
  /// - Returns: The events of the resource.
  public func settle() -> ResourceSequence {
    ResourceSequence(chain: self)
  }
}

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Ends a sequence of steps, as ``FetchChain/settle()`` does.
  ///
  /// - Returns: The events of the resource.
  public func settle() -> ResourceSequence {
    FetchChain(self).settle()
  }
}

extension Fetch {
  /// Returns the event for a step after the last stage.
  consuming func settled() throws(FreshetError) -> Event<Resource> {
    switch self {
    case .resource(let resource): .value(try resource.settled())
    case .progress(let progress): .progress(progress)
    case .downloaded(let downloaded): .value(try Resource(downloaded).settled())
    case .found(let found): .value(try Resource(fresh: found).settled())
    case .expired(let expired): .value(try Resource(stale: expired, isFinal: true).settled())
    case .wanted(let wanted): throw .notStored(url: Redaction.shown(wanted.request.url))
    }
  }
}
