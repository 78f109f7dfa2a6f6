#if !canImport(Darwin)
import CCurl
import FreshetEssentials

extension CurlHandle {
  /// Sets the options that depend on the request: any option that one request may set is set by all of them.
  func setRequest(_ exchange: CurlExchange) {
    let request = exchange.request
    set(CURLOPT_CURLU, pointer: UnsafeRawPointer(exchange.url.pointer))
    set(CURLOPT_HTTPHEADER, pointer: exchange.fields.list)
    set(CURLOPT_PROXYHEADER, pointer: exchange.fields.proxyList)
    state.upload = exchange.body
    let manner = Options(
      isPlainGet: request.method == .get && exchange.body == nil,
      version: request.isUpgrade
        ? Int(CURL_HTTP_VERSION_1_1) : version(isSecure: exchange.url.isSecure),
      connectTimeout: Self.milliseconds(request.timeouts.connect)
    )
    state.repetition.isAllowed = manner.isPlainGet || request.isIdempotent
    guard !manner.isPlainGet || manner != lastManner else { return }
    lastManner = manner
    set(CURLOPT_HTTPGET, 1)
    if request.method == .head { set(CURLOPT_NOBODY, 1) }
    if let body = exchange.body {
      set(CURLOPT_UPLOAD, 1)
      freshet_easy_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.length ?? -1))
    }
    let isImplied = manner.isPlainGet || request.method == .head
    set(CURLOPT_CUSTOMREQUEST, isImplied ? nil : request.method.rawValue)
    set(CURLOPT_HTTP_VERSION, manner.version)
    set(CURLOPT_CONNECTTIMEOUT_MS, manner.connectTimeout)
  }

  /// The options that are the same for most requests.
  ///
  /// They are then not set again, because libcurl copies and parses strings each time.
  struct Options: Equatable {
    let isPlainGet: Bool
    let version: Int
    let connectTimeout: Int

    /// A Boolean value that indicates whether the connection may be shared with other requests.
    var isShareable: Bool { version != CURL_HTTP_VERSION_1_1 }
  }

  /// Sets the options that never change.
  func setConstants(_ configuration: CurlTransport.Configuration) {
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    // Bodies are decoded here; libcurl would refuse an unknown transfer coding.
    set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_PATH_AS_IS, 1)
    setRefusalLimit(configuration.proxy)
    set(CURLOPT_TCP_NODELAY, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_BUFFERSIZE, loop.readSize)
    set(CURLOPT_UPLOAD_BUFFERSIZE, Self.bufferSize)
    set(CURLOPT_PIPEWAIT, 1)
    // Otherwise it is a field of each request, see ``CurlFields``.
    if configuration.proxy != .none { set(CURLOPT_USERAGENT, configuration.userAgent) }
    set(CURLOPT_RESOLVE, pointer: loop.addresses)
    if let socket = configuration.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, socket.path) }
    setProxy(configuration.proxy)
    setSecurity(configuration)
  }

  /// The number of bytes that are read from a socket or written to it at once, at most: 256 KiB.
  static let bufferSize = 256 * 1024

  private func setProxy(_ proxy: CurlTransport.Proxy) {
    setPasswordsForSOCKS()
    switch proxy {
    case .environment: break
    case .none: set(CURLOPT_NOPROXY, "*")
    case .url(let url):
      set(CURLOPT_PROXY, url.absoluteString)
      // Otherwise libcurl would not use it for the hosts in the environment's `no_proxy`.
      set(CURLOPT_NOPROXY, "")
    }
  }

  private func setSecurity(_ configuration: CurlTransport.Configuration) {
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    let isNewest = configuration.minimumTLS == .v13
    let version = Int(isNewest ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2)
    set(CURLOPT_SSLVERSION, version)
    set(CURLOPT_PROXY_SSLVERSION, version)
    switch configuration.trust {
    case .system: break
    case .file(let url):
      set(CURLOPT_CAINFO, url.path)
      set(CURLOPT_PROXY_CAINFO, url.path)
      set(CURLOPT_CAPATH, nil)
    case .pem(let data):
      set(CURLOPT_CAINFO_BLOB, blob: data)
      set(CURLOPT_PROXY_CAINFO_BLOB, blob: data)
      set(CURLOPT_CAPATH, nil)
    }
    if let identity = configuration.identity { show(identity) }
    setTrustDecision()
  }

  /// Gives a request that changes the protocol of its connection a connection of its own, through a proxy
  /// too.
  ///
  /// The handle is not used again, so nothing has to be set back.
  func setUpgrade(for request: Request) {
    guard request.isUpgrade else { return }
    isPinned = true
    setFresh(true)
    forbidReuse(true)
    set(CURLOPT_HTTPPROXYTUNNEL, 1)
  }

  /// Has libcurl look up a name again, which it does after a minute, if the host may have moved.
  ///
  /// The handle is not used again, so nothing has to be set back.
  func setLookup(of host: HostKey) {
    guard !loop.unreachable.isEmpty, loop.unreachable.remove(host) != nil else { return }
    isPinned = true
    set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
  }

  /// Sets the client's certificate for the host that is asked.
  ///
  /// A handle with one is not used again, so nothing has to be set back.
  func setIdentity(for url: URL) {
    guard let identity = loop.identities[url] else { return }
    isPinned = true
    show(identity)
  }

  private func show(_ identity: CurlTransport.Identity) {
    set(CURLOPT_SSLCERT, identity.certificate.path)
    set(CURLOPT_SSLKEY, identity.key.path)
    // OpenSSL asks for a password on the terminal, and the loop would wait.
    if Self.asksForPassword { set(CURLOPT_KEYPASSWD, "") }
  }

  /// A Boolean value that indicates whether libcurl uses OpenSSL, or a relative of it.
  ///
  /// GnuTLS asks nobody, and takes no key without a password if there is one, be it empty.
  private static let asksForPassword =
    curl_version_info(CURLVERSION_FIRST).flatMap { $0.pointee.ssl_version }
    .map { library in
      let name = String(cString: library)
      return ["OpenSSL", "LibreSSL", "BoringSSL", "AWS-LC", "quictls"]
        .contains(where: name.contains)
    } ?? true

  private func version(isSecure: Bool) -> Int {
    switch loop.configuration.networkProtocol {
    case .http1: CURL_HTTP_VERSION_1_1
    // Without TLS there is no negotiation, and requests would wait for each other.
    case .automatic: isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
    case .http2PriorKnowledge:
      isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
    }
  }

  private static func milliseconds(_ timeout: Duration?) -> Int {
    // Zero would mean libcurl's own default.
    guard let timeout else { return Int(Int32.max) }
    let milliseconds = CurlDeadlines.nanoseconds(timeout) / 1_000_000
    return Int(max(1, min(milliseconds, UInt64(Int32.max))))
  }
}
#endif
