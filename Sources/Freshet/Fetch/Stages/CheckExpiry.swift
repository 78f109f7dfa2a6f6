public import FreshetEssentials

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Decides whether a stored copy may be used: turns `found` into a fresh `resource` or into `expired`.
  ///
  /// - A stale copy that the request's `max-stale` accepts is a `resource` as well.
  /// - A request for one range of bytes can be answered from a whole copy: it is fresh, or `expired`,
  ///   like the whole copy.
  /// - A copy that does not match the request is dropped: the step is `wanted` again. So is a stale
  ///   copy if the request's `only-if-cached` forbids its revalidation.
  ///
  /// - Parameters:
  ///   - policy: The rule by which a copy expires; ``ExpiryPolicy/http``, the default, follows RFC 9111.
  ///   - limits: The times past its lifetime for which a copy may be used; see ``StaleLimits`` for the
  ///     defaults.
  ///   - now: A closure that returns the current time; the system's by default.
  /// - Returns: The chain with this stage.
  public func checkExpiry(
    _ policy: ExpiryPolicy = .http,
    limits: StaleLimits = StaleLimits(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> FetchChain {
    appending(CheckExpiry(policy, limits: limits, now: now))
  }
}

/// Decides whether a stored copy may be used, see
/// ``_Concurrency/AsyncSequence/checkExpiry(_:limits:now:)``.
public struct CheckExpiry: FetchStage {
  let policy: ExpiryPolicy
  let limits: StaleLimits
  let now: @Sendable () -> Date

  /// Creates the stage; the system's time is the default.
  public init(
    _ policy: ExpiryPolicy = .http,
    limits: StaleLimits = StaleLimits(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.policy = policy
    self.limits = limits
    self.now = now
  }

  /// The kinds of steps that the stage handles.
  public var handles: Fetch.Kinds { .found }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .found(let found) = step else { return .pass }
    return .step(found.checked(by: ExpiryRules(policy: policy, limits: limits, now: now())))
  }

  /// The stage as it would be written in code.
  public var stageDescription: String {
    ".checkExpiry" + PipelineText.parameters(policy.wording, limits.wording)
  }
}
