public import FreshetEssentials

/// The certificates by which a server proves which host it is, for a decision of the app's.
///
/// ```swift
/// let transport = DefaultTransport {
///   $0.decideTrust = { server in server.problem == nil || server.key == known }
/// }
/// ```
///
/// The decision comes on top: the host's name, the certificates' dates and signatures, and
/// ``ServerPins`` are still checked.
///
/// - `false` refuses a server that is trusted otherwise: ``FreshetError/insecure(_:url:)``, before
///   anything of the request has been sent.
/// - `true` accepts a server whose authority is not known. The last certificate of its chain stands in
///   for the authority, for this connection only. A weak key or digest, an expired certificate and any
///   other problem are still refused.
public struct ServerTrust: Sendable, Hashable {
  /// The decision about a server, made for each new connection.
  ///
  /// It is called on a thread of the transport's, which does nothing else meanwhile: it must return
  /// soon. What a user has to be asked for is refused at first, and kept for the next time.
  public typealias Decision = @Sendable (ServerTrust) -> Bool

  /// The host that is asked.
  public let host: String
  /// The certificates in DER, the server's own first.
  public let certificates: [Data]
  /// The reason why the server is not trusted; `nil` if it is.
  public let problem: String?

  /// The digest of the server's key, as ``ServerPins/keys`` has it.
  public var key: SHA256Checksum? { certificates.first.flatMap(ServerPins.key) }
}
