import Foundation

/// Finds out what has to be transferred for one request, without transferring it.
struct SizeInquiry {
  let client: Client
  let policy: ResourcePolicy

  struct Answer: Sendable {
    let need: BatchPlan.Need
    var problem: String?
  }

  /// Asks the stores, and then the origin; a failure is part of the answer.
  func ask(_ request: Request) async -> Answer {
    let request = client.prepared(request)
    do throws(FreshetError) {
      switch try await look(request) {
      case .resource:
        return Answer(need: .none)
      case .expired(let expired):
        guard policy.revalidation != .none else { fallthrough }
        return Answer(need: try await need(of: request, against: expired))
      default:
        return Answer(need: try await need(of: request, against: nil))
      }
    } catch {
      return Answer(need: .unknown, problem: error.description)
    }
  }

  /// How the local part of a fetch ends.
  private func look(_ request: Request) async throws(FreshetError) -> Fetch? {
    let resource = client.resource(request, policy: policy).asking()
    var steps = resource.lookups(after: resource.beginning).makeAsyncIterator()
    while let step = try await steps.next(isolation: #isolation) {
      if case .resource(let resource) = step, !resource.isFinal { continue }
      return step
    }
    return nil
  }

  private func need(
    of request: Request,
    against expired: Fetch.Expired?
  ) async throws(FreshetError) -> BatchPlan.Need {
    guard policy.network != .forbidden else {
      throw .notStored(url: Redaction.shown(request.url))
    }
    var known: ResponseHead?
    if let expired, let answer = try await check(expired, for: request) {
      if Self.confirms(answer, expired) { return .validation }
      known = Self.isMeasured(answer, for: request) ? answer : nil
    }
    let head: ResponseHead = if let known { known } else { try await head(of: request) }
    // Only its head is going to come.
    if request.method == .head { return .body(0) }
    guard let size = Self.size(of: head) else { return .unknown }
    guard let range = request.headers[.range] else { return .body(size) }
    let positions = ByteRange(range)?.positions(in: size)
    return positions.map { .body(Int64($0.count)) } ?? .unknown
  }

  /// What the origin says to the question that a fetch would ask about its copy, by `HEAD`; `nil` if a
  /// fetch would not ask, or cannot be told so.
  ///
  /// It has the fields of the fetch: the copy may be one of several representations, and the others
  /// have other validators. The stores learn of the answer (RFC 9111 section 4.3.5).
  private func check(
    _ expired: Fetch.Expired,
    for request: Request
  ) async throws(FreshetError) -> ResponseHead? {
    guard let question = question(about: expired, for: request) else { return nil }
    let head = Validation.head(question)
    let answer = try await answer(to: head, over: client.resourceTransport(for: head))
    guard Self.isRefused(answer) else { return answer }
    guard policy.revalidation == .conditional else { return nil }
    // The body that would come if it has changed is left where it is.
    return try await self.answer(to: question, over: client.transport())
  }

  /// The question as ``RevalidateSequence`` asks it.
  private func question(about expired: Fetch.Expired, for request: Request) -> Request? {
    switch policy.revalidation {
    case .none: nil
    case .conditional: Validation.conditional(request, for: expired.response)
    case .head:
      expired.response.head.status == .partialContent || request.isIdentifiedWhole ? nil : request
    }
  }

  /// Whether the copy is still right.
  private static func confirms(_ answer: ResponseHead, _ expired: Fetch.Expired) -> Bool {
    let stored = expired.response
    let isSame =
      answer.status == .notModified
      ? Validation.accepts(answer, for: stored) : Validation.isSame(answer, as: stored)
    return isSame && stored.varying.match(expired.context.headers(behind: answer))
  }

  /// Whether the answer says all that there is to know of the size that a fetch would count: the
  /// length of a coded body is not that of what it decodes to, which has to be asked for.
  private static func isMeasured(_ answer: ResponseHead, for request: Request) -> Bool {
    guard answer.status == .ok else { return false }
    return request.headers.contains(.acceptEncoding) || !answer.headers.contains(.contentEncoding)
  }

  /// The origin's head, with the size of the whole.
  private func head(of request: Request) async throws(FreshetError) -> ResponseHead {
    var question = Validation.head(request)
    question.headers.remove(.range)
    if !question.headers.contains(.acceptEncoding) {
      // The length of an encoded body would not be the one that a fetch counts.
      question.headers[.acceptEncoding] = "identity"
    }
    // What it asks for is no stored representation, and says nothing of those.
    let head = try await answer(to: question, over: client.transport())
    if Self.isRefused(head) {
      question.method = .get
      question.headers[.range] = ByteRange.bounded(0...0).description
      return try accepted(try await answer(to: question, over: client.transport()))
    }
    return try accepted(head)
  }

  /// Whether the origin does not do `HEAD` there.
  private static func isRefused(_ head: ResponseHead) -> Bool {
    head.status == HTTPStatus(405) || head.status == HTTPStatus(501)
  }

  private func accepted(_ head: ResponseHead) throws(FreshetError) -> ResponseHead {
    // An empty resource has no first byte.
    let isEmpty = head.status == HTTPStatus(416) && Self.size(of: head) == 0
    guard head.status.isSuccess || isEmpty else { throw .status(head, body: Data()) }
    return head
  }

  /// The head alone: leaving cancels whatever would follow.
  private func answer(
    to request: Request,
    over transport: any Transport
  ) async throws(FreshetError) -> ResponseHead {
    var transfer = transport.send(request).makeAsyncIterator()
    while let event = try await transfer.next(isolation: #isolation) {
      guard case .head(let head) = event else { continue }
      guard request.method == .head || head.status == .notModified else { return head }
      // The end is at hand, and keeps the connection.
      while try await transfer.next(isolation: #isolation) != nil {}
      return head
    }
    throw .invalidResponse("it ended without a response", url: Redaction.shown(request.url))
  }

  private static func size(of head: ResponseHead) -> Int64? {
    if head.status == .partialContent || head.status == HTTPStatus(416) {
      return head.headers[.contentRange].flatMap { ContentRange($0)?.total }
    }
    return head.decodedLength
  }
}
