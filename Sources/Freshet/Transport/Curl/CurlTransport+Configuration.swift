#if !canImport(Darwin)
public import FreshetEssentials

extension CurlTransport {
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
    /// The proxy for requests; by default as the environment variables say.
    public var proxy = Proxy.environment
    /// The minimum version of TLS; 1.2 by default.
    public var minimumTLS = TLSVersion.v12
    /// The versions of HTTP to use; ``NetworkProtocol/automatic`` by default.
    public var networkProtocol = NetworkProtocol.automatic
    /// The largest number of connections to one host and port; 64 by default.
    public var maximumConnectionsPerHost = 64
    /// The largest number of connections in all, idle ones included; 256 by default.
    public var maximumConnections = 256
    /// The number of event loops, each with a thread and connections of its own; by default one for
    /// each four processors, at most eight.
    ///
    /// All requests to a host go to the same loop, so that they share its connections. More loops help
    /// a program that asks several hosts at once and has processors to spare. ``maximumConnections``
    /// is divided among the loops. There are so few of them that each can have
    /// ``maximumConnectionsPerHost``: four with the default limits.
    public var loops = defaultLoops(processors: ProcessInfo.processInfo.activeProcessorCount)
    /// The `User-Agent` of requests that have none; `Freshet/0.1` by default.
    ///
    /// One with a control character other than a tab fails each request with
    /// ``FreshetError/invalidRequest(_:url:)``.
    public var userAgent = "Freshet/0.1"
    /// The number of body bytes that are buffered for a slow reader before the transport stops reading
    /// from the socket; 512 KiB by default, at least 16 KiB.
    ///
    /// Beside it, libcurl has a buffer for each running transfer, and keeps as much for a reader that is slow, each
    /// as large as the window, and 256 KiB at most: a slow reader takes 1 MiB by default, and 192 KiB with a window
    /// of 64 KiB. Encoded bodies use up to 64 KiB more.
    public var window = 512 * 1024
    var usedWindow: Int { max(window, 16 * 1024) }
    /// Addresses for `host:port`, such as `["example.org:443": "127.0.0.1"]`, which replace name
    /// lookups; none by default.
    public var addresses: [String: String] = [:]
    /// Decides whether a connection to an address is made; `nil`, the default, allows all addresses.
    ///
    /// A server that requests URLs of its users keeps them out of its own network:
    ///
    /// ```swift
    /// let previews = Client {
    ///   $0.transport = CurlTransport {
    ///     $0.proxy = .none
    ///     $0.allowsAddress = { $0.isPublic }
    ///   }
    /// }
    /// ```
    ///
    /// - It is called for each address that libcurl tries, after the host's name was resolved, also behind
    ///   redirects and for ``addresses`` and WebSockets. A kept connection is used without asking again.
    /// - If a host has no allowed address, the request fails with ``FreshetError/invalidRequest(_:url:)``:
    ///   nothing was sent, and it is not retried.
    /// - With a proxy, the address is that of the proxy, which resolves the names of the hosts itself. Set
    ///   ``proxy`` to none. A ``unixSocket`` has no address.
    /// - It is called on the transport's thread, which serves all requests, and returns without waiting.
    public var allowsAddress: (@Sendable (ServerAddress) -> Bool)?
    /// The Unix socket over which all requests go, such as that of `/var/run/docker.sock`; none by default.
    ///
    /// - No name is looked up, and no proxy is used. The host of a URL is sent as `Host`, and over TLS it is
    ///   the one that the certificate has to be for.
    /// - A path that is longer than the system allows (107 bytes) fails each request with
    ///   ``FreshetError/invalidRequest(_:url:)``, a socket that is not there with
    ///   ``FreshetError/connection(_:url:)``.
    /// - A kept connection that does not answer in time is not replaced, unlike others: the request times out.
    /// - Stores identify a response by its URL. Clients of several sockets that share a store use a host for
    ///   each, such as `http://docker.localhost/`. Requests to `localhost` and its addresses do not wait for a network, see
    ///   ``Request/Timeouts/waitsForConnectivity``.
    public var unixSocket: URL?
    /// Receives what libcurl says and sends while it works, on the transport's thread; `nil` by default.
    package var trace: (@Sendable (CurlTrace, UnsafeRawBufferPointer) -> Void)?

    /// Creates the default configuration.
    public init() {}

    static func defaultLoops(processors: Int) -> Int {
      min(max(processors / 4, 1), 8)
    }

