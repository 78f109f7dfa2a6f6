#if !canImport(Darwin)
import CCrypto
import CCurl

extension CurlHandle {
  /// A Boolean value that indicates whether the request may be sent over the version of HTTP that its connection
  /// speaks.
  var acceptsProtocol: Bool {
    guard let exchange, exchange.request.requiresHTTP2 else { return true }
    return exchange.url.isSecure ? speaksHTTP2 : loop.configuration.speaksPlainHTTP2
  }

  /// A Boolean value that indicates whether both ends have agreed on HTTP/2 when TLS began (RFC 9113 section 3.2).
  ///
  /// libcurl tells the version only after the response, and only OpenSSL can be asked before.
  private var speaksHTTP2: Bool {
    var pointer: UnsafeMutableRawPointer?
    freshet_easy_get_pointer(easy, CURLINFO_TLS_SSL_PTR, &pointer)
    guard let session = pointer?.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee,
      session.backend == CURLSSLBACKEND_OPENSSL, let internals = session.internals
    else { return false }
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(OpaquePointer(internals), &name, &count)
    return UnsafeBufferPointer(start: name, count: name == nil ? 0 : Int(count))
      .elementsEqual("h2".utf8)
  }
}
#endif
