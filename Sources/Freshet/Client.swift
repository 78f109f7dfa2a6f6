public import FreshetEssentials

/// A transport, stores and policies behind presets.
///
/// A client is a value; copies share its transport and its stores. Several base URLs, users or
/// policies are several clients. Nothing is global, and nothing happens before the first request.
///
/// ```swift
/// let client = Client { $0.disk = DiskStore(directory: caches) }
/// let logo = try await client.resource(at: url).value
/// ```
public struct Client: Sendable {
  /// The settings, shared by copies, so that a call copies one reference.
  let settings: Settings

  /// The configuration of the client.
  public var configuration: Configuration { settings.configuration }

  /// Makes a client; the closure changes the default configuration.
  public init(_ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration()
    configure(&configuration)
    settings = Settings(configuration)
  }

  /// The configuration and everything that is derived from it, behind one reference.
  final class Settings: Sendable {
    let configuration: Configuration
    let activity: ClientActivity
    let stack: TransportStack
    /// The transport of calls that do not replace any part of it.
    let transport: any Transport
    let defaults: RequestDefaults
    let stages: ClientStages
    let lifecycle: ClientLifecycle
    /// The refreshes that no other client shares.
    let ownRefreshes: Refreshes?
    /// The task that applies the removals of other processes, see ``SharedResourceStore``.
    let removalTask: Task<Void, Never>?

    init(_ configuration: Configuration) {
      self.configuration = configuration
      activity = configuration.activity ?? ClientActivity()
      defaults = RequestDefaults(configuration)
      lifecycle = ClientLifecycle()
      stack = TransportStack(configuration, activity, lifecycle)
      transport = stack.transport()
      ownRefreshes = configuration.refreshes == nil ? Refreshes() : nil
      stages = ClientStages(
        configuration,
        over: stack,
        refreshingIn: configuration.refreshes ?? ownRefreshes,
        of: lifecycle
      )
      removalTask = configuration.applyingRemovals()
      enterStores()
    }

    deinit {
      removalTask?.cancel()
      leaveStores()
    }
  }

