#if os(Linux)
import CCurl
import Glibc

/// What libcurl said when a transfer failed.
struct CurlFailure {
  let code: CURLcode
  /// libcurl's words; they never hold headers or bodies.
  let message: String
  /// The `errno` of the last failed connection, or 0.
  let systemError: Int
  /// The status of the proxy's answer to `CONNECT`, or 0.
  let proxyStatus: Int
  let headerLimit: Int
  /// Whether the head had come.
  let hasHead: Bool

  /// The error for the request to `url`, which must not hold secrets.
  func error(url: String) -> FreshetError {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .connection(.unknownHost, url: url)
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .connection(.proxy, url: url)
    case CURLE_COULDNT_CONNECT where systemError == Int(ECONNREFUSED):
      .connection(.refused, url: url)
    case CURLE_OPERATION_TIMEDOUT: .timedOut(.connect, url: url)
    // A line over 100 KiB is too much for libcurl, which calls that a lack of memory.
    case CURLE_RECV_ERROR where words == .largeHead,
      CURLE_OUT_OF_MEMORY where !hasHead:
      .limitExceeded(.headerBytes(headerLimit), url: url)
    case CURLE_RECV_ERROR where words == .badChunks:
      .invalidResponse(message, url: url)
    case _ where proxyStatus >= 300: .connection(.proxy, url: url)
    case CURLE_PARTIAL_FILE: .connection(.truncated, url: url)
    // A server that wants a client certificate says so after the handshake of TLS 1.3.
    case CURLE_RECV_ERROR where words == .alert: .insecure(message, url: url)
    // The connection's end, by its server or for an error: nothing has been answered.
    case CURLE_HTTP2 where !hasHead: .connection(.lost, url: url)
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND,
      CURLE_HTTP2_STREAM:
      .connection(.lost, url: url)
    default: others(url: url)
    }
  }

  private var words: Words? { Words(message) }

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
    case CURLE_URL_MALFORMAT: .invalidRequest(message, url: url)
    default: .connection(.other(message), url: url)
    }
  }
}

extension CurlFailure {
  /// What libcurl tells by its words alone: its code says that nothing could be received.
  enum Words {
    case largeHead
    case badChunks
    case alert

    init?(_ message: String) {
      if message.hasPrefix("Too large response headers") {
        self = .largeHead
      } else if message.contains("chunked-encoding") {
        self = .badChunks
      } else if message.contains(" alert ") {
        self = .alert
      } else {
        return nil
      }
    }
  }
}
#endif
