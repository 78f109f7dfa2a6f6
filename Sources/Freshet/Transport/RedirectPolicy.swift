/// The policy for following redirects.
///
/// A redirect to a request that was sent before is a loop, and fails at once, unless a ``CookieJar`` gives the
/// request other cookies now.
public struct RedirectPolicy: Sendable, Hashable {
  /// The largest number of redirects in one call; 10 by default, 0 follows none.
  public var maximumCount: Int { didSet { choices.insert(.count) } }
  /// A Boolean value that indicates whether redirects from `https` to `http` are followed; `false` by
  /// default.
  public var allowsDowngrade: Bool { didSet { choices.insert(.downgrade) } }

  /// Additional header fields that are not sent to other origins and not shown; none by default.
  ///
  /// Fields whose names identify them as secrets are protected anyway, see <doc:Services>. The calls of
  /// a client also protect its ``Client/Configuration/secretHeaders``.
  public var secretHeaders: Set<HTTPHeaders.Name> = []
  /// The properties that were set, which a client does not replace; all of a policy that was made as a whole.
  private(set) var choices: Choices = [.count, .downgrade]

  /// Creates a policy.
  public init(maximumCount: Int = 10, allowsDowngrade: Bool = false) {
    self.maximumCount = maximumCount
    self.allowsDowngrade = allowsDowngrade
  }

  /// Follows up to ten redirects, but none from `https` to `http`.
  public static let follow = RedirectPolicy()
  /// Follows no redirects: the redirect itself is the response.
  public static let none = RedirectPolicy(maximumCount: 0)
}

// MARK: - Defaults of a client

extension RedirectPolicy {
  struct Choices: OptionSet {
    let rawValue: UInt8

    static let count = Choices(rawValue: 1)
    static let downgrade = Choices(rawValue: 2)
  }

  /// The policy of a request that sets none.
  static let unset = RedirectPolicy.follow.choosing([])

  /// Returns the policy as one in which only these properties were set.
  func choosing(_ choices: Choices) -> RedirectPolicy {
    var policy = self
    policy.choices = choices
    return policy
  }

  /// The policy with the properties of a client where they were not set.
  func completed(by defaults: Self) -> Self {
    var policy = self
    if !choices.contains(.count) { policy.maximumCount = defaults.maximumCount }
    if !choices.contains(.downgrade) { policy.allowsDowngrade = defaults.allowsDowngrade }
    policy.secretHeaders.formUnion(defaults.secretHeaders)
    return policy
  }

  /// Compares what is followed, and not what was set.
  public static func == (left: Self, right: Self) -> Bool {
    left.maximumCount == right.maximumCount && left.allowsDowngrade == right.allowsDowngrade
      && left.secretHeaders == right.secretHeaders
  }

  /// Hashes what is followed.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(maximumCount)
    hasher.combine(allowsDowngrade)
    hasher.combine(secretHeaders)
  }
}
