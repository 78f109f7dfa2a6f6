#if os(Linux)
import CCurl

/// Whether a request may be sent once more when its connection has failed without an answer.
///
/// What is not idempotent may have been carried out all the same, as soon as anything of it was sent
/// (RFC 9110 section 9.2.2). libcurl does not ask: it sends everything again whose kept connection
/// has died.
struct CurlRepetition {
  /// Whether it may be sent again whatever became of it.
  var isAllowed = true
  /// How much had been sent when the request was begun last.
  var sent: Int?

  /// Whether it may be begun again, with so much sent by now.
  func isHarmless(sent now: Int) -> Bool {
    isAllowed || now <= sent ?? 0
  }
}
#endif
