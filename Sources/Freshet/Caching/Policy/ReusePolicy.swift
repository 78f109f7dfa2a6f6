import FreshetEssentials

/// Decides whether a stored response may answer a request (RFC 9111 section 4).
enum ReusePolicy {
  /// Returns the decision; a pure function, without a clock, a store or a socket.
  ///
  /// - Parameters:
  ///   - stored: The response that is stored under the request's key.
  ///   - request: The request.
  ///   - headers: The request's header fields with those that the transport would add; the
  ///     request's own by default.
  ///   - now: The current time, by the clock that stamped the stored response.
  ///   - expiry: The client's expiry policy.
  ///   - limits: The client's limits for stale responses.
  ///   - isSuperseded: A Boolean value that indicates whether a newer error is stored beside it; it
  ///     is then validated, however fresh it is.
  /// - Returns: The decision.
  static func reuse(
    _ stored: StoredResponse,
    for request: Request,
    with headers: HTTPHeaders? = nil,
    now: Date,
    expiry: ExpiryPolicy = .http,
    limits: StaleLimits = StaleLimits(),
    isSuperseded: Bool = false
  ) -> Reuse {
    if !request.isIdentifiedWhole {
      guard request.method == .get || request.method == .head else { return .unusable(.method) }
      guard request.body == nil else { return .unusable(.body) }
    }
    let directives = RequestDirectives(request.headers)
    if directives.isForOrigin { return .unusable(.conditional) }
    if directives.isPartial { return .unusable(.partial) }
    let record = stored.record
    guard !record.isUnmatchable, stored.fit(headers ?? request.headers) != .none else {
      return .unusable(.vary)
    }
    if isFollowed(stored, by: request) { return .unusable(.redirect) }
    let freshness = freshness(of: stored, for: request, now: now, expiry: expiry)
    let isOverridden = rule(expiry, stored.head.status) != .http
    let mustValidate = record.mustValidate && !isOverridden
    guard
      let reason = staleReason(
        freshness,
        asked: directives.control,
        mustValidate: mustValidate,
        isImmutable: record.control.flags.contains(.immutable)
      ) ?? (isSuperseded ? .newerError : nil)
    else { return .fresh(freshness) }
    // Section 4.3.2: a fresh response answers it; otherwise its condition is the origin's to
    // evaluate.
    if directives.isConditional { return .unusable(.conditional) }
    let answered = isOverridden ? CacheControl() : record.control
    var uses = uses(
      freshness,
      reason,
      asked: directives.control,
      answered: answered,
      mustValidate: mustValidate,
      limits: limits
    )
    // It may be shown as stale, and replace a failure; but it may not answer without a validation.
    if isSuperseded { uses.subtract([.asIs, .whileRevalidating]) }
    return .stale(freshness, reason, uses)
  }

  /// Returns a Boolean value that indicates whether the request may be answered from stores only
  /// (section 5.2.1.7).
  static func forbidsNetwork(_ request: Request) -> Bool {
    CacheControl(request.headers).flags.contains(.onlyIfCached)
  }

  /// Returns a Boolean value that indicates whether a response to a validation counts as a failure,
  /// so that a stale response may be used instead (section 4.3.3, RFC 5861 section 4).
  static func isFailure(_ status: HTTPStatus) -> Bool {
    [500, 502, 503, 504].contains(status.rawValue)
  }
}

extension ReusePolicy {
  /// Returns the age and lifetime of a stored response (section 4.2).
  static func freshness(
    of stored: StoredResponse,
    for request: Request,
    now: Date,
    expiry: ExpiryPolicy
  ) -> CacheFreshness {
    let record = stored.record
    let resident = record.residentTime(now)
    let age = record.isOutdated ? .infinity : record.age(now)
    let sinceReceived = resident ?? 0
    switch rule(expiry, stored.head.status) {
    case .never:
      return CacheFreshness(age: sinceReceived, lifetime: .infinity, rule: .override)
    case .always:
      return CacheFreshness(age: sinceReceived, lifetime: 0, rule: .override)
    case .after where resident == nil || record.isOutdated, .http where resident == nil:
      return CacheFreshness(age: .infinity, lifetime: 0, rule: .clock)
    case .after(let duration):
      let (seconds, attoseconds) = duration.components
      let lifetime = Double(seconds) + Double(attoseconds) * 1e-18
      return CacheFreshness(age: sinceReceived, lifetime: max(0, lifetime), rule: .override)
    case .http where !record.isOfKey && !stored.head.url.hasSameKey(as: request.url):
      return CacheFreshness(age: age, lifetime: 0, rule: .redirected)
    case .http where record.rule == .heuristic && !request.method.isSafe:
      // RFC 9110 section 9.3.3: a POST's response is fresh only if it says so.
      return CacheFreshness(age: age, lifetime: 0, rule: .none)
    case .http:
      return CacheFreshness(age: age, lifetime: record.lifetime, rule: record.rule)
    }
  }

