/// What a transfer took; durations count from its start, the last hop's after redirects.
public struct TransferMetrics: Sendable, Hashable {
  /// Until the host's address was known.
  public var nameLookup: Duration
  /// Until the connection stood.
  public var connect: Duration
  /// Until TLS was agreed on; `nil` without TLS or on a reused connection.
  public var tls: Duration?
  /// Until the response's first byte.
  public var firstByte: Duration
  /// Until the last byte.
  public var total: Duration
  /// The bytes of the request's body.
  public var bytesSent: Int64
  /// The bytes of the response's body as received, before decoding.
  public var bytesReceived: Int64
  /// The protocol's name: `http/1.0`, `http/1.1`, `h2` or `h3`.
  public var networkProtocol: String
  /// Whether the connection had been used before.
  public var reusedConnection: Bool

  /// Makes metrics; everything is zero by default.
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
