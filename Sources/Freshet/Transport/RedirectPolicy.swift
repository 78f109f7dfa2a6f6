/// The policy for following redirects.
///
/// A redirect to a request that was sent before is a loop, and fails at once, unless a ``CookieJar`` gives the
/// request other cookies now.
public struct RedirectPolicy: Sendable, Hashable {
  /// The largest number of redirects in one call; 10 by default, 0 follows none.
  public var maximumCount: Int
  /// A Boolean value that indicates whether redirects from `https` to `http` are followed; `false` by
  /// default.
  public var allowsDowngrade: Bool

  /// Additional header fields that are not sent to other origins and not shown; none by default.
  ///
  /// Fields whose names identify them as secrets are protected anyway, see <doc:Services>. The calls of
  /// a client also protect its ``Client/Configuration/secretHeaders``.
  public var secretHeaders: Set<HTTPHeaders.Name> = []

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
