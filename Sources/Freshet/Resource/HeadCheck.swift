import Foundation

/// Validation by HEAD: asks for the head alone and compares its validators with the copy's.
struct HeadCheck {
  let expired: Fetch.Expired
  let transport: any Transport
  let tools: ReceptionTools

  init(_ expired: Fetch.Expired, over transport: any Transport, _ tools: ReceptionTools) {
    self.expired = expired
    self.transport = transport
    self.tools = tools
  }

  /// The step that follows: the copy confirmed, or `wanted`.
  func step(isolation actor: isolated (any Actor)?) async throws(FreshetError) -> Fetch {
    let explanation = expired.explanation.adding(.validating(.head))
    let started = Moment.now
    do throws(FreshetError) {
      let requestTime = tools.now()
      let askedAt = EventInstant.now
      let (head, transfer) = try await head(isolation: actor)
      // Another 5xx, such as 501, says that this server does not do HEAD: the body is asked for.
      if ReusePolicy.isFailure(head.status) {
        throw FreshetError.status(
          head.withoutNotes().telling(.network, explanation),
          body: Data()
        )
      }
      let headers = expired.context.headers(behind: head)
      guard Validation.isSame(head, as: expired.response),
        expired.response.varying.match(headers)
      else {
        return .wanted(
          expired.superseded(because: .changed(status: head.status), started: started)
        )
      }
      return .downloaded(
        expired.confirmed(
          by: head,
          for: headers,
          requestTime: requestTime,
          responseTime: tools.now(),
          askedAt: askedAt,
          transfer: transfer,
          explanation: explanation
        )
      )
    } catch {
      return try Fallback.serve(
        expired,
        insteadOf: error,
        explanation: explanation,
        now: tools.now()
      )
    }
  }

  private func head(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> (ResponseHead, TransferRecord) {
    var request = Validation.head(expired.request)
    request.scope = tools.scope
    var transfer = transport.send(request).makeAsyncIterator()
    var answer: ResponseHead?
    while let event = try await transfer.next(isolation: actor) {
      switch event {
      case .head(let head):
        answer = head
      case .finished(let metrics):
        if let answer { return (answer, TransferRecord(metrics)) }
      case .sent, .redirected, .retrying, .body:
        continue
      }
    }
    throw .invalidResponse("it ended without a response", url: Redaction.shown(request.url))
  }
}
