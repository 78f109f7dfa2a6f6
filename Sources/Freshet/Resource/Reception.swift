import Foundation

/// Receives one response for a fetch: its steps are progress on the way and one result.
///
/// The body goes to the spool chunk by chunk. A failure becomes the stale copy where there is one
/// that may be served.
struct Reception {
  let context: FetchContext
  let fallback: Fetch.Expired?
  /// The copy whose validators the request carries.
  let validated: Fetch.Expired?
  let spool: Spool
  let now: @Sendable () -> Date
  var transfer: Transfer.Iterator
  var explanation: Explanation
  let requestTime: Date
  var responseTime: Date
  var answer = Answer.awaited
  var received: Int64 = 0
  var expected: Int64?

  enum Answer {
    case awaited
    case notModified(ResponseHead)
    case content(ResponseHead, SpoolWriter)
    case refused(ResponseHead, Data)
    case done
  }

  /// How much of an error response is kept.
  static let errorBodyLimit = 64 * 1024
}

extension Reception {
  /// Receives the resource itself.
  init(_ wanted: Fetch.Wanted, over transport: any Transport, spool: Spool, now: @escaping Now) {
    self.init(
      context: wanted.context,
      sending: wanted.request,
      over: transport,
      validating: nil,
      fallback: wanted.fallback,
      explanation: wanted.explanation,
      spool: spool,
      now: now
    )
  }

  /// Asks whether a copy is still right, and receives the new body if it is not.
  init(
    validating expired: Fetch.Expired,
    with conditional: Request,
    over transport: any Transport,
    spool: Spool,
    now: @escaping Now
  ) {
    self.init(
      context: expired.context,
      sending: conditional,
      over: transport,
      validating: expired,
      fallback: expired,
      explanation: expired.explanation.adding(.validating(.conditional)),
      spool: spool,
      now: now
    )
  }

  typealias Now = @Sendable () -> Date

  private init(
    context: FetchContext,
    sending request: Request,
    over transport: any Transport,
    validating validated: Fetch.Expired?,
    fallback: Fetch.Expired?,
    explanation: Explanation,
    spool: Spool,
    now: @escaping Now
  ) {
    self.context = context
    self.fallback = fallback
    self.validated = validated
    self.spool = spool
    self.now = now
    self.explanation = explanation
    transfer = transport.send(request).makeAsyncIterator()
    requestTime = now()
    responseTime = requestTime
  }
}

extension Reception {
  /// The next step, or `nil` after the result.
  mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) -> Fetch? {
    if case .done = answer { return nil }
    do {
      while let event = try await transfer.next(isolation: actor) {
        if let step = try receive(event) { return step }
      }
    } catch {
      answer = .done
      return try Fallback.serve(fallback, insteadOf: error, explanation: explanation)
    }
    answer = .done
    throw .invalidResponse("it ended without a response", url: Redaction.shown(context.request.url))
  }

  private mutating func receive(_ event: TransferEvent) throws(FreshetError) -> Fetch? {
    switch event {
    case .sent(let progress):
      return .progress(progress)
    case .redirected(let redirect):
      explanation.add(.redirected(to: Redaction.shown(redirect.target)))
      return nil
    case .retrying(let attempt, let delay, let reason):
      explanation.add(.retried(attempt: attempt, after: delay, because: reason))
      return nil
    case .head(let head):
      try begin(head)
      return nil
    case .body(let chunk):
      return try append(chunk)
    case .finished(let metrics):
      return try finish(TransferRecord(metrics))
    }
  }

  private mutating func begin(_ head: ResponseHead) throws(FreshetError) {
    responseTime = now()
    if head.status == .notModified, validated != nil {
      answer = .notModified(head)
    } else if head.status.isSuccess {
      expected = head.decodedLength
      answer = .content(head, try SpoolWriter(spool, expectedLength: expected))
    } else {
      answer = .refused(head, Data())
    }
  }

  private mutating func append(_ chunk: Data) throws(FreshetError) -> Fetch? {
    switch answer {
    case .content(_, let writer):
      try writer.append(chunk)
      received += Int64(chunk.count)
      return .progress(TransferProgress(completed: received, total: expected))
    case .refused(let head, let body):
      answer = .refused(head, body + chunk.prefix(Self.errorBodyLimit - body.count))
      return nil
    case .awaited, .notModified, .done:
      return nil
    }
  }

  private mutating func finish(_ transfer: TransferRecord) throws(FreshetError) -> Fetch? {
    switch answer {
    case .content(let head, let writer):
      answer = .done
      return .downloaded(try downloaded(head, writer, transfer))
    case .notModified(let head):
      answer = .done
      guard let validated else { return nil }
      guard Validation.accepts(head, for: validated.response) else {
        return .wanted(validated.superseded(because: .mistaken(status: head.status)))
      }
      return .downloaded(validated.confirmed(by: head, self, transfer))
    case .refused(let head, let body):
      throw .status(head, body: body)
    case .awaited, .done:
      return nil
    }
  }

  private func downloaded(
    _ head: ResponseHead,
    _ writer: SpoolWriter,
    _ transfer: TransferRecord
  ) throws(FreshetError) -> Fetch.Downloaded {
    let (body, digest) = try writer.finish()
    return Fetch.Downloaded(
      context: context,
      response: StoredResponse(
        key: context.key,
        varying: VaryingFields(response: head.headers, request: context.request.headers),
        head: head,
        body: body,
        digest: digest,
        requestTime: requestTime,
        responseTime: responseTime,
        tags: context.request.tags
      ),
      change: .replaced,
      transfer: transfer,
      explanation: explanation.adding(.downloaded(bytes: body.length, transfer.metrics))
    )
  }
}

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
