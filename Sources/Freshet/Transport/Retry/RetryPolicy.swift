/// When a request is sent again, and after which pause.
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
  /// The statuses after which a request is sent again.
  public var statuses: Set<HTTPStatus> = [408, 425, 429, 500, 502, 503, 504]
  /// The longest `Retry-After` that is waited for; 60 seconds by default.
  ///
  /// A response that asks for more is delivered as it is: coming back earlier would be rude.
  public var maximumRetryAfter: Duration = .seconds(60)
  /// Which requests may be sent again.
  public var eligibility = Eligibility.idempotent
  /// How many retries a host gets; `nil` sets no bound.
  public var budget: RetryBudget? = RetryBudget()

  /// Makes the default policy, changed by a closure.
  public init(_ configure: (inout RetryPolicy) -> Void = { _ in }) {
    configure(&self)
  }

  /// Makes a policy with the same pause before each retry.
  ///
  /// Everything else is as in ``standard``: statuses, the host's budget, `Retry-After`.
  ///
  /// ```swift
  /// let client = Client { $0.retry = RetryPolicy(attempts: 2, after: .seconds(3)) }
  /// ```
  ///
  /// - Parameters:
  ///   - attempts: The largest number of attempts after the first one; 0 turns retrying off.
  ///   - pause: The pause before each of them, however long.
  ///   - jitter: The share of the pause that is waited; the whole by default.
  public init(attempts: Int, after pause: Duration, jitter: Jitter = .none) {
    maximumRetries = attempts
    baseDelay = pause
    maximumDelay = max(maximumDelay, pause)
    growth = .none
    self.jitter = jitter
  }

  /// Up to three retries with exponential pauses and full jitter, within a budget for each host.
  public static let standard = RetryPolicy()
  /// Sends everything once.
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
    /// A random share, from nothing to the whole, so that clients that failed together do not come
    /// back together. It is added to the time that `Retry-After` asks for.
    case full
  }

  /// Which requests may be sent again; never one whose body cannot be replayed.
  public enum Eligibility: Sendable, Hashable {
    /// Those whose method is idempotent, and those with an `Idempotency-Key`.
    case idempotent
    /// The same, and all others get an `Idempotency-Key`, which stays the same over the attempts.
    ///
    /// The key is a random UUID without quotation marks. Use it with servers that know the field:
    /// others would do twice what is asked for once.
    case generatingKeys
    /// All of them: twice what is asked for once does no harm here.
    case all
  }
}

extension HTTPHeaders.Name {
  /// What makes a request safe to repeat (draft-ietf-httpapi-idempotency-key-header).
  public static let idempotencyKey: Self = "Idempotency-Key"
}
