public import FreshetEssentials

/// An event of a transfer.
///
/// The order is: `waitingForConnectivity`, `sent`, `redirected`, `retrying` and `interim` any number of
/// times, `head` once, `body` any number of times, `finished` once.
public enum TransferEvent: Sendable {
  /// The request waits for the network, see ``Request/Timeouts/waitsForConnectivity``; another event follows when it
  /// goes on.
  case waitingForConnectivity
  /// Bytes of the request's body have been sent; conflated to the newest.
  ///
  /// Its progress has ``TransferProgress/isSent``, however the transport has made it.
  case sent(TransferProgress)
  /// A redirect has been followed.
  indirect case redirected(Redirect)
  /// An attempt has failed; the attempt with this number, counted from 1, follows after a pause.
  case retrying(attempt: Int, after: Duration, because: String)
  /// The server has sent an interim response, such as 102 or 103 (RFC 9110 section 15.2).
  ///
  /// With Early Hints, `headers[values: "Link"]` are the resources that the page will need (RFC 8297).
  ///
  /// The first 32 interim responses of an exchange are delivered, in order. All of them count against
  /// ``ResponseLimits/headerCount`` and ``ResponseLimits/headerBytes``, and none is ever stored. The
  /// transport handles 100 itself. A 101 is a `head`, and a failure if the request has no `Upgrade`.
  case interim(ResponseHead)
  /// The final response has begun.
  case head(ResponseHead)
  /// A chunk of the body, decoded; never empty.
  case body(Data)
  /// The body is complete.
  indirect case finished(TransferMetrics)
}

extension TransferEvent {
  /// The largest number of interim responses that are delivered for an exchange.
  static let interimLimit = 32
}
