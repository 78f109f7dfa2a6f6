/// How a call is made, apart from what it asks for: an endpoint's, see ``Endpoint/options``, or that of
/// one request, see ``Client/send(_:options:)``.
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
  /// The client's header fields that the call goes without, see ``Client/Configuration/headers``;
  /// none by default.
  public var omittedHeaders: Set<HTTPHeaders.Name> = []
  /// When the call is made again; as its client says, by default.
  ///
  /// It takes the place of the client's policy and of the transport's.
  public var retry: RetryPolicy?
  /// How a `GET` goes through the client's stores, and a `HEAD` with a condition of its own; past them
  /// by default.
  ///
  /// With ``ResourcePolicy/stale`` the call may have two responses, of which the last is final. A
  /// request with `If-None-Match` or `If-Modified-Since` is answered with 304 by a fresh copy that it
  /// names (RFC 9111 section 4.3.2). Other methods go past the stores, and so do pages.
  public var cache: ResourcePolicy?
  /// What answers the call where the client has a demo, see ``Client/Configuration/demo``; only
  /// the demo's own routes by default.
  public var demo: DemoRoute?
  /// The largest body that is collected, in bytes; 64 MiB by default.
  public var bodyLimit = 64 << 20

  /// Whether a call with these needs a transport of its own.
  var chooseTransport: Bool { retry != nil || demo != nil }

  /// Makes the default options, changed by a closure.
  public init(_ configure: (inout CallOptions) -> Void = { _ in }) {
    configure(&self)
  }
}
