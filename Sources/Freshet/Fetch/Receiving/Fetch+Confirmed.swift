import FreshetEssentials

extension Fetch.Expired {
  /// Returns the copy with its head updated from a 304 or a HEAD.
  ///
  /// `headers` are the request's fields that selected the response.
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
      change: .validated(source),
      transfer: transfer,
      // The new `Vary` may select by other fields: the copy under the former ones would be found again.
      superseded: response,
      explanation: explanation.adding(.confirmed(status: head.status, transfer.metrics.total))
    )
  }
}
