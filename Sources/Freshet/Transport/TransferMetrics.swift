/// The metrics of one exchange of a request and its response.
///
/// Durations are measured from the start of the exchange. After redirects and retries they are those of
/// the last exchange: the earlier ones, and the pauses between them, are not included.
public struct TransferMetrics: Sendable, Hashable {
  /// The time until the host's address was resolved.
  public var nameLookup: Duration
  /// The time until the connection was established.
  public var connect: Duration
  /// The time until the TLS handshake was complete; `nil` without TLS or on a reused connection.
  public var tls: Duration?
  /// The time until the first byte of the response.
  public var firstByte: Duration
  /// The time until the last byte of the response, without the redirects before it.
  public var total: Duration
  /// The size of the request's body that was sent, in bytes.
  public var bytesSent: Int64
  /// The size of the response's body as received, before decoding, in bytes.
  public var bytesReceived: Int64
  /// The name of the protocol: `http/1.0`, `http/1.1`, `h2` or `h3`.
  public var networkProtocol: String
  /// A Boolean value that indicates whether the connection had been used before.
  public var reusedConnection: Bool

  /// Creates metrics; everything is zero by default.
  public init(
    nameLookup: Duration = .zero,
    connect: Duration = .zero,
    tls: Duration? = nil,
    firstByte: Duration = .zero,
    total: Duration = .zero,
    bytesSent: Int64 = 0,
    bytesReceived: Int64 = 0,
    networkProtocol: String = "http/1.1",
    reusedConnection: Bool = false
  ) {
    self.nameLookup = nameLookup
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.total = total
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
    self.networkProtocol = networkProtocol
    self.reusedConnection = reusedConnection
  }
}
