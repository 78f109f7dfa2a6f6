#if os(Linux)
/// The transport of Linux: libcurl's multi interface on one event-loop thread.
///
/// Connections are kept and shared by all requests of one transport; HTTP/2 is used where the
/// server agrees to it over TLS.
///
/// - Making one costs nothing: its thread and descriptors come with the first transfer, and go
///   when the transport, its copies and its transfers are gone.
/// - Only `http` and `https` are spoken. There is no cookie jar, no cache and no `.netrc`.
/// - Bodies encoded with gzip, deflate, brotli or zstd, or with two of them, are decoded, unless the
///   request has an `Accept-Encoding` of its own; the head stays as it was received. Decoding takes a
///   share of each turn of the thread, so that other transfers go on and deadlines are kept. A body in
///   a coding that is not known is delivered as it came.
/// - A body in a transfer coding that is not known ends with its connection, which is not used again;
///   the response is delivered without the field.
/// - `Content-Length` and `Transfer-Encoding` of a request are those of its body.
/// - An `Expect` field is only sent if the request has one.
/// - A request that meets a kept connection that its server has just closed is sent again on a
///   new one, if nothing has been answered.
/// - A request that waits for its response on a kept connection until `firstByte` is sent again on a new
///   one, once and within `total`, if it is idempotent.
/// - A connection on which a request has waited in vain gets no new ones. It is closed, or left to the
///   requests that still use it until it answers. The same holds for a shared connection that is silent
///   for ten seconds while a response is waited for.
/// - A kept connection with HTTP/1.1 on which bytes have come before a request is sent is closed. Bytes
///   that come after it are taken for its answer: HTTP/1.1 cannot tell.
/// - The time a request waits for a free connection counts as `connect` and `firstByte`.
///
/// ```swift
/// let transport = CurlTransport { $0.minimumTLS = .v13 }
/// ```
public struct CurlTransport: Transport {
  private let engine: CurlEngine

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
    engine = CurlEngine(configuration)
  }

  /// Describes the transfer of a request.
  public func send(_ request: Request) -> Transfer {
    Transfer(request) { [engine] request in engine.exchange(request) }
  }
}
#endif
