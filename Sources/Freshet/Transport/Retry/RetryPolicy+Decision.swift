public import FreshetEssentials

extension RetryPolicy {
  /// The outcome of an attempt.
  public enum Outcome: Sendable {
    /// The attempt threw an error.
    case failed(FreshetError)
    /// The attempt received a response.
    case answered(ResponseHead)
  }

  /// The decision after an attempt.
  public enum Decision: Sendable, Hashable {
    /// The outcome is delivered to the caller.
    case stop
    /// The request is sent again after this pause.
    case after(Duration)
  }

  /// Decides whether to retry after an attempt; depends on nothing but the parameters and the policy.
  ///
  /// The budget is not checked here.
  ///
  /// - Parameters:
  ///   - request: The request as it was sent, with its `Idempotency-Key` if it has one.
  ///   - attempt: The number of the attempt that has ended, counted from 1.
  ///   - outcome: The outcome of the attempt.
  ///   - elapsed: The time since the first attempt began. There is no retry if the pause would end
  ///     after ``Request/Timeouts/total``.
  ///   - now: The current time, for a `Retry-After` that is a date.
  ///   - jitter: A random number in 0..<1, by which the policy's own pause is multiplied. It is ignored
  ///     with ``Jitter/none``.
  /// - Returns: The decision.
  public func decision(
    for request: Request,
    attempt: Int,
    outcome: Outcome,
    elapsed: Duration,
    now: Date,
    jitter: Double
  ) -> Decision {
    guard attempt <= maximumRetries, mayRepeat(request), isWorthwhile(outcome) else { return .stop }
    var delay = pause(beforeRetry: attempt) * (self.jitter == .none ? 1 : jitter)
    if case .answered(let head) = outcome, let least = head.retryAfter(now: now) {
      guard least <= maximumRetryAfter else { return .stop }
      delay = self.jitter == .none ? max(delay, least) : delay + least
    }
    if let total = request.timeouts.total, elapsed + delay >= total { return .stop }
    return .after(delay)
  }

  /// Returns whether the request may be sent more than once at all.
  func mayRepeat(_ request: Request) -> Bool {
    request.isReplayable && (eligibility == .all || request.isIdempotent)
  }

  /// Adds a key to a request that may not be repeated without one, if the policy generates keys.
  func addKey(_ key: @autoclosure () -> UUID, to request: inout Request) {
    guard eligibility == .generatingKeys, !request.isIdempotent else { return }
    request.headers[.idempotencyKey] = key().uuidString
  }

  private func isWorthwhile(_ outcome: Outcome) -> Bool {
    switch outcome {
    case .answered(let head): statuses.contains(head.status)
    case .failed(.connection(.suspended, _)): false
    case .failed(.connection): true
    case .failed(.timedOut(let phase, _)): phase != .total && phase != .connectivity
    case .failed: false
    }
  }

  package func pause(beforeRetry retry: Int) -> Duration {
    var pause = min(baseDelay, maximumDelay)
    guard growth == .doubling else { return pause }
    for _ in 1..<max(retry, 1) where pause < maximumDelay {
      pause = min(pause * 2, maximumDelay)
    }
    return pause
  }
}

extension RetryPolicy.Outcome {
  /// A description of the outcome, for the event of a retry.
  var reason: String {
    switch self {
    case .failed(let error): error.description
    case .answered(let head): "status \(head.status)"
    }
  }
}
