#if !canImport(Darwin)
import CCrypto
import CCurl
import FreshetEssentials

/// The decision about the servers of one host, which OpenSSL asks for during a handshake.
///
/// It lives as long as the context of its connection, which may ask again whenever its server wants to.
final class CurlTrust {
  private let host: String
  private let decide: ServerTrust.Decision
  /// A Boolean value that indicates whether the host's authorities are pinned.
  private let isPinned: Bool

  init(host: String, isPinned: Bool, _ decide: @escaping ServerTrust.Decision) {
    self.host = host
    self.isPinned = isPinned
    self.decide = decide
  }

  /// The place in a context for its decision, which it releases.
  private static let place =
    CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil) { _, trust, _, _, _, _ in
      if let trust { Unmanaged<CurlTrust>.fromOpaque(trust).release() }
    }

  /// Has the handshakes of a context ask this.
  ///
  /// - Returns: A Boolean value that indicates whether there was enough memory.
  func install(in context: OpaquePointer) -> Bool {
    let me = Unmanaged.passRetained(self).toOpaque()
    guard SSL_CTX_set_ex_data(context, Self.place, me) == 1 else {
      Unmanaged<CurlTrust>.fromOpaque(me).release()
      return false
    }
    SSL_CTX_set_cert_verify_callback(
      context,
      { verification, trust in
        guard let verification, let trust else { return 0 }
        return Unmanaged<CurlTrust>.fromOpaque(trust).takeUnretainedValue()
          .accepts(verification) ? 1 : 0
      },
      me
    )
    return true
  }

  private func accepts(_ verification: OpaquePointer) -> Bool {
    // What a verification leaves in the thread's queue would be read as the connection's errors.
    defer { ERR_clear_error() }
    let isTrusted = X509_verify_cert(verification) == 1
    let code = X509_STORE_CTX_get_error(verification)
    let chain = X509_STORE_CTX_get0_untrusted(verification)
    let certificates = Self.certificates(of: chain)
    // Without a name, it is the server only if that is asked by its address, or else a proxy.
    guard let name = Self.name(of: verification) ?? (HostName.isAddress(host) ? host : nil) else {
      return isTrusted
    }
    let server = ServerTrust(
      host: name,
      certificates: certificates.compactMap(Self.der),
      problem: isTrusted ? nil : String(cString: X509_verify_cert_error_string(Int(code)))
    )
    guard decide(server) else {
      X509_STORE_CTX_set_error(verification, X509_V_ERR_APPLICATION_VERIFICATION)
      return false
    }
    guard !isTrusted else { return true }
    guard !isPinned, Self.unknownAuthority.contains(code),
      let own = certificates.first, let last = certificates.last
    else { return false }
    let level = X509_VERIFY_PARAM_get_auth_level(X509_STORE_CTX_get0_param(verification))
    let problem = Self.problem(with: own, chain, anchor: last, level: level)
    X509_STORE_CTX_set_error(verification, problem)
    return problem == X509_V_OK
  }

  /// The problems that a decision can excuse.
  private static let unknownAuthority: Set<Int32> = [
    X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
    X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
    X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED,
  ]

  /// Verifies a chain whose last certificate is trusted, with the security level of the connection.
  private static func problem(
    with certificate: OpaquePointer,
    _ chain: OpaquePointer?,
    anchor: OpaquePointer,
    level: Int32
  ) -> Int32 {
    guard let store = X509_STORE_new() else { return X509_V_ERR_OUT_OF_MEM }
    defer { X509_STORE_free(store) }
    guard let verification = X509_STORE_CTX_new() else { return X509_V_ERR_OUT_OF_MEM }
    defer { X509_STORE_CTX_free(verification) }
    guard X509_STORE_add_cert(store, anchor) == 1,
      X509_STORE_CTX_init(verification, store, certificate, chain) == 1,
      X509_STORE_CTX_set_default(verification, "ssl_server") == 1
    else { return X509_V_ERR_OUT_OF_MEM }
    X509_STORE_CTX_set_flags(verification, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(verification), level)
    guard X509_verify_cert(verification) != 1 else { return X509_V_OK }
    let code = X509_STORE_CTX_get_error(verification)
    return code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code
  }

  /// The name that the handshake asks for; `nil` for an address, which is not named.
  private static func name(of verification: OpaquePointer) -> String? {
    let connection = X509_STORE_CTX_get_ex_data(
      verification,
      SSL_get_ex_data_X509_STORE_CTX_idx()
    )
    return connection.flatMap { SSL_get_servername(OpaquePointer($0), TLSEXT_NAMETYPE_host_name) }
      .map { String(cString: $0) }
  }

  private static func certificates(of chain: OpaquePointer?) -> [OpaquePointer] {
    (0..<max(0, OPENSSL_sk_num(chain)))
      .compactMap { OPENSSL_sk_value(chain, $0).map { OpaquePointer($0) } }
  }

  private static func der(_ certificate: OpaquePointer) -> Data? {
    let count = i2d_X509(certificate, nil)
    guard count > 0 else { return nil }
    var data = Data(count: Int(count))
    let written = data.withUnsafeMutableBytes { bytes in
      var start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return i2d_X509(certificate, &start)
    }
    return written == count ? data : nil
  }
}

extension CurlHandle {
  /// Has each new connection ask for the app's decision.
  func setTrustDecision() {
    guard loop.configuration.decideTrust != nil else { return }
    let code = freshet_easy_set_ssl_callback(easy) { _, context, handle in
      guard let context, let trust = CurlHandle.from(handle)?.trust,
        trust.install(in: OpaquePointer(context))
      else { return CURLE_ABORTED_BY_CALLBACK }
      return CURLE_OK
    }
    set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(self).toOpaque())
    // A session that is taken up again shows no certificates.
    set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    // Without OpenSSL nobody can be asked, and no server is trusted.
    if code != CURLE_OK { set(CURLOPT_PROTOCOLS_STR, "http") }
  }

  /// The decision about the host that is asked.
  private var trust: CurlTrust? {
    guard let decide = loop.configuration.decideTrust, let url = exchange?.request.url,
      let host = URLOrigin(url)?.host
    else { return nil }
    let pins = loop.pins.pins(for: url)
    return CurlTrust(host: host, isPinned: pins?.certificates.isEmpty == false, decide)
  }
}
#endif
