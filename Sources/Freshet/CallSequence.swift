import FreshetEssentials

/// A service call and its response, see ``Client/call(_:)``.
///
/// - Cold: each iteration makes the call again.
/// - It delivers progress and one response, or one response for each page; then it ends, or it
///   throws once. With ``CallOptions/cache`` a stale response may come before the final one.
/// - Ending or cancelling the iteration cancels the transfer.
/// - An error response is ``CallError/rejected(_:)`` with its model; any other failure is
///   ``CallError/failed(_:)``.
///
/// It is the chain `send(_:).reject(as:when:).unwrap(at:).decode(_:)` as one concrete type.
public struct CallSequence<Output: Sendable, Model: Sendable>: AsyncSequence, Sendable {
  let source: Source
  /// Returns the path of the payload, for descriptions only.
  let payload: @Sendable () -> PayloadPath
  let understand: Understanding

  typealias Understanding =
    @concurrent @Sendable (Response<Data>) async throws(CallError<Model>) -> Response<Output>

  enum Source: Sendable {
    case one(ResponseSequence)
    case pages(PageSequence)
    case none(FreshetError)
  }

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    var iterator = Iterator(understand: understand)
    switch source {
    case .one(let sequence): iterator.one = sequence.makeAsyncIterator()
    case .pages(let sequence): iterator.pages = sequence.makeAsyncIterator()
    case .none(let error): iterator.failure = error
    }
    return iterator
  }

  /// The response of the call, which each read makes again; the last page's if there are several.
  ///
  /// - Throws: The call's failure; ``FreshetError/noValue`` within it if there was no response.
  public var value: Response<Output> {
    get async throws(CallError<Model>) {
      if case .one(let sequence) = source, case .sent(let call) = sequence.source {
        let response: Response<Data>
        do {
          response = try await call.response()
        } catch {
          throw .failed(error)
        }
        return try await understand(response)
      }
      var last: Response<Output>?
      var iterator = makeAsyncIterator()
      while let event = try await iterator.next(isolation: #isolation) {
        if case .value(let response) = event { last = response }
      }
      guard let last else { throw .failed(.noValue) }
      return last
    }
  }

  /// The output of the call, which each read makes again.
  ///
  /// - Throws: The call's failure; ``FreshetError/noValue`` within it if there was no response.
  public var output: Output {
    get async throws(CallError<Model>) { try await value.value }
  }
}

extension CallSequence {
  /// Pulls the events of one call.
  public struct Iterator: AsyncIteratorProtocol {
    // Two optionals instead of an enumeration, whose payload, the body included, would be copied by
    // each change.
    var one: ResponseSequence.Iterator?
    var pages: PageSequence.Iterator?
    var failure: FreshetError?
    let understand: Understanding

    /// Waits for the next event; `nil` after the last response.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(CallError<Model>) -> Event<Response<Output>>? {
      let event: Event<Response<Data>>?
      do {
        event = try await nextResponse()
      } catch {
        end()
        throw .failed(error)
      }
      switch event {
      case nil: return nil
      case .progress(let progress): return .progress(progress)
      case .value(let response):
        do {
          return .value(try await understand(response))
        } catch {
          end()
          throw error
        }
      }
    }

    private mutating func nextResponse() async throws(FreshetError) -> Event<Response<Data>>? {
      if let failure { throw failure }
      guard one == nil else { return try await one?.next() }
      return try await pages?.next()
    }

    private mutating func end() {
      one = nil
      pages = nil
      failure = nil
    }
  }
}

@available(*, unavailable)
extension CallSequence.Iterator: Sendable {}

extension CallSequence: PipelineDescribable, CustomStringConvertible {
  /// The request, and the stages that process its response.
  package var words: PipelineDescription {
    let responses =
      switch source {
      case .one(let sequence): sequence.words
      case .pages(let sequence): sequence.words
      case .none(let error): PipelineDescription("no request: \(error)")
      }
    let model = Model.self == NoErrorModel.self ? "" : ".reject(as: \(Model.self))"
    let path = payload().description
    return responses.adding(model)
      .adding(path.isEmpty ? "" : ".unwrap(at: \"\(path)\")")
      .adding(".decode(\(Output.self))")
  }
}
