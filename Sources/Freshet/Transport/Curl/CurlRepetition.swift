#if !canImport(Darwin)
import CCurl

/// Decides whether a request may be sent again when its connection has failed without a response.
///
/// The server may have carried out a request that is not idempotent as soon as some of it was sent (RFC 9110
/// section 9.2.2). libcurl does not consider that: it repeats any request whose kept connection has failed.
struct CurlRepetition {
  /// A Boolean value that indicates whether the request may be repeated however much of it was sent.
  var isAllowed = true
  /// The total number of bytes that had been sent when the last attempt began.
  var sent: Int?

  /// Returns whether the request may be repeated, with this total number of bytes sent by now.
  func isHarmless(sent now: Int) -> Bool {
    isAllowed || now <= sent ?? 0
  }
}
#endif
