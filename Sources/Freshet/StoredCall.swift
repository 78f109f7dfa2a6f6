import Foundation

/// A call through the client's stores, as responses.
struct StoredCall: AsyncSequence, Sendable {
  let base: ResourceSequence
  let request: Request
  let limit: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), request: request, limit: limit)
  }

  struct Iterator: AsyncIteratorProtocol {
    var base: ResourceSequence.Iterator
    let request: Request
    let limit: Int
    var isOver = false

    init(base: ResourceSequence.Iterator, request: Request, limit: Int) {
      self.base = base
      self.request = request
      self.limit = limit
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      guard !isOver else { return nil }
      do throws(FreshetError) {
        switch try await base.next(isolation: actor) {
        case nil: return nil
        case .progress(let progress): return .progress(progress)
        case .value(let resource): return .value(try response(resource))
        }
      } catch .status(let head, let body) {
        // Whether that is an error is for the stages below to say.
        isOver = true
        var response = Response(head: head, value: body)
        response.record.call = CallRecord(
          request: request,
          explanation: head.notes.story?.explanation ?? Explanation()
        )
        return .value(response)
      }
    }

    private func response(_ resource: Resource) throws(FreshetError) -> Response<Data> {
      var head = resource.response.head
      head.headers = resource.headers
      var response = Response(
        head: head,
        value: try resource.data(limit: limit)
      )
      response.record.call = CallRecord(
        request: request,
        explanation: resource.explanation,
        resource: resource
      )
      return response
    }
  }
}

@available(*, unavailable)
extension StoredCall.Iterator: Sendable {}
