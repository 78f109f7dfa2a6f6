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
        return Answer(need: try await need(of: request, against: expired.response))
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
    against stored: StoredResponse?
  ) async throws(FreshetError) -> BatchPlan.Need {
    guard policy.network != .forbidden else {
      throw .notStored(url: Redaction.shown(request.url))
    }
    let head = try await head(of: request)
    if let stored, Validation.isSame(head, as: stored) { return .validation }
    guard let size = Self.size(of: head) else { return .unknown }
    guard let range = request.headers[.range] else { return .body(size) }
    let positions = ByteRange(range)?.positions(in: size)
    return positions.map { .body(Int64($0.count)) } ?? .unknown
  }

  /// The origin's head, with the size of the whole.
  private func head(of request: Request) async throws(FreshetError) -> ResponseHead {
    var question = Validation.head(request)
    question.headers.remove(.range)
    if !question.headers.contains(.acceptEncoding) {
      // The length of an encoded body would not be the one that a fetch counts.
      question.headers[.acceptEncoding] = "identity"
    }
    let head = try await answer(to: question)
    if head.status == HTTPStatus(405) || head.status == HTTPStatus(501) {
      question.method = .get
      question.headers[.range] = ByteRange.bounded(0...0).description
      return try accepted(try await answer(to: question))
    }
    return try accepted(head)
  }

  private func accepted(_ head: ResponseHead) throws(FreshetError) -> ResponseHead {
    // An empty resource has no first byte.
    let isEmpty = head.status == HTTPStatus(416) && Self.size(of: head) == 0
    guard head.status.isSuccess || isEmpty else { throw .status(head, body: Data()) }
    return head
  }

  /// The head alone: leaving cancels whatever would follow.
  private func answer(to request: Request) async throws(FreshetError) -> ResponseHead {
    var transfer = client.transport().send(request).makeAsyncIterator()
    while let event = try await transfer.next(isolation: #isolation) {
      guard case .head(let head) = event else { continue }
      guard request.method == .head else { return head }
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
