import Foundation

extension Fetch.Expired {
  /// The copy with the head that a 304, or a HEAD, has brought up to date.
  ///
  /// `headers` are the request's fields that chose the response.
  func confirmed(
    by head: ResponseHead,
    for headers: HTTPHeaders,
    requestTime: Date,
    responseTime: Date,
    askedAt: EventInstant,
    transfer: TransferRecord,
    explanation: Explanation
  ) -> Fetch.Downloaded {
    Fetch.Downloaded(
      context: context,
      response: response.freshened(
        by: head,
        for: headers,
        requestTime: requestTime,
        responseTime: responseTime,
        askedAt: askedAt
      ),
      change: .validated(origin),
      transfer: transfer,
      // A new Vary chooses otherwise: the copy under the former one would come back.
      superseded: response,
      explanation: explanation.adding(.confirmed(status: head.status, transfer.metrics.total))
    )
  }
}
