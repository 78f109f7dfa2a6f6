/// How a call is made, apart from what it asks for.
///
/// ```swift
/// var options: CallOptions { CallOptions { $0.timeouts.total = .seconds(10) } }
/// ```
public struct CallOptions: Sendable {
  /// How long to wait for what.
  public var timeouts = Request.Timeouts()
  /// What to do about redirects.
  public var redirects = RedirectPolicy.follow
  /// What the response may cost.
  public var limits = ResponseLimits()
  /// How the call ranks among those that wait for a connection.
  public var priority = Request.Priority.normal
  /// Names under which the call can be found again.
  public var tags: Set<String> = []
  /// The largest body that is collected, in bytes; 64 MiB by default.
  public var bodyLimit = 64 << 20

  /// Makes the default options, changed by a closure.
  public init(_ configure: (inout CallOptions) -> Void = { _ in }) {
    configure(&self)
  }
}
