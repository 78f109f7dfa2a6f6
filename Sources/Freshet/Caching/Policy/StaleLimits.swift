/// How long past its lifetime a stored response is of use.
///
/// Limits never overrule what forbids stale use: the response's `no-cache` and `must-revalidate`, and
/// what the request's own `Cache-Control` asks for.
public struct StaleLimits: Sendable, Hashable {
  /// A copy that has been stale for no longer answers without a validation; zero by default.
  ///
  /// It is what the request's `max-stale` says, for clients that say it once.
  public var unvalidated: Duration
  /// A copy that has been stale for no longer stands in when the network or the server fails; any
  /// copy, `nil`, by default.
  ///
  /// The response's `stale-if-error` may narrow it further (RFC 5861 section 4).
  public var onError: Duration?

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - unvalidated: How long a copy answers without a validation; zero by default.
  ///   - onError: How long it stands in for a failure; `nil`, the default, for ever.
  public init(unvalidated: Duration = .zero, onError: Duration? = nil) {
    self.unvalidated = unvalidated
    self.onError = onError
  }
}
