/// The policy for following redirects.
///
/// A redirect to a request that was sent before is a loop, and fails at once, unless a ``CookieJar`` gives the
/// request other cookies now.
public struct RedirectPolicy: Sendable, Hashable, RequestChoices {
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
  var choices = Choices<Property>(.count, .downgrade)

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
  enum Property: UInt8, CaseIterable {
    case count = 1
    case downgrade = 2
  }

  /// The policy of a request that sets none.
  static let unset = RedirectPolicy.follow.choosing(0)

  mutating func take(_ property: Property, from other: Self) {
    switch property {
    case .count: maximumCount = other.maximumCount
    case .downgrade: allowsDowngrade = other.allowsDowngrade
    }
  }
}