  /// The configuration of a client.
  public struct Configuration: Sendable {
    /// The transport that accesses the network; the platform's own by default.
    public var transport: any Transport = DefaultTransport()
    /// The responses that the app ships, which are only read; `nil`, none, by default.
    public var seeds: SeedStore?
    /// The store of responses while the app runs; a store of its own by default, `nil` for none.
    public var memory: MemoryStore? = MemoryStore()
    /// The store of responses across launches; `nil`, none, by default.
    public var disk: DiskStore?
    /// The store that this process shares with others; `nil`, none, by default.
    ///
    /// - It is asked behind ``memory`` and ``disk``, and gets what is downloaded if
    ///   ``ResourcePolicy/persistence`` is `everywhere`. What it finds is kept in ``memory``.
    /// - What other processes remove from it, or invalidate, is removed from ``memory`` and ``disk`` too.
    /// - If it fails, it is a miss.
    public var shared: (any SharedResourceStore)?
    /// The store for the models that calls decode; `nil`, none, by default.
    ///
    /// - Models from `call`, `pages`, `send`, `resource` and `chain` are saved before they are delivered, whatever
    ///   operators are before `decode`, and delivered in their stored form. Other values pass unchanged.
    /// - Models of error responses and of stale copies are not saved.
    /// - A save that fails is the call's failure, ``FreshetError/store(_:)``.
    ///
    /// ```swift
    /// let client = Client { $0.models = ModelStore(directory: support) }
    /// ```
    public var models: (any ModelSaving)?
    /// The largest body that stays in memory while it arrives, in bytes; 1 MiB by default.
    ///
    /// A larger one goes to a file, in the disk store's folder if there is one.
    public var memoryThreshold = 1 << 20
    /// The policy of fetches that pass none.
    public var policy = ResourcePolicy()
    /// The URL to which relative requests and endpoints are appended, see
    /// ``RequestPath/url(base:)``; none by default.
    public var baseURL: URL?
    /// The methods whose parameters go into the query; `GET`, `HEAD`, `DELETE` and `OPTIONS` by default.
    ///
    /// The parameters of all other methods go into a JSON body. It applies to the parameters whose
    /// place a request leaves to its method (``ParameterPlace/automatic``), unless its method, URL
    /// or body has been replaced since.
    public var queryMethods: Set<HTTPMethod> = [.get, .head, .delete, .options]
    /// Query parameters for all requests, such as a key; none by default.
    ///
    /// A request's own parameter replaces the one of the same name. They go to the origin of ``baseURL``
    /// only, if there is one. Further pages get them as well, without a base URL those at the origin of the
    /// first page.
    public var query: ParameterList = [:]
    /// The timeouts of requests that set none; the defaults of ``Request/Timeouts`` by default.
    ///
    /// Each timeout that a request or a call sets replaces the same one here, even if it is set to its
    /// default. ``Request/Timeouts/total`` does not apply to streams, see ``deadline``.
    public var timeouts = Request.Timeouts()
    /// The handling of redirects for requests that set none; by default ten are followed, and none from `https`
    /// to `http`.
    ///
    /// Each property that a request or a call sets replaces the same one here; a policy that is assigned as a
    /// whole, such as ``RedirectPolicy/none``, sets all. ``RedirectPolicy/secretHeaders`` are added.
    ///
    /// ```swift
    /// let client = Client {
    ///   $0.redirects = .none
    ///   $0.limits.bodyBytes = 10 << 20
    /// }
    /// ```
    public var redirects = RedirectPolicy.follow
    /// The limits of responses to requests that set none; the defaults of ``ResponseLimits`` by default.
    ///
    /// Each limit that a request or a call sets replaces the same one here, even if it is set to its default.
    /// ``ResponseLimits/bodyBytes`` does not apply to streams and sockets. Calls that collect their body limit it
    /// to 64 MiB anyway, see ``CallOptions/bodyLimit``.
    public var limits = ResponseLimits()
    /// The longest time of each call, with its redirects, attempts and pauses, its wait for a place, for a
    /// credential and for another process; `nil`, none, by default.
    ///
    /// A shorter ``Request/Timeouts/total`` stays, a longer one is cut. A fetch that asks more than once, to
    /// compare by `HEAD` or to resume a body, has it as a whole, and each page of several has it. It does not
    /// count for what is read as long as it comes: ``Client/stream(_:)`` and
    /// ``Client/events(_:reconnection:)``. The time that stores and stages of your own take is not included.
    public var deadline: Duration?
    /// The kinds of network that requests may use, each of them at most its ``Request/networks``; all of
    /// them by default.
    ///
    /// It has no effect on Linux.
    public var networks = NetworkAccess.all
    /// Header fields for all requests.
    ///
    /// A request's own field replaces the one of the same name, and ``Request/omittedHeaders`` leaves
    /// fields out. If there is a ``baseURL``, credentials (`Authorization`, `Cookie`, and names with
    /// token, secret, password or API key), ``secretHeaders`` and `Host` are only sent to its origin.
    public var headers: HTTPHeaders = [:]
    /// Header fields that are secrets although their names do not show it; none by default.
    ///
    /// They are not sent to another origin, neither after redirects nor for pages. In requests and responses
    /// they are not shown, and those of responses are not written to disk. A description of ``HTTPHeaders``
    /// alone goes by the names only.
    public var secretHeaders: Set<HTTPHeaders.Name> = []
    /// Interceptors that wrap each call, outermost first; empty by default.
    ///
    /// They see a call once, however often it is retried. They are outside of its retries and of
    /// the demo, and inside of ``activity`` and ``diagnostics``. An interceptor that should see
    /// each attempt wraps the transport instead, see
    /// ``Transport/intercepted(by:)-(Interceptor...)``.
    public var interceptors: [any Interceptor] = []
    /// The policy of repeating calls whose ``CallOptions/retry`` is `nil`; `nil`, the default, uses
    /// that of the transport.
    public var retry: RetryPolicy?
    /// The policy of sending a second request when one is slow to answer; `nil`, none, by default.
    public var hedging: HedgingPolicy?
    /// The length from which the body of a request waits until the server wants it (`Expect: 100-continue`, RFC
    /// 9110 section 10.1.1), in bytes; `nil`, the default, always sends it at once.
    ///
    /// A server that refuses the request by its header fields then gets no body. One that does not answer gets it
    /// after a second on Linux, and as `URLSession` decides on Apple platforms. On Linux, a body waits over HTTP/1.1
    /// only, and the response to an expectation that the server does not meet (417) has no body. It applies to bytes,
    /// files, and streams with a length; a request's own `Expect` stays.
    public var expectContinueLength: Int64?
    /// The demo that answers calls instead of the transport; none by default.
    ///
    /// It answers calls with a response of their own (``CallOptions/demo``) and those for which it
    /// has a route. All others are sent by ``transport``.
    public var demo: DemoTransport?
    /// The registry of running calls, for showing and cancelling them, which other clients may share; `nil`,
    /// the default, gives the client one of its own.
    public var activity: ClientActivity?
    /// The background refreshes of stale values that were served as final
    /// (``ResourcePolicy/StaleAnnouncement/servedWhileRefreshing``).
    ///
    /// Clients that share one also share its limits. `nil`, the default, gives this client its own,
    /// which are cancelled when the client is released.
    public var refreshes: Refreshes?
    /// The receiver of diagnostic events of the calls on the network; none by default.
    public var diagnostics: Diagnostics?
    /// The name that separates stored responses for the same URL, such as that of the user who is
    /// signed in; `""` by default.
    public var partition = ""
    /// The registry through which fetches of the same resource share one transfer; one of its own
    /// by default, `nil` for separate transfers.
    public var coalescer: Coalescer? = Coalescer()
    /// A closure that edits the chains of all fetches of the client: it adds, removes or replaces a
    /// stage; `nil`, the default, leaves them unchanged.
    ///
    /// ```swift
    /// let client = Client { $0.editChain = { $0.inserting(AuditStage(), before: .download) } }
    /// ```
    ///
    /// It is called once for each policy, with a chain that has no request yet.
    public var editChain: (@Sendable (FetchChain) -> FetchChain)?
    /// The network for which requests wait (``Request/Timeouts/waitsForConnectivity``); `nil`, the default, is that of
    /// the device, ``Connectivity/system``.
    public var connectivity: Connectivity?
    /// The scheduler that orders the requests to the network; one of its own by default.
    public var scheduler = RequestScheduler()
    /// The clock for pauses, such as between attempts and reconnections, and for other waits; the system's by default.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The generator for the jitter of pauses and for idempotency keys; the system's by default.
    public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    /// The source of the current time; the system's by default.
    public var now: @Sendable () -> Date = { Date() }
  }
}

