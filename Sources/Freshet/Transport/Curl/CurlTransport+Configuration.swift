#if os(Linux)
public import Foundation

extension CurlTransport {
  /// How a transport connects; fixed when the transport is made.
  public struct Configuration: Sendable {
    /// Which certificate authorities are trusted; the system's by default.
    public var trust = Trust.system
    /// What hosts have to prove besides, by their names; nothing by default.
    public var pins: [String: ServerPins] = [:]
    /// The certificate that the client shows to servers that ask for one; none by default.
    public var identity: Identity?
    /// Through which proxy requests go; as the environment says, by default.
    public var proxy = Proxy.environment
    /// The oldest version of TLS that is spoken; 1.2 by default.
    public var minimumTLS = TLSVersion.v12
    /// Which versions of HTTP are spoken.
    public var networkProtocol = NetworkProtocol.automatic
    /// The largest number of connections to one host and port; 64 by default.
    public var maximumConnectionsPerHost = 64
    /// The largest number of connections in all, idle ones included; 256 by default.
    public var maximumConnections = 256
    /// The `User-Agent` of requests that have none; `Freshet/0.1` by default.
    public var userAgent = "Freshet/0.1"
    /// How many bytes of a body wait for a slow reader before the socket is left alone; 512 KiB
    /// by default, at least 16 KiB.
    ///
    /// At most 64 KiB come on top for encoded bodies.
    public var window = 512 * 1024
    /// Addresses for `host:port`, such as `["example.org:443": "127.0.0.1"]`, used instead of
    /// asking the name service.
    public var addresses: [String: String] = [:]

    /// Makes the default configuration.
    public init() {}
  }

  /// Where trust in servers comes from; peer and host name are always verified.
  public enum Trust: Sendable, Hashable {
    /// The system's authorities.
    case system
    /// The authorities in this PEM file, and no others.
    case file(URL)
    /// The authorities in this PEM text, and no others.
    case pem(Data)
  }

  /// A client certificate with its key.
  public struct Identity: Sendable, Hashable {
    /// The PEM file of the certificate, followed by its chain.
    public var certificate: URL
    /// The PEM file of the private key.
    public var key: URL

    /// Makes an identity.
    public init(certificate: URL, key: URL) {
      self.certificate = certificate
      self.key = key
    }
  }

  /// Through which proxy requests go.
  public enum Proxy: Sendable, Hashable {
    /// As `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
    case environment
    /// None, whatever the environment says.
    case none
    /// This one; a user and password in the URL are its credentials.
    case url(URL)
  }

  /// A version of TLS.
  public enum TLSVersion: Sendable, Hashable {
    /// TLS 1.2
    case v12
    /// TLS 1.3
    case v13
  }

  /// Which versions of HTTP are spoken.
  public enum NetworkProtocol: Sendable, Hashable {
    /// HTTP/2 over TLS where the server agrees, HTTP/1.1 otherwise.
    case automatic
    /// HTTP/1.1 only.
    case http1
  }
}
#endif
