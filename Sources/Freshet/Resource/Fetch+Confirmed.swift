import Foundation

extension Fetch.Expired {
  /// The copy with the head that a 304, or a HEAD, has brought up to date.
  func confirmed(
    by head: ResponseHead,
    _ reception: Reception,
    _ transfer: TransferRecord
  ) -> Fetch.Downloaded {
    confirmed(
      by: head,
      requestTime: reception.requestTime,
      responseTime: reception.responseTime,
      transfer: transfer,
      explanation: reception.explanation
    )
  }

  func confirmed(
    by head: ResponseHead,
    requestTime: Date,
    responseTime: Date,
    transfer: TransferRecord,
    explanation: Explanation
  ) -> Fetch.Downloaded {
    Fetch.Downloaded(
      context: context,
      response: response.freshened(
        by: head,
        answering: context.request,
        requestTime: requestTime,
        responseTime: responseTime
      ),
      change: .validated(origin),
      transfer: transfer,
      explanation: explanation.adding(.confirmed(status: head.status, transfer.metrics.total))
    )
  }
}
