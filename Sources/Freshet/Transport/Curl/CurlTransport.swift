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
/// - The time that a request waits for a free connection counts towards `firstByte`,
///   not towards `connect`.
///
/// ```swift
/// let transport = CurlTransport { $0.minimumTLS = .v13 }
/// ```
public struct CurlTransport: Transport {
  let engine: CurlEngine

  /// Creates a transport with a configuration.
  public init(configuration: Configuration) {
    engine = CurlEngine(configuration)
  }

  /// The executor of the event loops, for tasks that mostly send requests over this transport.
  ///
  /// A task that prefers it runs on the thread of a loop: it sends a request and reads the response without
  /// a thread switch. <doc:OnAServer> has an example and figures.
  ///
  /// - The nonisolated code of the task runs there, and so do its children and actors that have no executor
  ///   of their own (SE-0417). Unstructured tasks do not.
  /// - Code that blocks, or computes for long, stops the other requests of its loop, whose timeouts continue.
  ///   Callers that do not prefer it can block without this effect.
  /// - With several ``Configuration/loops``, tasks begin on the loops in turn. A task that waits for a
  ///   request continues on the loop of that request.
  /// - Jobs run in the order of their arrival, whatever their priority. The sockets are polled at least
  ///   after each 16 batches of jobs.
  /// - The thread of a loop blocks all signals. A process that a job starts inherits that, unless it is
  ///   started with a signal mask of its own.
  /// - A task that prefers it keeps the loops running, even if the transport is released.
  public var taskExecutor: any TaskExecutor { engine }

  /// Closes the idle connections, forgets the looked up addresses, and ends each thread as soon as it has no
  /// exchange under way.
  ///
  /// - It returns after the end of the threads, except of those that are in use. The next request starts a new one.
  /// - A connection in use is closed after its last exchange.
  /// - The servers see the end of an idle connection at once, even if its thread is in use. Its descriptor is
  ///   closed with the thread then.
  public func closeIdleConnections() async {
    await engine.closeIdleConnections()
  }
}
#endif
