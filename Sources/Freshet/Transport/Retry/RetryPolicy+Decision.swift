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

  /// An attempt that has ended, see ``RetryPolicy/decide``.
  public struct Attempt: Sendable {
    /// The request as it was sent; of a resumable upload, a `HEAD` of its URL, which may always be repeated.
    public let request: Request
    /// The number of the attempt, counted from 1.
    public let number: Int
    /// The outcome.
    public let outcome: Outcome
    /// The policy's own decision.
    public let decision: Decision

    /// The head of the response; `nil` if the attempt failed.
    public var head: ResponseHead? {
      if case .answered(let head) = outcome { head } else { nil }
    }
  }

  /// Decides whether to retry after an attempt; depends on nothing but the parameters and the policy, which
  /// includes ``RetryPolicy/decide``.
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
    guard attempt <= maximumRetries, mayRepeat(request), !outcome.isCancellation else {
      return .stop
    }
    var decision = usual(after: attempt, outcome, now: now, jitter: jitter)
    if let decide {
      decision = decide(
        Attempt(request: request, number: attempt, outcome: outcome, decision: decision)
      )
    }
    if case .after(let delay) = decision, let total = request.timeouts.total,
      elapsed + delay >= total
    {
      return .stop
    }
    return decision
  }

  /// Returns the decision by status or failure, and by `Retry-After`.
  private func usual(
    after attempt: Int,
    _ outcome: Outcome,
    now: Date,
    jitter: Double
  ) -> Decision {
    guard isWorthwhile(outcome) else { return .stop }
    var delay = pause(beforeRetry: attempt) * (self.jitter == .none ? 1 : jitter)
    if case .answered(let head) = outcome, let least = head.retryAfter(now: now) {
      guard least <= maximumRetryAfter else { return .stop }
      delay = self.jitter == .none ? max(delay, least) : delay + least
    }
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

/// The closure of ``RetryPolicy/decide``, equal to itself only.
final class OwnDecision: Sendable, Hashable {
  let decide: @Sendable (RetryPolicy.Attempt) -> RetryPolicy.Decision

  init(_ decide: @escaping @Sendable (RetryPolicy.Attempt) -> RetryPolicy.Decision) {
    self.decide = decide
  }

  static func == (left: OwnDecision, right: OwnDecision) -> Bool { left === right }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension RetryPolicy.Outcome {
  /// A Boolean value that indicates whether the call was cancelled, which is never retried.
  fileprivate var isCancellation: Bool {
    if case .failed(.cancelled) = self { true } else { false }
  }

  /// A description of the outcome, for the event of a retry.
  var reason: String {
    switch self {
    case .failed(let error): error.description
    case .answered(let head): "status \(head.status)"
    }
  }
}
