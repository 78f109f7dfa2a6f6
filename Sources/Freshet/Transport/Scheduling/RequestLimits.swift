/// The limits of a scheduler: concurrent requests, their rate, and background requests.
///
/// Numbers of requests that are less than 1 count as 1; `.max` is no limit.
public struct RequestLimits: Sendable, Hashable {
  /// The largest number of concurrent requests; 256 by default.
  public var total = 256
  /// The largest number of concurrent requests to one origin (scheme, host and port); 64 by default.
  public var perHost = 64
  /// The largest number of concurrent low-priority requests while others wait or run; 2 by default.
  ///
  /// A request that has waited for ``patience`` ranks higher and is not limited any more.
  public var background = 2
  /// The rate at which requests to one origin (scheme, host and port) begin; unlimited by default.
  public var rate: Rate?
  /// The waiting time after which a request ranks one priority higher; 2 seconds by default.
  ///
  /// After twice this time the lowest priority ranks with the highest, and the oldest request is next:
  /// that is the bound on starvation. With zero, requests run in the order of their arrival.
  public var patience: Duration = .seconds(2)

  /// Creates the default limits, changed by a closure.
  public init(_ configure: (inout RequestLimits) -> Void = { _ in }) {
    configure(&self)
  }

  /// The rate at which requests may begin.
  public struct Rate: Sendable, Hashable {
    /// The average number of requests per second; 0 allows only the burst.
    public var perSecond: Double
    /// The number of requests that may begin at once after a pause; at least 1.
    public var burst: Int

    /// Creates a rate.
    public init(perSecond: Double, burst: Int = 1) {
      self.perSecond = perSecond
      self.burst = max(1, burst)
    }

    /// Returns a full bucket, for a host without recent requests.
    func bucket(now: Duration) -> TokenBucket {
      TokenBucket(capacity: Double(max(1, burst)), perSecond: max(0, perSecond), now: now)
    }
  }

  var atLeastOne: RequestLimits {
    var limits = self
    limits.total = max(1, total)
    limits.perHost = max(1, perHost)
    limits.background = max(1, background)
    return limits
  }

  /// Limits that allow everything.
  static var none: RequestLimits {
    var limits = RequestLimits()
    (limits.total, limits.perHost, limits.background) = (.max, .max, .max)
    return limits
  }
}
