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
  /// The number of connections that had been opened then.
  private var opened = 0
  /// A Boolean value that indicates whether the last attempt uses a connection that existed before.
  private(set) var isKept = false

  init(isAllowed: Bool = true) {
    self.isAllowed = isAllowed
  }

  /// Notes an attempt, with the number of connections that libcurl has opened for the request by now.
  ///
  /// - Parameters:
  ///   - opened: That number, which goes on over the attempts that libcurl makes by itself.
  ///   - sent: The total number of bytes sent by now.
  mutating func noteAttempt(opened: Int, sent: Int) {
    isKept = opened == self.opened
    self.opened = opened
    self.sent = sent
  }

  /// Returns whether the request may be repeated, with this total number of bytes sent by now.
  func isHarmless(sent now: Int) -> Bool {
    isAllowed || now <= sent ?? 0
  }
}
#endif
