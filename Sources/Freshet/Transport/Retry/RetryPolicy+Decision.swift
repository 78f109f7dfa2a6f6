public import Foundation

extension RetryPolicy {
  /// How an attempt ended.
  public enum Outcome: Sendable {
    /// It threw.
    case failed(FreshetError)
    /// It was answered.
    case answered(ResponseHead)
  }

  /// What follows an attempt.
  public enum Decision: Sendable, Hashable {
    /// The outcome is what the caller gets.
    case stop
    /// The request is sent again after this pause.
    case after(Duration)
  }

  /// Decides what follows an attempt; depends on nothing else and changes nothing.
  ///
  /// The budget is not asked here.
  ///
  /// - Parameters:
  ///   - request: The request as it was sent, with its `Idempotency-Key` if it has one.
  ///   - attempt: Which attempt has ended; the first is 1.
  ///   - outcome: How it ended.
  ///   - elapsed: The time since the first attempt began; a pause that would end after
  ///     ``Request/Timeouts/total`` is not begun.
  ///   - now: The time, for a `Retry-After` that is a date.
  ///   - jitter: A random number, 0 up to but not including 1: the share of the pause that is waited,
  ///     beside what `Retry-After` asks for. With ``Jitter/none`` it is not used.
  /// - Returns: What follows.
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

  /// Whether the request may be sent more than once at all.
  func mayRepeat(_ request: Request) -> Bool {
    guard request.body?.isReplayable ?? true else { return false }
    return eligibility == .all || request.isIdempotent
  }

  private func isWorthwhile(_ outcome: Outcome) -> Bool {
    switch outcome {
    case .answered(let head): statuses.contains(head.status)
    case .failed(.connection(.suspended, _)): false
    case .failed(.connection): true
    case .failed(.timedOut(let phase, _)): phase != .total
    case .failed: false
    }
  }

  private func pause(beforeRetry retry: Int) -> Duration {
    var pause = min(baseDelay, maximumDelay)
    guard growth == .doubling else { return pause }
    for _ in 1..<max(retry, 1) where pause < maximumDelay {
      pause = min(pause * 2, maximumDelay)
    }
    return pause
  }
}

extension RetryPolicy.Outcome {
  /// Why it is not what was hoped for.
  var reason: String {
    switch self {
    case .failed(let error): error.description
    case .answered(let head): "status \(head.status)"
    }
  }
}
