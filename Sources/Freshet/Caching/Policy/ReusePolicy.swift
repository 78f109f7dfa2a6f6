import Foundation

/// Whether a stored response may answer a request, and on what terms (RFC 9111 section 4).
enum ReusePolicy {
  /// Decides; no clock, store or socket is asked.
  ///
  /// - Parameters:
  ///   - stored: What is stored under the request's key.
  ///   - request: What is wanted.
  ///   - headers: The request's header fields with those that the transport would add; the request's
  ///     own by default.
  ///   - now: The present, by the clock that stamped the stored response.
  ///   - expiry: How the client counts.
  ///   - limits: What the client accepts stale.
  ///   - isSuperseded: Whether a newer error is stored beside it: the origin is asked about it then,
  ///     however fresh it is.
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
    if isFollowed(stored.head, by: request) { return .unusable(.redirect) }
    let freshness = freshness(of: stored, for: request, now: now, expiry: expiry)
    let isOverridden = rule(expiry, stored.head.status) != .http
    guard
      let reason = staleReason(
        freshness,
        asked: directives.control,
        mustValidate: record.mustValidate && !isOverridden,
        isImmutable: record.control.flags.contains(.immutable)
      ) ?? (isSuperseded ? .newerError : nil)
    else { return .fresh(freshness) }
    // Section 4.3.2: what is fresh answers it; about anything else the origin is asked as it asks.
    if directives.isConditional { return .unusable(.conditional) }
    let answered = isOverridden ? CacheControl() : record.control
    let mustValidate = record.mustValidate && !isOverridden
    var uses = uses(
      freshness,
      reason,
      asked: directives.control,
      answered: answered,
      mustValidate: mustValidate,
      limits: limits
    )
    // It may be shown for what it is, and stand in; but not take the place of the question.
    if isSuperseded { uses.subtract([.asIs, .whileRevalidating]) }
    return .stale(freshness, reason, uses)
  }

  /// Whether the request may be answered from stores only (section 5.2.1.7).
  static func forbidsNetwork(_ request: Request) -> Bool {
    CacheControl(request.headers).flags.contains(.onlyIfCached)
  }

  /// Whether a response to a validation counts as a failure, so that a stale response may be used
  /// instead (section 4.3.3, RFC 5861 section 4).
  static func isFailure(_ status: HTTPStatus) -> Bool {
    [500, 502, 503, 504].contains(status.rawValue)
  }
}

extension ReusePolicy {
  /// The age and lifetime of a stored response (section 4.2).
  static func freshness(
    of stored: StoredResponse,
    for request: Request,
    now: Date,
    expiry: ExpiryPolicy
  ) -> CacheFreshness {
    let record = stored.record
    let resident = record.residentTime(now)
    let age = record.age(now)
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
    case .http where !isSameTarget(stored.head.url, request.url):
      return CacheFreshness(age: age, lifetime: 0, rule: .redirected)
    case .http where record.rule == .heuristic && !request.method.isSafe:
      // RFC 9110 section 9.3.3: a POST's response is fresh only if it says so.
      return CacheFreshness(age: age, lifetime: 0, rule: .none)
    case .http:
      return CacheFreshness(age: age, lifetime: record.lifetime, rule: record.rule)
    }
  }

  /// A client's own count is for resources: an answer that there is none holds as long as it says.
  private static func rule(_ expiry: ExpiryPolicy, _ status: HTTPStatus) -> ExpiryPolicy {
    status.isSuccess || expiry == .always ? expiry : .http
  }

  private static func isSameTarget(_ left: URL, _ right: URL) -> Bool {
    left == right || CacheKey(left) == CacheKey(right)
  }

  /// Whether it is a redirect that the request would follow: it has another answer then.
  private static func isFollowed(_ head: ResponseHead, by request: Request) -> Bool {
    head.status.isRedirection && head.headers.contains(.location)
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
    // RFC 8246 section 2: an immutable response that is fresh needs no validation upon a reload, which
    // asks for an age of 0. Who asks for another age means it.
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
    // Section 4.2.4: what a directive forbids stays forbidden, disconnected or not.
    if mustValidate || answered.flags.contains(.mustRevalidate) || reason == .requestNoCache {
      return []
    }
    var uses: Reuse.StaleUses = .announced
    if isAccepted(freshness, asked: asked) { uses.insert(.asIs) }
    let mayFailSoLong = limits.onError.map { isWithin($0, freshness) } ?? true
    // Section 5.2.1.1: who asks for an age does not want anything older unless max-stale says so.
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

  /// Whether `max-stale` allows it, and `max-age` and `min-fresh` do not object (section 5.2.1).
  private static func isAccepted(_ freshness: CacheFreshness, asked: CacheControl) -> Bool {
    guard let maxStale = asked.maxStale, asked.minFresh == nil else { return false }
    let isYoungEnough = asked.maxAge.map { freshness.age <= Double($0) } ?? true
    return isYoungEnough && isWithin(maxStale, freshness)
  }

  private static func isWithin(_ window: Duration, _ freshness: CacheFreshness) -> Bool {
    freshness.staleness <= window / .seconds(1)
  }

  /// Whether it has been stale for no longer; an unknown age is within a window without end only.
  private static func isWithin(_ window: Int64, _ freshness: CacheFreshness) -> Bool {
    window >= DeltaSeconds.infinite || freshness.staleness <= Double(window)
  }
}
