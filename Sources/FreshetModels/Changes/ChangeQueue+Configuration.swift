public import Freshet
public import FreshetEssentials

extension ChangeQueue {
  /// The types of a queue, and its policies.
  public struct Configuration: Sendable {
    var types: [ChangeType] = []

    /// The pauses before a change is sent again; a second at first, doubling up to five minutes, without an
    /// end.
    ///
    /// A `Retry-After` up to ``/Freshet/RetryPolicy/maximumRetryAfter``, an hour here, is obeyed. The statuses
    /// of the policy and all of 500 and above are repeated; so is a change without a valid response. Its budget and
    /// eligibility do not count: each change has an idempotency key.
    public var retry = RetryPolicy {
      $0.maximumRetries = .max
      $0.baseDelay = .seconds(1)
      $0.maximumDelay = .seconds(300)
      $0.maximumRetryAfter = .seconds(3_600)
    }
    /// The number of changes that are sent at once, at least 1; 4 by default.
    ///
    /// Those whose conflict is being decided do not count.
    public var maximumConcurrent = 4
    /// The state of the network: a first element, and one for each change; `nil`, the default, assumes one.
    ///
    /// Without a network nothing is sent. When it returns, changes that wait for a pause are sent immediately.
    public var connectivity: (any AsyncSequence<Bool, Never> & Sendable)?
    /// The clock for pauses; the system's by default.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The time, which is stored for pauses that outlast the process; the system's by default.
    public var now: @Sendable () -> Date = { Date() }
    /// The source of idempotency keys and jitter; the system's by default.
    public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

    init() {}

    /// Registers a type of changes, by its ``ModelChange/changeName``.
    ///
    /// Stored changes of a type that is not registered are kept, reported as ``QueuedChange/State/unknown``,
    /// and block no other changes.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - superseding: The way in which a new change supersedes one that was not sent yet; both are sent by default.
    ///   - conflicts: The way in which a 409 or 412 is handled; as a refusal by default.
    public mutating func register<Change: ModelChange>(
      _ type: Change.Type,
      superseding: SupersedingPolicy<Change> = .none,
      conflicts: ConflictPolicy<Change> = .refuse
    ) {
      types.append(ChangeType(type, superseding: superseding, conflicts: conflicts))
    }
  }
}
