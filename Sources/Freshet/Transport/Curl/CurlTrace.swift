#if !canImport(Darwin)
import CCurl

/// The kind of a piece of libcurl's account of a transfer.
package enum CurlTrace: Sendable {
  /// A remark on a connection.
  case text
  /// Bytes of a request's head, and of a response's.
  case requestHead
  case responseHead
  /// Bytes of bodies and of TLS.
  case sentData
  case receivedData

  init?(_ kind: curl_infotype) {
    switch kind {
    case CURLINFO_TEXT: self = .text
    case CURLINFO_HEADER_OUT: self = .requestHead
    case CURLINFO_HEADER_IN: self = .responseHead
    case CURLINFO_DATA_OUT, CURLINFO_SSL_DATA_OUT: self = .sentData
    case CURLINFO_DATA_IN, CURLINFO_SSL_DATA_IN: self = .receivedData
    default: return nil
    }
  }
}
#endif
