public import Foundation

/// What happens during a transfer, in this order: `sent`, `redirected`, `retrying` and `interim` any
/// number of times, `head` once, `body` any number of times, `finished` once.
public enum TransferEvent: Sendable {
  /// Bytes of the request's body have been sent; conflated to the newest.
  case sent(TransferProgress)
  /// The server sent the request elsewhere, and it has been followed.
  case redirected(Redirect)
  /// An attempt has failed; this one, the first of which is 1, follows after a pause.
  case retrying(attempt: Int, after: Duration, because: String)
  /// The server has sent an interim response before the final one (RFC 9110 section 15.2), such as 102
  /// or 103; of Early Hints, `headers[values: "Link"]` are what the page is going to need (RFC 8297).
  ///
  /// The first 32 of an exchange are told, in order. All of them count against
  /// ``ResponseLimits/headerCount`` and ``ResponseLimits/headerBytes``, and none is ever stored. 100 and
  /// 101 are the transport's own. `URLSessionTransport` tells none.
  case interim(ResponseHead)
  /// The final response has begun.
  case head(ResponseHead)
  /// A chunk of the body, decoded; never empty.
  case body(Data)
  /// The body is complete.
  case finished(TransferMetrics)
}
