/// The limits on the use of stored responses past their lifetime.
///
/// Limits never overrule a directive that forbids stale use: the response's `no-cache` and
/// `must-revalidate`, and the request's own `Cache-Control`.
public struct StaleLimits: Sendable, Hashable {
  /// The longest time past its lifetime for which a copy answers without a validation; zero by
  /// default.
  ///
  /// It has the effect of `max-stale` in every request.
  public var unvalidated: Duration
  /// The longest time past its lifetime for which a copy replaces a failure of the network or the
  /// server; `nil`, the default, sets no limit.
  ///
  /// The response's `stale-if-error` may narrow it further (RFC 5861 section 4).
  public var onError: Duration?

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - unvalidated: The time for which a copy answers without a validation; zero by default.
  ///   - onError: The time for which it replaces a failure; `nil`, the default, sets no limit.
  public init(unvalidated: Duration = .zero, onError: Duration? = nil) {
    self.unvalidated = unvalidated
    self.onError = onError
  }
}
