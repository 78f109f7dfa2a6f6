#if canImport(Darwin)
public import Foundation
public import Security

extension URLSessionTransport {
  /// How a transport connects; fixed when the transport is made.
  public struct Configuration: Sendable {
    /// Which certificate authorities are trusted; the system's by default.
    public var trust = Trust.system
    /// What hosts have to prove besides, by their names; nothing by default.
    public var pins: [String: ServerPins] = [:]
    /// The certificate that the client shows to servers that ask for one; none by default.
    public var identity: Identity?
    /// Through which proxy requests go; as the system says, by default.
    public var proxy = Proxy.system
    /// The oldest version of TLS that is spoken; 1.2 by default.
    public var minimumTLS = TLSVersion.v12
    /// The largest number of connections to one host; 6 by default.
    public var maximumConnectionsPerHost = 6
    /// The `User-Agent` of requests that have none; `Freshet/0.1` by default.
    public var userAgent = "Freshet/0.1"
    /// How many bytes of a body wait for a slow reader before its task is suspended; 512 KiB by
    /// default.
    public var window = 512 * 1024

    /// Makes the default configuration.
    public init() {}
  }

  /// Where trust in servers comes from; peer and host name are always verified.
  public enum Trust: Sendable, Hashable {
    /// The system's authorities.
    case system
    /// These authorities as DER, and no others.
    case certificates([Data])
  }

  /// A client certificate with its key.
  ///
  /// It is `@unchecked Sendable` because a `SecIdentity` and a `SecCertificate` never change, and
  /// Security's functions on them may be called on any thread.
  public struct Identity: @unchecked Sendable {
    let identity: SecIdentity
    let chain: [SecCertificate]

    /// Makes an identity.
    ///
    /// - Parameters:
    ///   - identity: The certificate with its key, as from a keychain or `SecPKCS12Import`.
    ///   - chain: The certificates between it and an authority; none by default.
    public init(_ identity: SecIdentity, chain: [SecCertificate] = []) {
      self.identity = identity
      self.chain = chain
    }

    var credential: URLCredential {
      URLCredential(identity: identity, certificates: chain, persistence: .none)
    }
  }

  /// Through which proxy requests go.
  public enum Proxy: Sendable, Hashable {
    /// As the system's settings say.
    case system
    /// None, whatever the system's settings say.
    case none
    /// This one, by host and port.
    case host(String, port: Int)

    /// What `connectionProxyDictionary` takes; `nil` leaves the system's settings.
    var dictionary: [AnyHashable: Any]? {
      switch self {
      case .system: nil
      case .none: [:]
      case .host(let host, let port):
        // The keys of CFProxySupport.h; not all of their constants are there on all platforms.
        [
          "HTTPEnable": 1, "HTTPProxy": host, "HTTPPort": port,
          "HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": port,
        ]
      }
    }
  }

  /// A version of TLS.
  public enum TLSVersion: Sendable, Hashable {
    /// TLS 1.2
    case v12
    /// TLS 1.3
    case v13

    var protocolVersion: tls_protocol_version_t {
      switch self {
      case .v12: .TLSv12
      case .v13: .TLSv13
      }
    }
  }
}
#endif
