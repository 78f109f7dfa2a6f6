extension FetchChain {
  /// Ends a chain of stages: turns steps into what users see, progress and values.
  ///
  /// - The last value is final, and the sequence ends after it.
  /// - What is still `expired` here, because the chain validates nothing, is a stale value;
  ///   what is still `found`, because the chain checks nothing, is a fresh one.
  /// - A `HEAD` that a stored `GET` answers has no body (RFC 9111 section 4).
  /// - A stored answer that there is no resource, such as a 404, fails with
  ///   ``FreshetError/status(_:body:)`` as it did when it came, and tells where it came from
  ///   (``FreshetError/origin``, ``FreshetError/explanation``).
  /// - What is still `wanted` here fails with ``FreshetError/notStored(url:)``.
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
  /// The step as users see it, where no stage follows.
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
