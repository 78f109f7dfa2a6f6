#if canImport(Darwin)
/// The transport of Apple's platforms: a `URLSession` without cache and cookies.
///
/// - Making one costs nothing: its session comes with the first transfer, and is invalidated when
///   the transport, its copies and its transfers are gone.
/// - There is no cookie jar, no credential store and no cache.
/// - Bodies in encodings that the system knows are decoded; the head stays as the system shows it.
/// - A body that is larger than the window suspends its task until the reader has caught up.
/// - `Content-Length` and `Transfer-Encoding` of a request are those of its body; the request's
///   own fields of these names are dropped.
/// - Fields are as `URLSession` keeps them: repeated ones arrive joined by a comma.
/// - ``Request/Timeouts/connect`` is not kept apart: the connection counts as `firstByte`.
public struct URLSessionTransport: Transport {
  private let engine: URLSessionEngine

  /// Makes a transport with the default configuration.
  public init() {
    self.init(configuration: Configuration())
  }

  /// Makes a transport whose configuration differs from the default.
  public init(_ configure: (inout Configuration) -> Void) {
    var configuration = Configuration()
    configure(&configuration)
    self.init(configuration: configuration)
  }

  /// Makes a transport.
  public init(configuration: Configuration) {
    engine = URLSessionEngine(configuration)
  }

  /// Describes the transfer of a request.
  public func send(_ request: Request) -> Transfer {
    Transfer(request) { [engine] request in engine.exchange(request) }
  }
}
#endif
