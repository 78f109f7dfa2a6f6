public import Foundation

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Decides whether a stored copy may be used: turns `found` into a fresh `resource` or into
  /// `expired`.
  ///
  /// - A stale copy that the request's `max-stale` accepts is a `resource` as well.
  /// - A request for one range of bytes is answered from a whole copy: fresh, or `expired` as the whole
  ///   would be.
  /// - A copy that has nothing to do with the request is forgotten: the step is `wanted` again. So is
  ///   a stale one if the request's `only-if-cached` keeps it from being validated.
  ///
  /// - Parameters:
  ///   - policy: The rule by which a copy expires; ``ExpiryPolicy/http`` follows RFC 9111.
  ///   - limits: The time past its lifetime for which a copy is of use.
  ///   - now: The time to compare with; the system's by default.
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

  /// Makes the stage; the system's time is the default.
  public init(
    _ policy: ExpiryPolicy = .http,
    limits: StaleLimits = StaleLimits(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.policy = policy
    self.limits = limits
    self.now = now
  }

  /// The kinds of step that the stage handles.
  public var handles: Fetch.Kinds { .found }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .found(let found) = step else { return .pass }
    return .step(found.checked(policy, limits: limits, now: now()))
  }

  /// The stage as it is written.
  public var stageDescription: String {
    ".checkExpiry" + Wording.parameters(policy.wording, limits.wording)
  }
}
