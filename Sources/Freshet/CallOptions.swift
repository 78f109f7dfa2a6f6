/// The options of a call: of an endpoint, see ``Endpoint/options``, or of one request, see
/// ``Client/send(_:options:)``.
///
/// ```swift
/// var options: CallOptions { CallOptions { $0.timeouts.total = .seconds(10) } }
/// ```
public struct CallOptions: Sendable {
  /// The longest times to wait for a connection, for bytes and for the whole call.
  public var timeouts = Request.Timeouts()
  /// The handling of redirects; that of the client by default, see ``Client/Configuration/redirects``.
  public var redirects: RedirectPolicy = .unset
  /// The limits of the response's headers, body and decompression; those of the client by default.
  public var limits = ResponseLimits()
  /// The priority of the call among those that wait for a connection; normal by default.
  public var priority = Request.Priority.normal
  /// The kinds of network that the call may use, of those that its client may; all of them by default.
  ///
  /// It has no effect on Linux.
  public var networks = NetworkAccess.all
  /// Names by which the call can be identified later; none by default.
  public var tags: Set<String> = []
  /// The client's header fields that the call omits, see ``Client/Configuration/headers``; none by default.
  public var omittedHeaders: Set<HTTPHeaders.Name> = []
  /// The policy of repeating the call; `nil`, the default, uses that of its client.
  ///
  /// It replaces the client's policy and the transport's.
  public var retry: RetryPolicy?
  /// The parts of the request that identify its stored response; the URL alone by default.
  ///
  /// A search by `POST` is stored and found by its body if it is declared safe:
  ///
  /// ```swift
  /// var options: CallOptions {
  ///   CallOptions {
  ///     $0.cacheIdentity = .request()
  ///     $0.useStores { $0.expiry = .after(.seconds(300)) }
  ///   }
  /// }
  /// ```
  public var cacheIdentity = CacheIdentity.url
  /// The policy for answering the call from the client's stores; `nil`, the default, bypasses them.
  ///
  /// It applies to a `GET`, to a `QUERY`, to a request with a ``cacheIdentity`` that includes its body,
  /// and to a `HEAD` with a condition of its own. Other methods bypass the stores. With
  /// ``ResourcePolicy/stale`` the call may have two responses, of which the last is final; of several
  /// pages, each may. A request with `If-None-Match` or `If-Modified-Since` is answered with 304 if that
  /// matches a fresh copy (RFC 9111 section 4.3.2).
  public var cache: ResourcePolicy?
  /// The change that ``useStores(_:)`` makes to the client's policy.
  private(set) var policyChange: (@Sendable (inout ResourcePolicy) -> Void)?

  /// Has the call use the client's stores, with the client's policy, changed by a closure; see ``cache``.
  ///
  /// ```swift
  /// client.send(.get("users/7")) { $0.useStores { $0.stale = .beforeValidation } }
  /// ```
  ///
  /// A ``cache`` that is set takes its place, and is a policy of its own.
  ///
  /// - Parameter change: Changes the client's policy for this call.
  public mutating func useStores(
    _ change: @escaping @Sendable (inout ResourcePolicy) -> Void = { _ in }
  ) {
    policyChange = change
  }

  /// Returns the policy for the client's stores, or `nil` if the call bypasses them.
  func policy(beginningWith clients: ResourcePolicy) -> ResourcePolicy? {
    if let cache { return cache }
    guard let policyChange else { return nil }
    var policy = clients
    policyChange(&policy)
    return policy
  }

  /// The demo's response to the call; `nil`, the default, uses only the demo's own routes.
  ///
  /// It only has an effect in a client with ``Client/Configuration/demo``: that provides the files and the switch.
  /// A client whose transport is a ``DemoTransport`` ignores it.
  public var demo: DemoRoute?
  /// The largest body that is collected, in bytes; 64 MiB by default.
  public var bodyLimit = 64 << 20

  /// A Boolean value that indicates whether a call with these options needs a transport of its own.
  var chooseTransport: Bool { retry != nil || demo != nil }

  /// Makes the default options, changed by a closure.
  public init(_ configure: (inout CallOptions) -> Void = { _ in }) {
    configure(&self)
  }
}
