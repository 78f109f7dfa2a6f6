public import Foundation
import Synchronization

/// What is wanted: a value that describes one request and sends nothing.
///
/// ```swift
/// var request = try Request("https://example.org/logo.png")
/// request.headers[.accept] = "image/png"
/// request.timeouts.total = .seconds(20)
/// ```
public struct Request: Sendable {
  /// The method; `GET` unless told otherwise.
  public var method: HTTPMethod {
    get { content.fields.method }
    set {
      var changed = fields
      changed.method = newValue
      changed.automatic = nil
      fields = changed
    }
  }
  /// Where the request goes: an absolute `http` or `https` URL.
  ///
  /// It is relative as long as a request such as `.get("users")` waits for its client's base URL.
  public var url: URL {
    get { content.fields.target.url }
    set {
      var changed = fields
      changed.target = .url(newValue)
      changed.automatic = nil
      fields = changed
    }
  }
  /// The header fields of this request and of no other.
  public var headers: HTTPHeaders {
    get { content.fields.headers }
    set { fields.headers = newValue }
  }
  /// What the request carries, if anything.
  public var body: RequestBody? {
    get { content.fields.body }
    set {
      var changed = fields
      changed.body = newValue
      changed.automatic = nil
      fields = changed
    }
  }
  /// How long to wait for what.
  public var timeouts: Timeouts {
    get { content.fields.timeouts }
    set { fields.timeouts = newValue }
  }
  /// What to do about redirects.
  public var redirects: RedirectPolicy {
    get { content.fields.redirects }
    set { fields.redirects = newValue }
  }
  /// What the response may cost.
  public var limits: ResponseLimits {
    get { content.fields.limits }
    set { fields.limits = newValue }
  }
  /// How the request ranks among those that wait for a connection.
  public var priority: Priority {
    get { content.fields.priority }
    set { fields.priority = newValue }
  }
  /// Names under which the request, and what is stored of it, can be found again.
  public var tags: Set<String> {
    get { content.fields.tags }
    set { fields.tags = newValue }
  }
  /// The client's header fields that this request goes without, see
  /// ``Client/Configuration/headers``; none by default.
  public var omittedHeaders: Set<HTTPHeaders.Name> {
    get { content.fields.omittedHeaders }
    set { fields.omittedHeaders = newValue }
  }
  /// What of the request its stored response belongs to; the URL alone, by default.
  public var cacheIdentity: CacheIdentity {
    get { content.fields.cacheIdentity }
    set { fields.cacheIdentity = newValue }
  }

  private var content: Content
  /// Whether the call has a retry policy of its own, so that the transport's does not count.
  var hasOwnRetries = false
  /// Whether who reads the response wants it whole, so that a part of it may come late or not at all.
  var isCollected = false
  /// A Boolean value that indicates whether a fetch asks about a copy by it, and stores the answer itself.
  var isRevalidation = false
  /// The call that the request is a part of, once that has begun.
  var scope: CallScope?

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
  /// What a request says; each layer that a fetch passes copies a request, and few change one.
  private struct Fields: Sendable {
    var method: HTTPMethod
    var target: RequestTarget
    var headers: HTTPHeaders
    var body: RequestBody?
    var timeouts = Timeouts()
    var redirects = RedirectPolicy.follow
    var limits = ResponseLimits()
    var priority = Priority.normal
    var tags: Set<String> = []
    var omittedHeaders: Set<HTTPHeaders.Name> = []
    var cacheIdentity = CacheIdentity.url
    var automatic: AutomaticParameters?
  }

  /// The fields behind one reference, so that a request is copied like one.
  private final class Content: Sendable {
    let fields: Fields
    /// What limits per host count by, in the same words for all who ask; 0 while nobody has.
    let hostNumber = Atomic<Int>(0)

    init(_ fields: Fields) {
      self.fields = fields
    }
  }

  private var fields: Fields {
    get { content.fields }
    set { content = Content(newValue) }
  }

  /// What limits per host count by; computed once for all copies.
  var host: HostKey {
    let known = content.hostNumber.load(ordering: .relaxed)
    guard known == 0 else { return HostKey(number: known) }
    let host = HostKey(url)
    content.hostNumber.store(host.number, ordering: .relaxed)
    return host
  }

  var target: RequestTarget {
    get { content.fields.target }
    set { fields.target = newValue }
  }

  /// The parameters that a client may place otherwise; `nil` once their method, URL or body has been
  /// replaced.
  var automatic: AutomaticParameters? {
    get { content.fields.automatic }
    set { fields.automatic = newValue }
  }

  /// The request with what of the options a request has.
  func with(_ options: CallOptions) -> Request {
    var request = self
    var fields = fields
    fields.timeouts = options.timeouts
    fields.redirects = options.redirects
    fields.limits = options.limits
    fields.priority = options.priority
    fields.tags = options.tags
    fields.omittedHeaders = options.omittedHeaders
    request.fields = fields
    return request
  }
}

// MARK: - Choices

extension Request {
  /// How a request ranks among those that wait.
  public enum Priority: Int, Sendable, Comparable {
    /// Work that nobody waits for, such as prefetching.
    case low
    /// The default.
    case normal
    /// Work that somebody looks at.
    case high

    /// Whether the left priority is lower.
    public static func < (left: Self, right: Self) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// How long a request waits; `nil` waits for ever.
  public struct Timeouts: Sendable, Hashable {
    /// For name lookup, connection and TLS together; 30 seconds by default.
    public var connect: Duration? = .seconds(30)
    /// For the response's head, each hop for itself: since the request's start, or since the last
    /// byte of its body was taken; 60 seconds by default.
    public var firstByte: Duration? = .seconds(60)
    /// Between two arrivals of bytes, while the reader keeps up; 60 seconds by default.
    public var idle: Duration? = .seconds(60)
    /// For the whole call with its redirects, up to the last byte; unlimited by default.
    public var total: Duration?

    /// Makes the default timeouts, changed by a closure.
    public init(_ configure: (inout Timeouts) -> Void = { _ in }) {
      configure(&self)
    }
  }
}
