/// When a request is sent again, and after which pause.
///
/// ```swift
/// var policy = RetryPolicy.standard
/// policy.maximumRetries = 5
/// let transport = wire.retrying(policy)
/// ```
public struct RetryPolicy: Sendable, Hashable {
  /// The largest number of attempts after the first one; 3 by default, 0 turns retrying off.
  public var maximumRetries = 3
  /// The pause before the first retry, before jitter; 200 ms by default.
  ///
  /// Each further retry doubles it.
  public var baseDelay: Duration = .milliseconds(200)
  /// The longest pause before jitter; 20 seconds by default.
  public var maximumDelay: Duration = .seconds(20)
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

  /// Makes the default policy.
  public init() {}

  /// Up to three retries with exponential pauses and full jitter, within a budget for each host.
  public static let standard = RetryPolicy()
  /// Sends everything once.
  public static let never: RetryPolicy = {
    var policy = RetryPolicy()
    policy.maximumRetries = 0
    return policy
  }()

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
