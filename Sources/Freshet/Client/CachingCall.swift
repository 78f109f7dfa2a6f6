import FreshetEssentials

/// A call through the client's stores, with responses as values.
struct CachingCall: AsyncSequence, Sendable {
  let request: Request
  let limit: Int
  /// The stores that the client has.
  let stores: [any ResourceStore]
  /// The store for what is decoded of the response.
  let models: (any ModelSaving)?
  /// The fetch, which collects more than the limit of an error response.
  let resource: ResourceSequence

  func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  final class Iterator: AsyncIteratorProtocol {
    private let call: CachingCall
    private var base: ResourceSequence.Iterator?

    init(_ call: CachingCall) {
      self.call = call
      base = call.resource.makeAsyncIterator()
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
        case .value(let resource): return .value(try await response(resource))
        }
      } catch {
        base = nil
        // The stages below decide whether a status is an error.
        guard case .status(let head, let body) = error else { throw error }
        guard body.count <= call.limit else {
          throw .limitExceeded(.bodyBytes(Int64(call.limit)), url: Redaction.shown(head.url))
        }
        return .value(response(head, body, error.explanation ?? Explanation()))
      }
    }

    private func response(_ resource: Resource) async throws(FreshetError) -> Response<Data> {
      var head = resource.response.head
      head.headers = resource.headers
      let body = try await resource.dataOffActor(limit: call.limit)
      return response(head, body, resource.explanation, resource)
    }

    private func response(
      _ head: ResponseHead,
      _ body: Data,
      _ explanation: Explanation,
      _ resource: Resource? = nil
    ) -> Response<Data> {
      var response = Response(head: head, value: body)
      response.record.call = CallRecord(
        request: call.request,
        explanation: explanation,
        resource: resource,
        stores: call.stores,
        models: call.models
      )
      return response
    }
  }
}

@available(*, unavailable)
extension CachingCall.Iterator: Sendable {}

extension CachingCall: PipelineDescribable {
  var words: PipelineDescription {
    PipelineDescription(resource)
      .adding(PipelineText.unless(64 << 20, limit) { ".collect(limit: \($0))" })
  }
}
