#if canImport(Darwin)
public import FreshetEssentials
public import Security

extension URLSessionTransport {
  /// The options of a transport, which are fixed when it is created.
  public struct Configuration: Sendable {
    /// The trusted certificate authorities; the system's by default.
    public var trust = Trust.system
    /// The pins that servers have to match in addition, by host name; none by default.
    public var pins: [String: ServerPins] = [:]
    /// The app's decision about each server; `nil`, the default, leaves it to ``trust`` and ``pins``.
    public var decideTrust: ServerTrust.Decision?
    /// The client certificate for servers that request one; none by default.
    public var identity: Identity?
    /// The certificates that the client shows to hosts, by their names, in place of ``identity``.
    ///
    /// Of several spellings of a host, the last in alphabetical order counts, in which capitals come first.
    public var identities: [String: Identity] = [:]
    /// The proxy for requests; the system's settings by default.
    public var proxy = Proxy.system
    /// The minimum version of TLS; 1.2 by default.
    public var minimumTLS = TLSVersion.v12
    /// The largest number of connections to one host; 6 by default.
    public var maximumConnectionsPerHost = 6
    /// The `User-Agent` of requests that have none; `Freshet/0.1` by default.
    public var userAgent = "Freshet/0.1"
    /// The number of body bytes that are buffered for a slow reader before the task is suspended; 512
    /// KiB by default, at least 16 KiB.
    public var window = 512 * 1024

    /// Creates the default configuration.
    public init() {}
  }

  /// The certificate authorities that are trusted; certificates and host names are always verified.
  public enum Trust: Sendable, Hashable {
    /// The authorities of the system.
    case system
    /// Only these authorities, given in DER.
    case certificates([Data])
  }

  /// A client certificate with its key.
  ///
  /// It is `@unchecked Sendable` because a `SecIdentity` and a `SecCertificate` never change, and
  /// Security's functions on them may be called on any thread.
  public struct Identity: @unchecked Sendable {
    let identity: SecIdentity
    let chain: [SecCertificate]

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - identity: The certificate with its key, as from a keychain or `SecPKCS12Import`.
    ///   - chain: The intermediate certificates; none by default.
    public init(_ identity: SecIdentity, chain: [SecCertificate] = []) {
      self.identity = identity
      self.chain = chain
    }

    var credential: URLCredential {
      URLCredential(identity: identity, certificates: chain, persistence: .none)
    }
  }

  /// The proxy for requests.
  public enum Proxy: Sendable, Hashable {
    /// The proxy of the system's settings.
    case system
    /// No proxy, whatever the system's settings are.
    case none
    /// The proxy at this host and port.
    case host(String, port: Int)

    /// The value for `connectionProxyDictionary`; `nil` keeps the system's settings.
    var dictionary: [AnyHashable: Any]? {
      switch self {
      case .system: nil
      case .none: [:]
      case .host(let host, let port):
        // The keys of CFProxySupport.h, whose constants are not available on all platforms.
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
