public import Foundation

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
  /// Shared by copies, so that a call copies one reference.
  let settings: Settings

  /// What the client is made of.
  public var configuration: Configuration { settings.configuration }

  /// Makes a client; the closure changes the default configuration.
  public init(_ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration()
    configure(&configuration)
    settings = Settings(configuration)
  }

  /// The configuration and what is made of it once, behind one reference.
  final class Settings: Sendable {
    let configuration: Configuration
    let activity: ClientActivity
    let stack: TransportStack
    /// The transport of calls that choose nothing of it.
    let transport: any Transport
    /// The same, from which the stores learn nothing.
    let plainTransport: any Transport
    let stages: ClientStages

    init(_ configuration: Configuration) {
      self.configuration = configuration
      activity = ClientActivity(configuration.activity)
      stack = TransportStack(configuration, activity)
      plainTransport = stack.transport()
      transport = configuration.invalidating(plainTransport)
      stages = ClientStages(
        configuration,
        over: transport,
        refreshingIn: configuration.refreshes ?? Refreshes()
      )
    }
  }

  /// What a client is made of.
  public struct Configuration: Sendable {
    /// What touches the network; the platform's own by default.
    public var transport: any Transport = DefaultTransport()
    /// Responses that the app ships, which are only read; `nil`, none, by default.
    public var seeds: SeedStore?
    /// Where responses are kept while the app runs; a store of its own by default, `nil` for none.
    public var memory: MemoryStore? = MemoryStore()
    /// Where responses are kept for ever; `nil`, none, by default.
    public var disk: DiskStore?
    /// The largest body that stays in memory while it arrives, in bytes; 1 MiB by default.
    ///
    /// A larger one goes to a file, in the disk store's folder if there is one.
    public var memoryThreshold = 1 << 20
    /// What is done unless a call says otherwise.
    public var policy = ResourcePolicy()
    /// What relative requests and endpoints are appended to, see ``RequestPath/url(base:)``; none by
    /// default.
    public var baseURL: URL?
    /// The methods whose parameters go into the query; `GET`, `HEAD`, `DELETE` and `OPTIONS` by default.
    ///
    /// Those of all other methods go into a JSON body. It places the parameters that a request leaves to its method
    /// (``ParameterPlace/automatic``), unless its method, URL or body has been replaced since.
    public var queryMethods: Set<HTTPMethod> = [.get, .head, .delete, .options]
    /// Header fields for all requests.
    ///
    /// A request's own field replaces the one of the same name, and ``Request/omittedHeaders``
    /// leaves fields out. Of those that carry credentials (`Authorization`, `Cookie`, and names with
    /// token, secret, password or API key), of ``secretHeaders`` and of `Host`, none goes to another
    /// origin than that of ``baseURL``, if there is one.
    public var headers: HTTPHeaders = [:]
    /// Header fields that are secrets although their names do not say so: they go to no other origin,
    /// be it by redirects or by pages, and are not shown; none by default.
    public var secretHeaders: Set<HTTPHeaders.Name> = []
    /// What stands around each call as a whole: outside of its retries and of the demo, and inside of
    /// ``activity`` and ``diagnostics``; nothing by default.
    ///
    /// The first is outermost. What shall see each attempt belongs around the transport, see
    /// ``Transport/intercepted(by:)-(Interceptor...)``.
    public var interceptors: [any Interceptor] = []
    /// When calls are made again, unless their ``CallOptions/retry`` says otherwise; as the transport
    /// does, by default.
    public var retry: RetryPolicy?
    /// What answers calls in the place of the transport, those that name an answer
    /// (``CallOptions/demo``) and those that it has a route for; nothing by default.
    public var demo: DemoTransport?
    /// Where the calls on the network are seen and ended, which other clients may share; `nil`, the
    /// default, for ``Client/activity`` as soon as that is read.
    public var activity: Activity?
    /// What goes on behind values that are served stale
    /// (``ResourcePolicy/StaleAnnouncement/servedWhileRefreshing``), which other clients may share;
    /// `nil`, the default, for refreshes of the client's own, which end with it.
    public var refreshes: Refreshes?
    /// Who is told what happens to the calls on the network; nobody by default.
    public var diagnostics: Diagnostics?
    /// What separates stored responses for the same URL, such as the name of the user who is signed
    /// in; `""` by default.
    public var partition = ""
    /// The registry through which fetches of the same thing share one transfer; one of its own by
    /// default, `nil` for a transfer each.
    public var coalescer: Coalescer? = Coalescer()
    /// Edits the chains of all fetches of the client: adds a stage, leaves one out, replaces one; `nil`,
    /// the default, for the chains as they are.
    ///
    /// ```swift
    /// let client = Client { $0.editChain = { $0.inserting(AuditStage(), before: .download) } }
    /// ```
    ///
    /// It is called once for each policy, with a chain that has no request yet.
    public var editChain: (@Sendable (FetchChain) -> FetchChain)?
    /// In which order requests go to the network; a scheduler of its own by default.
    public var scheduler = RequestScheduler()
    /// What pauses between attempts are waited on; the system's by default.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// What the shares of pauses and the idempotency keys are drawn from; the system's by default.
    public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    /// The time; the system's by default.
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
  ///   case .value(let resource): print(resource.origin, resource.freshness)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - url: Where the resource is: an absolute `http` or `https` URL.
  ///   - policy: How it is fetched; the client's by default.
  /// - Returns: A cold sequence of events.
  public func resource(at url: URL, policy: ResourcePolicy? = nil) -> ResourceSequence {
    resource(Request(.get, url), policy: policy)
  }

  /// Fetches the resource that a request describes.
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - policy: How it is fetched; the client's by default.
  /// - Returns: A cold sequence of events.
  public func resource(_ request: Request, policy: ResourcePolicy? = nil) -> ResourceSequence {
    ResourceSequence(chain: chain(for: request, policy: policy))
  }

  /// The request with its URL resolved and with the client's header fields, where it has none of its
  /// own.
  func prepared(_ request: Request) -> Request {
    let base = settings.configuration.baseURL
    var request =
      request
      .placingParameters(byQueryMethods: settings.configuration.queryMethods)
      .resolved(against: base)
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
