#if Redis && !canImport(Darwin)
import CHiredis
import FreshetEssentials

/// TLS on a connection's socket, by OpenSSL; it belongs to the thread of its session.
final class SecureChannel {
  enum Progress {
    case done
    case wantsRead
    case wantsWrite
  }

  private let context: OpaquePointer
  private let channel: OpaquePointer

  /// Prepares TLS for a socket.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - host: The name or the address that the server's certificate must have.
  ///   - trustFile: The authorities that are trusted; `nil` for those of the system.
  /// - Throws: ``RedisFailure`` if OpenSSL cannot be set up.
  init(_ descriptor: Int32, host: String, trustFile: String?) throws(RedisFailure) {
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw Self.failure("TLS") }
    freshet_tls_allow_partial_writes(context)
    let isTrusting =
      trustFile.map { SSL_CTX_load_verify_locations(context, $0, nil) == 1 }
      ?? (SSL_CTX_set_default_verify_paths(context) == 1)
    guard isTrusting, let channel = SSL_new(context) else {
      SSL_CTX_free(context)
      throw Self.failure("the trusted certificates cannot be read")
    }
    self.context = context
    self.channel = channel
    guard SSL_set_fd(channel, descriptor) == 1, freshet_tls_expect(channel, host, 1) == 1 else {
      throw Self.failure("TLS")
    }
  }

  deinit {
    SSL_free(channel)
    SSL_CTX_free(context)
  }

  func handshake() throws(RedisFailure) -> Progress {
    ERR_clear_error()
    let code = SSL_connect(channel)
    if code == 1 { return .done }
    switch SSL_get_error(channel, code) {
    case SSL_ERROR_WANT_READ: return .wantsRead
    case SSL_ERROR_WANT_WRITE: return .wantsWrite
    default: throw Self.failure("the TLS handshake failed")
    }
  }

  /// - Returns: The number of bytes; 0 if the socket takes none now.
  func write(_ bytes: UnsafeRawBufferPointer) throws(RedisFailure) -> Int {
    ERR_clear_error()
    let count = SSL_write(channel, bytes.baseAddress, Int32(clamping: bytes.count))
    if count > 0 { return Int(count) }
    switch SSL_get_error(channel, count) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return 0
    default: throw Self.failure("the connection was lost")
    }
  }

  /// - Returns: The number of bytes; 0 if there are none yet, -1 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(RedisFailure) -> Int {
    ERR_clear_error()
    let count = SSL_read(channel, buffer.baseAddress, Int32(clamping: buffer.count))
    if count > 0 { return Int(count) }
    switch SSL_get_error(channel, count) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return 0
    case SSL_ERROR_ZERO_RETURN: return -1
    default: throw Self.failure("the connection was lost")
    }
  }

  private static func failure(_ what: String) -> RedisFailure {
    let code = ERR_get_error()
    guard code != 0, let reason = ERR_reason_error_string(code) else { return RedisFailure(what) }
    return RedisFailure("\(what): \(String(cString: reason))")
  }
}
#endif
