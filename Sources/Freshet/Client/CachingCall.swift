import FreshetEssentials

/// A call through the client's stores, with responses as values.
struct CachingCall: AsyncSequence, Sendable {
  let request: Request
  let limit: Int
  /// The store for what is decoded of the response.
  let models: (any ModelSaving)?
  /// A closure that makes the fetch of one iteration, which collects this many bytes of an error response.
  let fetch: @Sendable (Int) -> ResourceSequence

  func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Waits for the last response.
  ///
  /// - Throws: The failure of the call; ``FreshetError/noValue`` if it ends without a response.
  nonisolated(nonsending) func response() async throws(FreshetError) -> Response<Data> {
    var last: Response<Data>?
    let iterator = makeAsyncIterator()
    while let event = try await iterator.next(isolation: #isolation) {
      if case .value(let response) = event { last = response }
    }
    guard let last else { throw .noValue }
    return last
  }

  final class Iterator: AsyncIteratorProtocol {
    let request: Request
    let limit: Int
    let models: (any ModelSaving)?
    var base: ResourceSequence.Iterator?

    init(_ call: CachingCall) {
      request = call.request
      limit = Swift.max(0, call.limit)
      models = call.models
      // One more byte distinguishes a body that is too long from one that just fits.
      base = call.fetch(limit == .max ? limit : limit + 1).makeAsyncIterator()
    }

    func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      do throws(FreshetError) {
        switch try await base?.next(isolation: actor) {
        case nil:
          base = nil
          return nil
        case .progress(let progress): return .progress(progress)
        case .value(let resource): return .value(try response(resource))
        }
      } catch {
        base = nil
        // The stages below decide whether a status is an error.
        guard case .status(let head, let body) = error else { throw error }
        return .value(try response(head, body))
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
        resource: resource,
        models: models
      )
      return response
    }

    private func response(
      _ head: ResponseHead,
      _ body: Data
    ) throws(FreshetError) -> Response<Data> {
      guard body.count <= limit else {
        throw .limitExceeded(.bodyBytes(Int64(limit)), url: Redaction.shown(head.url))
      }
      var response = Response(head: head, value: body)
      response.record.call = CallRecord(
        request: request,
        explanation: head.notes.story?.explanation ?? Explanation(),
        models: models
      )
      return response
    }
  }
}

@available(*, unavailable)
extension CachingCall.Iterator: Sendable {}

extension CachingCall: PipelineDescribable {
  var words: PipelineDescription {
    PipelineDescription(fetch(limit))
      .adding(PipelineText.unless(64 << 20, limit) { ".collect(limit: \($0))" })
  }
}