    /// The reason why no request can use ``unixSocket``, or `nil`.
    var socketProblem: String? {
      guard let path = unixSocket?.path else { return nil }
      // The size of `sun_path`, with the zero at its end.
      guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
        return "the path of the Unix socket is too long"
      }
      guard unixSocket?.isFileURL == true, !path.utf8.contains(0) else {
        return "the Unix socket is not a file"
      }
      return nil
    }

    /// The reason why ``userAgent`` cannot be sent, or `nil`.
    var userAgentProblem: String? {
      userAgent.utf8.allSatisfy { !ASCII.isControl($0) || $0 == 0x09 }
        ? nil : "the transport's User-Agent contains a control character"
    }

    /// Returns whether a request may go through a proxy.
    ///
    /// Where none can, libcurl need not look for one at each request.
    ///
    /// - Parameter variable: Returns a variable of the environment.
    /// - Returns: `false` if none can go through one.
    func mayUseProxy(
      _ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) -> Bool {
      guard unixSocket == nil else { return false }
      switch proxy {
      case .none: return false
      case .url: return true
      case .environment: return Self.proxyVariables.contains { variable($0)?.isEmpty == false }
      }
    }

    /// Returns whether requests may go through tunnels.
    ///
    /// - Parameter variable: Returns a variable of the environment.
    /// - Returns: `true` if there may be proxies, of which none is one of SOCKS.
    func makesTunnels(
      _ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) -> Bool {
      let proxies: [String]
      switch proxy {
      case .none: return false
      case .url(let url): proxies = [url.absoluteString]
      case .environment: proxies = Self.proxyVariables.compactMap(variable)
      }
      return !proxies.contains { ASCII.lowercased($0).hasPrefix("socks") }
    }

    /// A Boolean value that indicates whether each request without TLS goes over HTTP/2; a proxy is spoken to
    /// by HTTP/1.1.
    var speaksPlainHTTP2: Bool { networkProtocol == .http2PriorKnowledge && proxy == .none }

    private static let proxyVariables = [
      "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]

    /// The number of loops within the limit of connections.
    var loopCount: Int {
      max(1, min(loops, maximumConnections / max(1, maximumConnectionsPerHost)))
    }
  }

  /// The certificate authorities that are trusted; certificates and host names are always verified.
  public enum Trust: Sendable, Hashable {
    /// The authorities of the system.
    case system
    /// Only the authorities in this PEM file.
    case file(URL)
    /// Only the authorities in this PEM text.
    case pem(Data)
  }

  /// A client certificate with its key.
  public struct Identity: Sendable, Hashable {
    /// The PEM file of the certificate, followed by its chain.
    public var certificate: URL
    /// The PEM file of the private key, which has no password.
    public var key: URL

    /// Creates an identity.
    public init(certificate: URL, key: URL) {
      self.certificate = certificate
      self.key = key
    }
  }

  /// The proxy for requests.
  public enum Proxy: Sendable, Hashable {
    /// The proxy given by `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    ///
    /// A transport that is created while none of the first three is set never uses a proxy. Whether one was
    /// used is not known afterwards: one that does not answer fails as a server that does not.
    case environment
    /// No proxy, whatever the environment says.
    case none
    /// The proxy at this URL, whatever the environment says; a user and password in the URL are its
    /// credentials.
    case url(URL)
  }

  /// A version of TLS.
  public enum TLSVersion: Sendable, Hashable {
    /// TLS 1.2
    case v12
    /// TLS 1.3
    case v13
  }

  /// The versions of HTTP to use.
  public enum NetworkProtocol: Sendable, Hashable {
    /// HTTP/2 over TLS if the server supports it, HTTP/1.1 otherwise.
    case automatic
    /// HTTP/1.1 only.
    case http1
    /// HTTP/2 without TLS, for servers that are known to speak it (RFC 9113 section 3.3).
    ///
    /// It applies to `http`; over TLS the version is negotiated, as with ``automatic``. A server that only
    /// speaks HTTP/1.1 fails a request with ``FreshetError/connection(_:url:)``. A proxy is spoken to by
    /// HTTP/1.1, and so is a server with which a ``WebSocket`` is opened.
    ///
    /// With libcurl 7.88, which cannot share such a connection, each request has one of its own.
    case http2PriorKnowledge
  }
}

extension CurlTransport.Proxy: RedactedDescribable {
  /// The name of the case, or the URL without user, password, query and fragment.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .none: "none"
    case .url(let url): Redaction.shown(url)
    }
  }
}
#endif