  /// Returns the policy in effect: the client's for successes and for ``ExpiryPolicy/always``; other
  /// errors follow HTTP.
  private static func rule(_ expiry: ExpiryPolicy, _ status: HTTPStatus) -> ExpiryPolicy {
    status.isSuccess || expiry == .always ? expiry : .http
  }

  /// Returns a Boolean value that indicates whether it is a redirect that the request would follow,
  /// and therefore not the response to it.
  private static func isFollowed(_ stored: StoredResponse, by request: Request) -> Bool {
    stored.head.status.isRedirection && stored.head.headers.contains(.location)
      && request.redirects.maximumCount > 0
  }

  private static func staleReason(
    _ freshness: CacheFreshness,
    asked: CacheControl,
    mustValidate: Bool,
    isImmutable: Bool
  ) -> Reuse.StaleReason? {
    if asked.flags.contains(.noCache) { return .requestNoCache }
    if mustValidate { return .responseNoCache }
    guard freshness.isFresh else { return .expired }
    // RFC 8246 section 2: a fresh immutable response needs no validation upon a reload, which asks
    // for an age of 0. A request for any other age is meant literally.
    if isImmutable, asked.maxAge == 0, asked.minFresh == nil { return nil }
    if let maxAge = asked.maxAge, freshness.age > Double(maxAge) || maxAge == 0 {
      return .requestMaxAge
    }
    if let minFresh = asked.minFresh, -freshness.staleness < Double(minFresh) {
      return .requestMinFresh
    }
    return nil
  }

  private static func uses(
    _ freshness: CacheFreshness,
    _ reason: Reuse.StaleReason,
    asked: CacheControl,
    answered: CacheControl,
    mustValidate: Bool,
    limits: StaleLimits
  ) -> Reuse.StaleUses {
    // Section 4.2.4: a prohibition holds even when disconnected.
    if mustValidate || answered.flags.contains(.mustRevalidate) || reason == .requestNoCache {
      return []
    }
    var uses: Reuse.StaleUses = .announced
    if isAccepted(freshness, asked: asked) { uses.insert(.asIs) }
    let mayFailSoLong = limits.onError.map { isWithin($0, freshness) } ?? true
    // Section 5.2.1.1: a request for an age accepts nothing older, unless it has max-stale.
    let wantsFresher = reason == .requestMaxAge || reason == .requestMinFresh
    if wantsFresher || asked.maxAge != nil || asked.minFresh != nil {
      let mayFail = asked.staleIfError.map { isWithin($0, freshness) } ?? false
      return mayFail && mayFailSoLong || uses.contains(.asIs) ? uses.union(.onError) : uses
    }
    if reason == .expired, limits.unvalidated > .zero, isWithin(limits.unvalidated, freshness) {
      uses.insert(.asIs)
    }
    if let window = answered.staleWhileRevalidate, freshness.rule != .redirected,
      isWithin(window, freshness)
    {
      uses.insert(.whileRevalidating)
    }
    let window = min(asked.staleIfError ?? .max, answered.staleIfError ?? .max)
    if isWithin(window, freshness), mayFailSoLong { uses.insert(.onError) }
    return uses
  }

  /// Returns a Boolean value that indicates whether `max-stale` allows it, and `max-age` and
  /// `min-fresh` do not forbid it (section 5.2.1).
  private static func isAccepted(_ freshness: CacheFreshness, asked: CacheControl) -> Bool {
    guard let maxStale = asked.maxStale, asked.minFresh == nil else { return false }
    let isYoungEnough = asked.maxAge.map { freshness.age <= Double($0) } ?? true
    return isYoungEnough && isWithin(maxStale, freshness)
  }

  private static func isWithin(_ window: Duration, _ freshness: CacheFreshness) -> Bool {
    freshness.staleness <= window / .seconds(1)
  }

  /// Returns a Boolean value that indicates whether it has been stale for at most this long; an
  /// unknown age is only within an infinite window.
  private static func isWithin(_ window: Int64, _ freshness: CacheFreshness) -> Bool {
    window >= DeltaSeconds.infinite || freshness.staleness <= Double(window)
  }
}
