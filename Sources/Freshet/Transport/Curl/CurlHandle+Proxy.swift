#if !canImport(Darwin)
import CCurl
import FreshetEssentials

extension CurlHandle {
  /// Has libcurl answer the challenges of a proxy that makes a tunnel.
  ///
  /// A handle with a login is not used again, so nothing has to be set back.
  func setProxyLogin(of request: Request) {
    guard let login = request.proxyAuthentication?.login, request.isTunneled else { return }
    isPinned = true
    set(CURLOPT_PROXYUSERNAME, login.user)
    set(CURLOPT_PROXYPASSWORD, login.password)
    set(CURLOPT_PROXYAUTH, Self.digest | (login.allowsBasic ? Self.basic : 0))
  }

  /// Has libcurl offer no Kerberos to a SOCKS proxy, for whose answers it would wait with the loop.
  func setPasswordsForSOCKS() {
    set(CURLOPT_SOCKS5_AUTH, Self.basic)
  }

  /// Has requests with different credentials of their own for a proxy use different tunnels.
  ///
  /// libcurl gives a tunnel to any request with the same user, since the fix of CVE-2026-3784, and does not compare
  /// fields. So a digest of the field is the user, which is not sent. The handle is not used again.
  func setTunnelUser(of exchange: CurlExchange) {
    guard exchange.fields.proxyList != nil, loop.makesTunnels, exchange.request.isTunneled,
      exchange.request.proxyAuthentication?.login == nil
    else { return }
    let values = exchange.request.headers[values: .proxyAuthorization].joined(separator: "\n")
    isPinned = true
    set(
      CURLOPT_PROXYUSERNAME,
      Hexadecimal.text(ChecksumHasher.digest(.sha256, of: Data(values.utf8)))
    )
    set(CURLOPT_PROXYAUTH, 0)
  }

  /// Delivers the refusal of a tunnel as a response, if its request answers it.
  ///
  /// - Parameters:
  ///   - failure: The failure: a tunnel can also break or time out behind the proxy's first answer.
  ///   - exchange: The exchange of the request.
  /// - Returns: `true` if the refusal was delivered.
  func deliversRefusal(_ failure: CurlFailure, to exchange: CurlExchange) -> Bool {
    guard !failure.hasHead, exchange.request.proxyAuthentication != nil,
      failure.words == .refusedTunnel,
      // Some proxies say 401 where they mean 407.
      [401, 407].contains(failure.proxyStatus)
    else { return false }
    let offered = number(CURLINFO_PROXYAUTH_AVAIL)
    let schemes = [(Self.basic, "Basic"), (Self.digest, "Digest"), (Self.bearer, "Bearer")]
      .filter { offered & $0.0 != 0 }
    let lines = schemes.map { "Proxy-Authenticate: \($0.1)\r\n" }.joined()
    deadlines.hasHead = true
    let head = "HTTP/1.1 407 Proxy Authentication Required\r\n\(lines)Content-Length: 0\r\n\r\n"
    if exchange.receive(head: Array(head.utf8)) { loop.wake(exchange) }
    return true
  }

  // The constants of curl/curl.h, which are casts that Swift does not import.
  private static let basic = 1 << 0
  private static let digest = 1 << 1
  private static let bearer = 1 << 6
}

extension CurlTransport.Proxy {
  /// A Boolean value that indicates whether every request goes through it; libcurl does not report which proxy
  /// of the environment it has used.
  var isForAll: Bool {
    if case .url = self { true } else { false }
  }
}
#endif
