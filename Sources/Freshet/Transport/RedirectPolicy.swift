/// Which redirects a request follows.
public struct RedirectPolicy: Sendable, Hashable {
  /// The largest number of redirects in one call; 10 by default, 0 follows none.
  public var maximumCount: Int
  /// Whether a redirect from `https` to `http` is followed; it is not, by default.
  public var allowsDowngrade: Bool

  /// Header fields that go to no other origin and are not shown, beside those whose names say that
  /// they are secrets, see <doc:Services>; none by default.
  ///
  /// Where a client has some (``Client/Configuration/secretHeaders``), its calls have them too.
  public var secretHeaders: Set<HTTPHeaders.Name> = []

  /// Makes a policy.
  public init(maximumCount: Int = 10, allowsDowngrade: Bool = false) {
    self.maximumCount = maximumCount
    self.allowsDowngrade = allowsDowngrade
  }

  /// Follows up to ten redirects, never from `https` to `http`.
  public static let follow = RedirectPolicy()
  /// Follows none: the redirect itself is the response.
  public static let none = RedirectPolicy(maximumCount: 0)
}