extension Client {
  /// Fetches a resource: from memory, from disk, validated, or from the network.
  ///
  /// ```swift
  /// for try await event in client.resource(at: url) {
  ///   switch event {
  ///   case .progress(let progress): print(progress.completed)
  ///   case .value(let resource): print(resource.source, resource.freshness)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the resource: an absolute `http` or `https` URL.
  ///   - policy: The policy of the fetch; the client's by default.
  /// - Returns: A cold sequence of events.
  public func resource(at url: URL, policy: ResourcePolicy? = nil) -> ResourceSequence {
    resource(Request(.get, url), policy: policy)
  }

  /// Fetches the resource of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - policy: The policy of the fetch; the client's by default.
  /// - Returns: A cold sequence of events.
  public func resource(_ request: Request, policy: ResourcePolicy? = nil) -> ResourceSequence {
    ResourceSequence(chain: chain(for: request, policy: policy))
  }

  /// The request with its URL resolved and with the client's header fields, timeouts and parameters, where
  /// it has none of its own.
  ///
  /// The response to an endless one is read as long as it arrives.
  func prepared(_ request: Request, isEndless: Bool = false) -> Request {
    var request = request
    let base = settings.configuration.baseURL
    request.placeParameters(byQueryMethods: settings.configuration.queryMethods)
    if let base { request.resolve(against: base) }
    settings.defaults.complete(&request, isEndless: isEndless)
    var headers = settings.configuration.headers
    let secrets = settings.configuration.secretHeaders
    if !secrets.isEmpty { request.redirects.secretHeaders.formUnion(secrets) }
    guard !headers.isEmpty else { return request }
    let leaves = base.map { !$0.hasSameOrigin(as: request.url) } ?? false
    let omitted = request.omittedHeaders
    if leaves { headers = request.redirects.withoutSecrets(headers) }
    if !omitted.isEmpty {
      headers = HTTPHeaders(headers.filter { !omitted.contains($0.name) })
    }
    request.headers = headers.merging(request.headers)
    return request
  }
}
