public import Foundation

/// A request and its response, see ``Client/send(_:limit:)``.
///
/// - Cold: each iteration sends the request anew.
/// - Delivers progress (of the upload, then of the body) and one value; then it ends, or it throws
///   once.
/// - Ending or cancelling the iteration cancels the transfer.
public struct ResponseSequence: AsyncSequence, Sendable {
  let request: Request
  let transfer: Transfer
  let limit: Int

  init(_ request: Request, over transport: any Transport, limit: Int) {
    self.request = request
    transfer = transport.send(request)
    self.limit = limit
  }

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(request: request, transfer: transfer.makeAsyncIterator(), limit: limit)
  }

  /// Pulls the events of one call.
  public struct Iterator: AsyncIteratorProtocol {
    let request: Request
    var transfer: Transfer.Iterator
    let limit: Int
    var head: ResponseHead?
    var expected: Int64?
    var body = Data()
    var explanation = Explanation()

    init(request: Request, transfer: Transfer.Iterator, limit: Int) {
      self.request = request
      self.transfer = transfer
      self.limit = limit
    }

    /// Waits for the next event; `nil` after the response.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      while let event = try await transfer.next(isolation: actor) {
        switch event {
        case .sent(let progress):
          return .progress(progress)
        case .head(let head):
          self.head = head
          expected = head.decodedLength
        case .body(let chunk):
          try append(chunk)
          return .progress(TransferProgress(completed: Int64(body.count), total: expected))
        case .finished:
          return head.map { .value(response($0)) }
        case .redirected(let redirect):
          explanation.add(.redirected(to: Redaction.shown(redirect.target)))
        case .retrying(let attempt, let pause, let reason):
          explanation.add(.retried(attempt: attempt, after: pause, because: reason))
        }
      }
      return nil
    }

    private func response(_ head: ResponseHead) -> Response<Data> {
      var response = Response(head: head, value: body)
      response.record.call = CallRecord(request: request, explanation: explanation)
      return response
    }

    private mutating func append(_ chunk: Data) throws(FreshetError) {
      guard body.count + chunk.count <= limit else {
        let url = head.map { Redaction.shown($0.url) } ?? ""
        throw .limitExceeded(.bodyBytes(Int64(limit)), url: url)
      }
      if body.isEmpty {
        body = chunk
      } else {
        body.append(chunk)
      }
    }
  }
}

@available(*, unavailable)
extension ResponseSequence.Iterator: Sendable {}
