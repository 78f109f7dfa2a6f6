/// How many requests may run at the same time, how many may begin in a time, and who gives way.
///
/// What is less than 1 where a number of requests is meant counts as 1; `.max` is no limit.
public struct RequestLimits: Sendable, Hashable {
  /// How many run at once in all; 256 by default.
  public var total = 256
  /// How many run at once for one scheme, host and port; 64 by default.
  public var perHost = 64
  /// How many of low priority run at once while others wait or run; 2 by default.
  ///
  /// It holds back no one for longer than ``patience``: who has waited for that ranks higher, and runs
  /// beside those.
  public var background = 2
  /// How many may begin to one scheme, host and port in a time; any number by default.
  public var rate: Rate?
  /// How long a request waits until it ranks one priority higher; 2 seconds by default.
  ///
  /// After two of these the lowest priority ranks with the highest, and the older goes first: that
  /// is the bound on starvation. With zero it is first come, first served.
  public var patience: Duration = .seconds(2)

  /// Makes the default limits, changed by a closure.
  public init(_ configure: (inout RequestLimits) -> Void = { _ in }) {
    configure(&self)
  }

  /// How many requests may begin in a time.
  public struct Rate: Sendable, Hashable {
    /// The average number in a second; none with 0.
    public var perSecond: Double
    /// How many may begin at once after a pause; at least 1.
    public var burst: Int

    /// Makes a rate.
    public init(perSecond: Double, burst: Int = 1) {
      self.perSecond = perSecond
      self.burst = max(1, burst)
    }

    /// A bucket of what has not begun for a while.
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

  /// Limits that hold nothing back.
  static var none: RequestLimits {
    var limits = RequestLimits()
    (limits.total, limits.perHost, limits.background) = (.max, .max, .max)
    return limits
  }
}
