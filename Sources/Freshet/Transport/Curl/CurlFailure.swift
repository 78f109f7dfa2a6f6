#if !canImport(Darwin)
import CCurl
import Glibc

/// The outcome that libcurl reports for a failed transfer.
struct CurlFailure {
  let code: CURLcode
  /// The message of libcurl, which never contains headers or bodies.
  let message: String
  /// The `errno` of the last failed connection, or 0.
  let systemError: Int
  /// A Boolean value that indicates whether the request went through a proxy for certain.
  let isProxied: Bool
  /// The status of the proxy's answer to `CONNECT`, or 0.
  let proxyStatus: Int
  let headerLimit: Int
  /// A Boolean value that indicates whether the head had arrived.
  let hasHead: Bool

  /// Returns the error for the request to `url`, which must not contain secrets.
  func error(url: String) -> FreshetError {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .connection(.unknownHost, url: url)
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .connection(.proxy, url: url)
    // The message contains the proxy's URL, and its password.
    case _ where words == .badProxy: .connection(.proxy, url: url)
    // With a proxy, libcurl connects to nothing else.
    case CURLE_COULDNT_CONNECT where isProxied: .connection(.proxy, url: url)
    // A Unix socket that is not there has nobody behind it either, and one for which too many wait has EAGAIN.
    case CURLE_COULDNT_CONNECT where [ECONNREFUSED, ENOENT, EAGAIN].contains(Int32(systemError)):
      .connection(.refused, url: url)
    case CURLE_COULDNT_CONNECT
    where [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ETIMEDOUT].contains(Int32(systemError)):
      .connection(.unreachable, url: url)
    case CURLE_OPERATION_TIMEDOUT: .timedOut(.connect, url: url)
    // libcurl rejects a line over 100 KiB, and before 8.6 reports that as a lack of memory.
    case CURLE_RECV_ERROR where words == .largeHead,
      CURLE_OUT_OF_MEMORY where !hasHead, Self.tooLarge where !hasHead:
      .limitExceeded(.headerBytes(headerLimit), url: url)
    case CURLE_RECV_ERROR where words == .badChunks:
      .invalidResponse(message, url: url)
    case _ where proxyStatus >= 300: .connection(.proxy, url: url)
    case CURLE_PARTIAL_FILE where hasHead: .connection(.truncated, url: url)
    case CURLE_SSL_CONNECT_ERROR where words == .lost:
      // Without an answer to CONNECT, it was the handshake of the proxy.
      .connection(isProxied && proxyStatus == 0 ? .proxy : .lost, url: url)
    // With TLS 1.3, a server that requires a client certificate reports it after the handshake.
    case CURLE_RECV_ERROR where words == .alert: .insecure(message, url: url)
    // The server closed the connection, or it failed; there was no response.
    case CURLE_HTTP2 where !hasHead: .connection(.lost, url: url)
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND,
      CURLE_HTTP2_STREAM, CURLE_PARTIAL_FILE:
      .connection(.lost, url: url)
    default: others(url: url)
    }
  }

  /// `CURLE_TOO_LARGE`, which libcurl before 8.6 does not know.
  private static let tooLarge = CURLcode(100)

  /// The reason for a head whose first field line begins with white space.
  static let strayLine = "its head has a line that continues no field"

  var words: Words? { Words(message) }

  private func others(url: String) -> FreshetError {
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CRL_BADFILE:
      .insecure(message, url: url)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING,
      CURLE_UNSUPPORTED_PROTOCOL, CURLE_TOO_MANY_REDIRECTS, CURLE_RANGE_ERROR:
      .invalidResponse(message, url: url)
    case CURLE_BAD_FUNCTION_ARGUMENT:
      .invalidResponse(Self.strayLine, url: url)
    case CURLE_URL_MALFORMAT: .invalidRequest(message, url: url)
    default: .connection(.other(message), url: url)
    }
  }
}

extension CurlFailure {
  /// Failures that only libcurl's message identifies: its code says that receiving, connecting or a handshake
  /// failed.
  enum Words {
    case badProxy
    case refusedTunnel
    case largeHead
    case badChunks
    case alert
    case died
    case lost

    init?(_ message: String) {
      if message.hasPrefix("Too large response headers") {
        self = .largeHead
      } else if Self.chunks.contains(where: message.contains) {
        self = .badChunks
      } else if message.hasPrefix("Unsupported proxy") {
        self = .badProxy
      } else if message.hasPrefix("CONNECT tunnel failed") {
        self = .refusedTunnel
      } else if message.hasPrefix("Connection died, tried") {
        self = .died
      } else if message.contains(" alert ") {
        self = .alert
      } else if Self.ends.contains(where: message.contains) {
        self = .lost
      } else {
        return nil
      }
    }

    /// The words for a chunk whose size cannot be read: those of libcurl 7, and of 8.
    private static let chunks = ["chunked-encoding", "chunk hex-length", "invalid chunk size"]
    /// The words of OpenSSL for a connection that ends within a handshake.
    private static let ends = ["SSL_ERROR_SYSCALL", "Connection reset", "unexpected eof"]
  }
}
#endif
