#if canImport(Darwin)
/// The transport for Apple platforms: a `URLSession` without cache and cookies.
///
/// - Creating a transport is cheap: its session is created with the first transfer, and invalidated
///   when the transport, its copies and its transfers are released.
/// - There is no cookie jar, no credential store and no cache.
/// - Bodies in encodings that the system supports are decoded; the head stays as the system provides it.
/// - A body that is larger than the window suspends its task until the reader has caught up.
/// - `Content-Length` and `Transfer-Encoding` of a request are those of its body; the request's own
///   fields of these names are dropped.
/// - Fields are as `URLSession` provides them: repeated ones are joined by a comma.
/// - A response of `multipart/x-mixed-replace` fails at its second part, because `URLSession` takes it apart.
/// - A body without a media type is sent as `application/octet-stream`.
/// - ``Request/Timeouts/connect`` is not enforced separately: connecting counts as `firstByte`.
public struct URLSessionTransport: Transport {
  let engine: URLSessionEngine

  /// Creates a transport with a configuration.
  public init(configuration: Configuration) {
    engine = URLSessionEngine(configuration)
  }

  /// Closes the idle connections; the next request opens new ones.
  public func closeIdleConnections() async {
    await engine.closeIdleConnections()
  }
}
#endif
