/// The policy for retrying requests.
///
/// ```swift
/// let client = Client { $0.retry = RetryPolicy { $0.maximumRetries = 5 } }
/// ```
public struct RetryPolicy: Sendable, Hashable {
  /// The largest number of attempts after the first one; 3 by default, 0 turns retrying off.
  public var maximumRetries = 3
  /// The pause before the first retry, before jitter; 200 ms by default.
  public var baseDelay: Duration = .milliseconds(200)
  /// The longest pause before jitter; 20 seconds by default.
  public var maximumDelay: Duration = .seconds(20)
  /// The growth of the pause from one retry to the next; doubling by default.
  public var growth = Growth.doubling
  /// The share of each pause that is waited; a random one by default.
  public var jitter = Jitter.full
  /// The statuses that are retried; 408, 425, 429, 500, 502, 503 and 504 by default.
  public var statuses: Set<HTTPStatus> = [408, 425, 429, 500, 502, 503, 504]
  /// The longest `Retry-After` that is accepted; 60 seconds by default.
  ///
  /// A response that asks for a longer pause is delivered as it is, because an earlier retry would
  /// violate it.
  public var maximumRetryAfter: Duration = .seconds(60)
  /// The requests that may be retried; ``Eligibility/idempotent`` by default.
  public var eligibility = Eligibility.idempotent
  /// The budget of retries to each host; `nil` sets no limit.
  public var budget: RetryBudget? = RetryBudget()
  /// A closure that decides in place of the policy; `nil`, the default, leaves the decision to the policy.
  ///
  /// ```swift
  /// let policy = RetryPolicy {
  ///   $0.decide = { $0.head?.headers["X-Maintenance"] == nil ? $0.decision : .stop }
  /// }
  /// ```
  ///
  /// It is asked when an attempt has failed or the head of its response has arrived, and not after a
  /// cancellation. ``maximumRetries``, ``eligibility-swift.property``, ``budget`` and ``Request/Timeouts/total``
  /// apply whatever it returns. Two policies with closures are equal only if one is a copy of the other.
  public var decide: (@Sendable (Attempt) -> Decision)? {
    get { own?.decide }
    set { own = newValue.map(OwnDecision.init) }
  }
  private var own: OwnDecision?

  /// Creates the default policy, changed by a closure.
  public init(_ configure: (inout RetryPolicy) -> Void = { _ in }) {
    configure(&self)
  }

  /// Creates a policy with the same pause before each retry.
  ///
  /// Everything else is as in ``standard``: the statuses, the budget of each host, and `Retry-After`.
  ///
  /// ```swift
  /// let client = Client { $0.retry = RetryPolicy(retries: 2, after: .seconds(3)) }
  /// ```
  ///
  /// - Parameters:
  ///   - count: The largest number of attempts after the first one; 0 turns retrying off.
  ///   - pause: The pause before each of them, however long.
  ///   - jitter: The share of the pause that is waited; the whole by default.
  public init(retries count: Int, after pause: Duration, jitter: Jitter = .none) {
    maximumRetries = count
    baseDelay = pause
    maximumDelay = max(maximumDelay, pause)
    growth = .none
    self.jitter = jitter
  }

  /// Up to three retries with exponential pauses and full jitter, within a budget for each host.
  public static let standard = RetryPolicy()
  /// Never retries.
  public static let never = RetryPolicy { $0.maximumRetries = 0 }

  /// The growth of a pause from one retry to the next.
  public enum Growth: Sendable, Hashable {
    /// All pauses are ``RetryPolicy/baseDelay``.
    case none
    /// Each pause is twice the one before it, up to ``RetryPolicy/maximumDelay``.
    case doubling
  }

  /// The share of a pause that is waited.
  public enum Jitter: Sendable, Hashable {
    /// The whole pause, or the time that `Retry-After` asks for if that is longer.
    case none
    /// A random share, from none to the whole pause, so that clients that failed together do not retry
    /// together.
    ///
    /// It is added to the time that `Retry-After` asks for.
    case full
  }

  /// The requests that may be retried, which never include those whose body cannot be replayed.
  public enum Eligibility: Sendable, Hashable {
    /// Requests with an idempotent method, those with an `Idempotency-Key`, and those that
    /// ``Request/cacheIdentity`` declares safe.
    case idempotent
    /// As ``idempotent``, and all other requests get an `Idempotency-Key`, which is the same for all
    /// attempts.
    ///
    /// The key is a random UUID without quotation marks. Use it only with servers that support the
    /// field: others would carry out a retried request twice.
    case generatingKeys
    /// All requests, for services where repeating a request does no harm.
    case all
  }
}

extension HTTPHeaders.Name {
  /// The field that makes a request safe to repeat (draft-ietf-httpapi-idempotency-key-header).
  public static let idempotencyKey: Self = "Idempotency-Key"
}
