import FreshetEssentials

extension Revalidate {
  /// Requests only the head of the resource, and compares its validators with those of a copy.
  ///
  /// - Returns: The next step: the confirmed copy, or `wanted`.
  func compareHead(with expired: Fetch.Expired) async throws(FreshetError) -> Fetch {
    let call = FetchCall()
    let explanation = expired.explanation.adding(.validating(.head))
    do throws(FreshetError) {
      let requestTime = options.now()
      let askedAt = EventInstant.now
      let (head, transfer) = try await head(for: expired, in: call)
      // Another 5xx, such as 501, means that the server does not support HEAD: the body is requested.
      if ReusePolicy.isFailure(head.status) {
        throw FreshetError.status(
          head.withoutNotes()
            .telling(.network, explanation, isPersonal: transfer.isPersonal),
          body: Data()
        )
      }
      let headers = expired.context.headers(behind: head)
      guard Validation.isSame(head, as: expired.response),
        expired.response.fit(headers) != .none
      else {
        return .wanted(
          expired.superseded(because: .changed(status: head.status), call: call)
        )
      }
      return .downloaded(
        expired.confirmed(
          by: head,
          for: headers,
          requestTime: requestTime,
          responseTime: options.now(),
          askedAt: askedAt,
          transfer: transfer,
          explanation: explanation
        )
      )
    } catch {
      return try StaleFallback.serve(
        expired,
        insteadOf: error,
        explanation: explanation,
        now: options.now()
      )
    }
  }

  private func head(
    for expired: Fetch.Expired,
    in call: FetchCall
  ) async throws(FreshetError) -> (ResponseHead, TransferRecord) {
    var request = Validation.head(expired.request)
    request.scope = call.scope
    request.changesNoStore = true
    var transfer = transport.send(request).makeAsyncIterator()
    var answer: ResponseHead?
    while let event = try await transfer.next(isolation: #isolation) {
      switch event {
      case .head(let head):
        answer = head
      case .finished(let metrics):
        guard let answer else { continue }
        let transfer = TransferRecord(
          metrics,
          Confirmation(request: request, head: answer),
          isPersonal: expired.context.isPersonal(answer, over: transport)
        )
        return (answer, transfer)
      case .waitingForConnectivity, .sent, .redirected, .retrying, .interim, .body:
        continue
      }
    }
    throw .noResponse(to: request)
  }
}
