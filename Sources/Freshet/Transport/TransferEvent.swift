public import Foundation

/// What happens during a transfer, in this order: `sent`, `redirected` and `retrying` any number of
/// times, `head` once, `body` any number of times, `finished` once.
public enum TransferEvent: Sendable {
  /// Bytes of the request's body have been sent; conflated to the newest.
  case sent(TransferProgress)
  /// The server sent the request elsewhere, and it has been followed.
  case redirected(Redirect)
  /// An attempt has failed; this one, the first of which is 1, follows after a pause.
  case retrying(attempt: Int, after: Duration, because: String)
  /// The final response has begun.
  case head(ResponseHead)
  /// A chunk of the body, decoded; never empty.
  case body(Data)
  /// The body is complete.
  case finished(TransferMetrics)
}
