import FreshetEssentials

/// Determines the amount to transfer for one request, without transferring it.
struct SizeInquiry {
  let client: Client
  let policy: ResourcePolicy

  /// Asks the stores, and then the origin as the fetch would.
  func need(of request: Request) async throws(FreshetError) -> BatchPlan.Need {
    let request = client.prepared(request)
    let chain = client.chain(prepared: request, client.settings.stages.list(for: policy))
    let plan = try await chain.plan()
    switch (plan.step, plan.request) {
    case (_, _?) where request.method != .get && request.method != .head:
      // HEAD, and a range, are about the response to GET (RFC 9110 section 9.3.2).
      return .unknown
    case (.expired(let expired), var question?):
      if plan.resumesAt != nil {
        // Sizes are those of the whole.
        question.headers.remove(.range)
        question.headers.remove(.ifRange)
      }
      return try await validation(of: request, against: expired, asking: question)
    case (_, _?):
      return try await download(of: request)
    case (.resource, nil), (.expired, nil), (.found, nil):
      return .none
    case (_, nil):
      throw .notStored(url: Redaction.shown(request.url))
    }
  }

  /// Returns the amount that the validation of a copy would transfer.
  private func validation(
    of request: Request,
    against expired: Fetch.Expired,
    asking question: Request
  ) async throws(FreshetError) -> BatchPlan.Need {
    guard let answer = try await answer(to: question) else {
      return try await download(of: request)
    }
    if Self.confirms(answer, expired) { return .validation }
    let known = Self.isMeasured(answer, for: request) ? answer : nil
    return try await download(of: request, knowing: known)
  }

  /// Returns the amount that a download would transfer.
  private func download(
    of request: Request,
    knowing known: ResponseHead? = nil
  ) async throws(FreshetError) -> BatchPlan.Need {
    let head: ResponseHead = if let known { known } else { try await head(of: request) }
    // The response to a `HEAD` has no body.
    if request.method == .head { return .body(0) }
    guard let size = Self.size(of: head) else { return .unknown }
    guard let range = request.headers[.range] else { return .body(size) }
    let positions = ByteRange(range)?.positions(in: size)
    return positions.map { .body($0.length) } ?? .unknown
  }

  /// Returns the origin's response to the validation of a copy, by `HEAD`; `nil` if the origin does
  /// not support that.
  ///
  /// It has the fields of the fetch: the copy may be one of several representations, and the others
  /// have other validators. The response updates the stores (RFC 9111 section 4.3.5).
  private func answer(to question: Request) async throws(FreshetError) -> ResponseHead? {
    let answer = try await response(to: Validation.head(question))
    guard Self.isRefused(answer) else { return answer }
    guard question.method != .head else { return nil }
    // The transfer is cancelled before the body, if the resource has changed.
    return try await response(to: question)
  }

  /// Returns a Boolean value that indicates whether the response confirms the copy.
  private static func confirms(_ answer: ResponseHead, _ expired: Fetch.Expired) -> Bool {
    let stored = expired.response
    let isSame =
      answer.status == .notModified
      ? Validation.accepts(answer, for: stored) : Validation.isSame(answer, as: stored)
    return isSame && stored.fit(expired.context.headers(behind: answer)) != .none
  }

  /// Returns a Boolean value that indicates whether the response has the size that a fetch would report;
  /// the length of a coded body differs from its decoded length, which needs a request of its own.
  private static func isMeasured(_ answer: ResponseHead, for request: Request) -> Bool {
    guard answer.status == .ok else { return false }
    return request.headers.contains(.acceptEncoding) || !answer.headers.contains(.contentEncoding)
  }

  /// Returns the origin's head, with the size of the whole.
  private func head(of request: Request) async throws(FreshetError) -> ResponseHead {
    var question = Validation.head(request)
    question.headers.remove(.range)
    if !question.headers.contains(.acceptEncoding) {
      // The length of a coded body would not be the one that a fetch reports.
      question.headers[.acceptEncoding] = "identity"
    }
    // The requested representation is not the stored one.
    question.changesNoStore = true
    let head = try await response(to: question)
    if Self.isRefused(head) {
      question.method = .get
      question.headers[.range] = ByteRange.bounded(0...0).description
      return try accepted(try await response(to: question))
    }
    return try accepted(head)
  }

  /// Returns a Boolean value that indicates whether the origin does not support `HEAD` for the resource.
  private static func isRefused(_ head: ResponseHead) -> Bool {
    head.status == HTTPStatus(405) || head.status == HTTPStatus(501)
  }

  private func accepted(_ head: ResponseHead) throws(FreshetError) -> ResponseHead {
    // An empty resource has no first byte.
    let isEmpty = head.status == HTTPStatus(416) && Self.size(of: head) == 0
    guard head.status.isSuccess || isEmpty else { throw .status(head, body: Data()) }
    return head
  }

  /// Returns the head only; the rest of the transfer is cancelled.
  private func response(to request: Request) async throws(FreshetError) -> ResponseHead {
    var transfer = client.settings.transport.send(request).makeAsyncIterator()
    while let event = try await transfer.next(isolation: #isolation) {
      guard case .head(let head) = event else { continue }
      guard request.method == .head || head.status == .notModified else { return head }
      // Reading the end, which follows at once, keeps the connection.
      while try await transfer.next(isolation: #isolation) != nil {}
      return head
    }
    throw .noResponse(to: request)
  }

  private static func size(of head: ResponseHead) -> Int64? {
    if head.status == .partialContent || head.status == HTTPStatus(416) {
      return head.headers[.contentRange].flatMap { ContentRange($0)?.total }
    }
    return head.decodedLength
  }
}
