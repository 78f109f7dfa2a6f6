#if !canImport(Darwin)
/// The transport for Linux: libcurl's multi interface on event-loop threads, see ``Configuration/loops``.
///
/// Connections are kept and shared by all requests of one transport. HTTP/2 is used over TLS if the
/// server supports it.
///
/// - Creating a transport is cheap: its threads and descriptors are created with the first transfers, and
///   released when the transport, its copies and its transfers are.
/// - Only `http` and `https` are supported. There is no cookie jar, no cache and no `.netrc`.
/// - Bodies with up to two of the encodings gzip, deflate, brotli and zstd are decoded, unless the
///   request has its own `Accept-Encoding`; the head stays as it was received. Decoding is limited to a
///   share of each turn of the thread, so that other transfers continue and deadlines are met. A body
///   in an unknown encoding is delivered as received.
/// - A body in an unknown transfer coding ends with its connection, which is not used again; the
///   response is delivered without the field.
/// - `Content-Length` and `Transfer-Encoding` of a request are those of its body.
/// - An `Expect` field is only sent if the request has one.
/// - A request on a kept connection that the server has just closed is sent again on a new one, if
///   nothing was answered.
/// - A request without a response on a kept connection until `firstByte` is sent again on a new one,
///   once and within `total`, if it is idempotent.
/// - A connection on which a request has timed out gets no new ones. It is closed, or left to the
///   requests that still use it until it answers. The same applies to a shared connection that is
///   silent for ten seconds while a response is pending.
/// - A kept connection with HTTP/1.1 that receives bytes before a request is sent is closed. Bytes that
///   arrive later are taken for its response: with HTTP/1.1 they cannot be told apart.
/// - The time that a request waits for a free connection counts towards `connect` and `firstByte`.
///
/// ```swift
/// let transport = CurlTransport { $0.minimumTLS = .v13 }
/// ```
public struct CurlTransport: Transport {
  private let engine: CurlEngine

  /// Creates a transport with the default configuration.
  public init() {
    self.init(configuration: Configuration())
  }

  /// Creates a transport with the default configuration, changed by a closure.
  public init(_ configure: (inout Configuration) -> Void) {
    var configuration = Configuration()
    configure(&configuration)
    self.init(configuration: configuration)
  }

  /// Creates a transport with a configuration.
  public init(configuration: Configuration) {
    engine = CurlEngine(configuration)
  }

  /// Returns a cold transfer of a request.
  public func send(_ request: Request) -> Transfer {
    Transfer(request, isResolved: false, interruption: .byExchange) { [engine] request in
      engine.exchange(request)
    }
  }

  /// Closes the idle connections, and ends each thread as soon as it has no exchange under way.
  ///
  /// It returns after the end of the threads, except of those that are in use. The next request starts a new one.
  public func closeIdleConnections() async {
    await engine.closeIdleConnections()
  }
}
#endif
