/// The policy of sending a second request when the first one is slow to answer.
///
/// The response that begins first is used, and the other request is cancelled. It cuts off the slowest responses of a
/// service of several servers, at the price of a few more requests. The explanation has ``Decision/hedged(after:)``.
///
/// ```swift
/// let client = Client { $0.hedging = HedgingPolicy { $0.percentile = 0.95 } }
/// ```
public struct HedgingPolicy: Sendable, Hashable {
  /// The time without a response after which a second request is sent; 500 ms by default.
  public var delay: Duration = .milliseconds(500)
  /// The share of recent responses of the host, clamped to 0 to 1, that began earlier than a second request is
  /// sent; `nil`, the default, uses ``delay`` alone.
  ///
  /// It is used when a host has enough recent responses: at least ``minimumSamples`` of up to 200.
  public var percentile: Double?
  /// The number of responses of a host that ``percentile`` needs; 20 by default.
  public var minimumSamples = 20
  /// A Boolean value that indicates whether requests that change something are sent twice as well, if they are
  /// idempotent (also those with an `Idempotency-Key`); `false` by default, for `GET`, `HEAD` and `OPTIONS` alone.
  ///
  /// The loser of two `DELETE` may answer first, with 404.
  public var includesUnsafe = false
  /// The budget of second requests to each host; one for ten requests by default, `nil` sets no limit.
  public var budget: RetryBudget? = RetryBudget(capacity: 10, perRequest: 0.1, perSecond: 0)

  /// Creates the default policy, changed by a closure.
  public init(_ configure: (inout HedgingPolicy) -> Void = { _ in }) {
    configure(&self)
  }
}

/// The times to the first byte of a host's last responses.
struct ResponseTimes: Sendable {
  /// The largest number of times.
  static let limit = 200

  private var times: [Duration] = []
  private var next = 0

  mutating func add(_ time: Duration) {
    if times.count < Self.limit {
      times.append(time)
    } else {
      times[next] = time
      next = (next + 1) % Self.limit
    }
  }

  /// Returns the pause before a second request.
  func delay(_ policy: HedgingPolicy) -> Duration {
    guard let percentile = policy.percentile, !percentile.isNaN,
      times.count >= max(1, policy.minimumSamples)
    else { return policy.delay }
    let position = Int((Double(times.count) * min(max(percentile, 0), 1)).rounded(.up)) - 1
    return times.sorted()[min(max(position, 0), times.count - 1)]
  }
}
