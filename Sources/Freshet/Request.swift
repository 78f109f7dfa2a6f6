public import FreshetEssentials

/// A value that describes one request and sends nothing.
///
/// ```swift
/// var request = try Request("https://example.org/logo.png")
/// request.headers[.accept] = "image/png"
/// request.timeouts.total = .seconds(20)
/// ```
public struct Request: Sendable {
  /// The method; `GET` by default.
  public var method: HTTPMethod {
    get { content.fields.method }
    set { replace { $0.method = newValue } }
  }
  /// The URL of the request: an absolute `http` or `https` URL.
  ///
  /// It is relative until a request such as `.get("users")` is resolved against its client's base URL.
  public var url: URL {
    get { content.fields.target.url }
    set { replace { $0.target = .url(newValue) } }
  }
  /// The header fields of this request only.
  public var headers: HTTPHeaders {
    get { content.fields.headers }
    set { fields.headers = newValue }
  }
  /// The body, if any.
  public var body: RequestBody? {
    get { content.fields.body }
    set { replace { $0.body = newValue } }
  }
  /// The longest times to wait for a connection, for bytes and for the whole call.
  public var timeouts: Timeouts {
    get { content.fields.timeouts }
    set { fields.timeouts = newValue }
  }
  /// The handling of redirects; that of the client by default, see ``Client/Configuration/redirects``.
  public var redirects: RedirectPolicy {
    get { content.fields.redirects }
    set { fields.redirects = newValue }
  }
  /// The limits of the response's headers, body and decompression; those of the client by default.
  public var limits: ResponseLimits {
    get { content.fields.limits }
    set { fields.limits = newValue }
  }
  /// The priority of the request among those that wait for a connection; normal by default.
  public var priority: Priority {
    get { content.fields.priority }
    set { fields.priority = newValue }
  }
  /// The kinds of network that the request may use, of those that its client may; all of them by default.
  ///
  /// It has no effect on Linux.
  public var networks: NetworkAccess {
    get { content.fields.networks }
    set { fields.networks = newValue }
  }
  /// Names by which the request, and its stored responses, can be identified.
  public var tags: Set<String> {
    get { content.fields.tags }
    set { fields.tags = newValue }
  }
  /// The client's header fields that this request omits, see ``Client/Configuration/headers``; none
  /// by default.
  public var omittedHeaders: Set<HTTPHeaders.Name> {
    get { content.fields.omittedHeaders }
    set { fields.omittedHeaders = newValue }
  }
  /// The parts of the request that identify its stored response; the URL alone by default.
  public var cacheIdentity: CacheIdentity {
    get { content.fields.cacheIdentity }
    set { fields.cacheIdentity = newValue }
  }

  private var content: Content
  /// A Boolean value that indicates whether the call has a retry policy of its own, which replaces
  /// the transport's.
  var hasOwnRetries = false
  /// The way in which the response is read.
  var reading = Reading.streamed
  /// A Boolean value that indicates whether no connection is used that is there already.
  var wantsNewConnection = false
  /// A Boolean value that indicates whether the response to the `HEAD` changes no stored one, see
  /// ``Transport/invalidating(_:coalescer:partition:now:)``: a fetch stores it itself, or it is
  /// about another representation.
  var changesNoStore = false
  /// The longest message of the WebSocket that the request opens, in bytes; `nil` for others.
  var messageBytes: Int?
  /// A Boolean value that indicates whether nothing may be sent over another version than HTTP/2.
  var requiresHTTP2 = false
  /// The reason why a transport that negotiates the version with TLS cannot send the request; `nil` if it can.
  var versionProblem: String? {
    guard requiresHTTP2, url.scheme?.lowercased() != "https" else { return nil }
    return "options.requiresHTTP2 needs a URL with https"
  }
  /// The source of the credentials for a proxy, if an authenticator provides them.
  var proxyAuthentication: ProxyAuthentication?
  /// The call to which the request belongs, once that has begun.
  var scope: CallScope?
  /// The call by which others see the request and end it, while it is under way.
  var call: TrackedCall?

  /// Makes a request; its URL and headers are checked when it is sent.
  public init(
    _ method: HTTPMethod,
    _ url: URL,
    headers: HTTPHeaders = [:],
    body: RequestBody? = nil
  ) {
    self.init(method, target: .url(url), headers: headers, body: body)
  }

  init(_ method: HTTPMethod, target: RequestTarget, headers: HTTPHeaders, body: RequestBody?) {
    content = Content(Fields(method: method, target: target, headers: headers, body: body))
  }

  /// Makes a `GET`; its URL and headers are checked when it is sent.
  public init(_ url: URL, headers: HTTPHeaders = [:]) {
    self.init(.get, url, headers: headers)
  }
}

// MARK: - Content

extension Request {
  /// The properties of a request; a request is often copied, and rarely changed.
  private struct Fields: Sendable {
    var method: HTTPMethod
    var target: RequestTarget
    var headers: HTTPHeaders
    var body: RequestBody?
    var timeouts = Timeouts()
    var redirects = RedirectPolicy.unset
    var limits = ResponseLimits()
    var priority = Priority.normal
    var networks = NetworkAccess.all
    var tags: Set<String> = []
    var omittedHeaders: Set<HTTPHeaders.Name> = []
    var cacheIdentity = CacheIdentity.url
    var automatic: AutomaticParameters?
    var storedTypes: ContentTypes?
    var isError: (@Sendable (Response<Data>) -> Bool)?
  }

