public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure == FreshetError {
  /// Decodes responses as the model of their route, off the caller's actor.
  ///
  /// Progress passes through, and the sequence ends with the first failure. The response keeps its
  /// envelope and the skipped elements, see ``Response/envelope(as:)`` and ``Response/skipped``.
  /// The failure is a ``RouteError``, which also wraps a failure before the response.
  ///
  /// ```swift
  /// let user = try await client.send(.get("users/7")).decode(User.self, by: router).value
  /// ```
  ///
  /// - Parameters:
  ///   - type: The requested type, see ``Router/decode(_:from:for:)``.
  ///   - router: The router; it uses the original request, ``Response/request``.
  /// - Returns: The events with models as values.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    by router: Router
  ) -> some AsyncSequence<Event<Response<Value>>, RouteError> & Sendable {
    RouteDecodeSequence<Self, Value>(base: self, router: router)
  }
}

// MARK: - Sequence

struct RouteDecodeSequence<Base: AsyncSequence & Sendable, Value: Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Response<Data>>, Base.Failure == FreshetError {
  let base: Base
  let router: Router

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), router: router)
  }
}

// MARK: - Iterator

extension RouteDecodeSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let router: Router
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(RouteError) -> Event<Response<Value>>? {
      guard !isOver else { return nil }
      let event: Event<Response<Data>>?
      do {
        event = try await base.next(isolation: actor)
      } catch {
        isOver = true
        throw .failed(error)
      }
      switch event {
      case nil: return nil
      case .progress(let progress): return .progress(progress)
      case .value(let response):
        do {
          return .value(try await Self.decode(response, router))
        } catch {
          isOver = true
          throw error
        }
      }
    }

    @concurrent
    private static func decode(
      _ response: Response<Data>,
      _ router: Router
    ) async throws(RouteError) -> Response<Value> {
      let isError = !response.status.isSuccess && !response.record.isAccepted
      let decoded = try router.response(Value.self, from: response)
      if isError { return decoded }
      do {
        return try await decoded.saved()
      } catch {
        throw .failed(error)
      }
    }
  }
}

@available(*, unavailable)
extension RouteDecodeSequence.Iterator: Sendable {}

// MARK: - Description

extension RouteDecodeSequence: PipelineStage {
  var stageDescription: String { ".decode(\(Value.self), by: router)" }
}
