/// How many requests may run at the same time, and how many may begin in a time.
public struct RequestLimits: Sendable, Hashable {
  /// The largest number to one scheme, host and port at the same time; 6 by default, `nil` for any.
  public var perHost: Int? = 6
  /// The largest number in all; 64 by default, `nil` for any.
  public var total: Int? = 64
  /// How many may begin to one scheme, host and port in a time; any number by default.
  public var rate: Rate?
  /// How long a request waits until it ranks one priority higher; 5 seconds by default.
  ///
  /// After two of these the lowest priority ranks with the highest, and the older goes first: that
  /// is the bound on starvation.
  public var ageing: Duration = .seconds(5)

  /// Makes the default limits.
  public init() {}

  /// Six requests to a host, 64 in all.
  public static let standard = RequestLimits()

  /// How many requests may begin in a time.
  public struct Rate: Sendable, Hashable {
    /// The average number in a second.
    public var perSecond: Double
    /// How many may begin at once after a pause; at least 1.
    public var burst: Int

    /// Makes a rate.
    public init(perSecond: Double, burst: Int = 1) {
      self.perSecond = perSecond
      self.burst = max(1, burst)
    }
  }
}