  /// The fields behind one reference, so that copying a request copies that.
  private final class Content: Sendable {
    let fields: Fields
    /// The key for limits per host, once it is needed.
    let host = LazyReference<HostKey>()

    init(_ fields: Fields) {
      self.fields = fields
    }
  }

  private var fields: Fields {
    get { content.fields }
    set { content = Content(newValue) }
  }

  /// Changes what parameters were placed for: where they are stays so.
  private mutating func replace(_ change: (inout Fields) -> Void) {
    var changed = fields
    change(&changed)
    changed.automatic = nil
    fields = changed
  }

  /// The key for limits per host; computed once for all copies.
  var host: HostKey { content.host.load() ?? content.host.storeIfNil(HostKey(url)) }

  var target: RequestTarget {
    get { content.fields.target }
    set { fields.target = newValue }
  }

  /// The parameters whose place a client may choose; `nil` once their method, URL or body has been
  /// replaced.
  var automatic: AutomaticParameters? {
    get { content.fields.automatic }
    set { fields.automatic = newValue }
  }

  /// The media types that a successful response must have to be stored; `nil` for any.
  var storedTypes: ContentTypes? { content.fields.storedTypes }

  /// A predicate that decides which successful responses are errors, and not stored; `nil` for none.
  var isError: (@Sendable (Response<Data>) -> Bool)? { content.fields.isError }

  /// Returns the request with the options that a request has, and with ``storedTypes`` and ``isError``.
  func with(
    _ options: CallOptions,
    storing types: ContentTypes = .any,
    unless isError: (@Sendable (Response<Data>) -> Bool)? = nil
  ) -> Request {
    var request = self
    var fields = fields
    fields.timeouts = options.timeouts
    fields.redirects = options.redirects
    fields.limits = options.limits
    fields.priority = options.priority
    fields.networks = options.networks
    fields.tags = options.tags
    fields.omittedHeaders = options.omittedHeaders
    fields.cacheIdentity = options.cacheIdentity
    fields.storedTypes = types == .any ? nil : types
    fields.isError = isError
    request.fields = fields
    return request
  }
}

extension Request {
  /// A Boolean value that indicates whether the request makes its connection one of another protocol, whose
  /// bytes are the bodies of the request and of a response with status 101 (RFC 9110 section 7.8).
  var isUpgrade: Bool { messageBytes != nil }
}

// MARK: - Choices

extension Request {
  /// The priority of a request among those that wait.
  public enum Priority: Int, Sendable, Comparable {
    /// Work in the background, such as prefetching.
    case low
    /// The default.
    case normal
    /// Work with a visible result.
    case high

    /// Returns a Boolean value that indicates whether the left priority is lower.
    public static func < (left: Self, right: Self) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// The longest times that a request waits; `nil` sets no limit.
  public struct Timeouts: Sendable, Hashable, RequestChoices {
    /// The time for name lookup, connection and TLS together; 30 seconds by default.
    public var connect: Duration? = .seconds(30) { didSet { choices.insert(.connect) } }
    /// The time for the response's head, for each hop: since the request's start, or since the last
    /// byte of its body was taken by the system's buffers; 60 seconds by default.
    ///
    /// Each of the first 32 interim responses, such as 102, starts it again. Parts of a head do not.
    ///
    /// On Linux, an idempotent request that a kept connection has not answered by then is sent once more, on
    /// a new connection and with the same time, so that it may take twice as long.
    public var firstByte: Duration? = .seconds(60) { didSet { choices.insert(.firstByte) } }
    /// The time between two arrivals of bytes, while the reader keeps up; 60 seconds by default.
    public var idle: Duration? = .seconds(60) { didSet { choices.insert(.idle) } }
    /// The time for the whole call with its redirects, up to the last byte; unlimited by default.
    public var total: Duration? { didSet { choices.insert(.total) } }
    /// A Boolean value that indicates whether a request waits while the device has no network, instead of failing;
    /// `false` by default.
    ///
    /// - Each attempt waits, so that retries, batches and event streams pause offline and continue by themselves.
    ///   An attempt that reaches no server because the network goes offline waits again.
    /// - The other timeouts do not run meanwhile.
    /// - Requests to this host (`localhost`, 127.0.0.0/8, `::1`) do not wait.
    /// - ``TransferEvent/waitingForConnectivity``, ``ClientActivity/Call/isWaitingForConnectivity`` and
    ///   diagnostics tell about it.
    ///
    /// See ``Connectivity/system`` for what counts as a network.
    public var waitsForConnectivity = false { didSet { choices.insert(.waiting) } }
    /// The longest time of each wait for the network; unlimited by default.
    public var connectivity: Duration? { didSet { choices.insert(.connectivity) } }
    /// The timeouts that were set, which a client does not replace.
    var choices = Choices<Property>()

    /// Makes the default timeouts, changed by a closure.
    public init(_ configure: (inout Timeouts) -> Void = { _ in }) {
      configure(&self)
    }
  }
}

// MARK: - Default timeouts

extension Request.Timeouts {
  enum Property: UInt8, CaseIterable {
    case connect = 1
    case firstByte = 2
    case idle = 4
    case total = 8
    case waiting = 16
    case connectivity = 32
  }

  mutating func take(_ property: Property, from other: Self) {
    switch property {
    case .connect: connect = other.connect
    case .firstByte: firstByte = other.firstByte
    case .idle: idle = other.idle
    case .total: total = other.total
    case .waiting: waitsForConnectivity = other.waitsForConnectivity
    case .connectivity: connectivity = other.connectivity
    }
  }
}
