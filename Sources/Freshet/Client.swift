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
  /// What the client is made of.
  public let configuration: Configuration

  /// Makes a client; the closure changes the default configuration.
  public init(_ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration()
    configure(&configuration)
    self.configuration = configuration
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
    /// What relative requests and endpoints are appended to; none by default.
    public var baseURL: URL?
    /// Header fields for all requests; a request's own field replaces the one of the same name.
    public var headers: HTTPHeaders = [:]
    /// What separates stored responses for the same URL, such as the name of the user who is signed
    /// in; `""` by default.
    public var partition = ""
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
    ResourceSequence(prepared(request), policy: policy ?? configuration.policy, client: self)
  }

  /// The transport for what a store may not answer: it keeps the stores right about what passes.
  var coherentTransport: any Transport {
    var sources: [any ResourceSource] = []
    if let seeds = configuration.seeds { sources.append(seeds) }
    if let memory = configuration.memory { sources.append(memory) }
    if let disk = configuration.disk { sources.append(disk) }
    guard !sources.isEmpty else { return configuration.transport }
    return CoherentTransport(
      base: configuration.transport,
      sources: sources,
      partition: configuration.partition,
      now: configuration.now
    )
  }

  /// The request with its URL resolved and with the client's header fields, where it has none of its
  /// own.
  func prepared(_ request: Request) -> Request {
    guard !configuration.headers.isEmpty || request.url.scheme == nil else { return request }
    var request = request
    request.url = RelativeURL.resolve(request.url, against: configuration.baseURL)
    request.headers = configuration.headers.merging(request.headers)
    return request
  }
}
