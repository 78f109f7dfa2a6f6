import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Resource>, Failure == FreshetError {
  /// Decodes the bodies of resources, both stale and final ones.
  ///
  /// - The guarantees are those of `decode` on the responses of a call. ``Response/explanation`` is
  ///   the resource's.
  /// - A body of more than 64 MiB fails with ``FreshetError/limitExceeded(_:url:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the decoded bodies.
  ///   - decoding: The decoding.
  /// - Returns: The events, with responses whose values are decoded.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>
  ) -> some AsyncSequence<Event<Response<Value>>, FreshetError> & Sendable {
    DecodeSequence(base: ResourceResponses(base: self), decoding: decoding)
  }

  /// Decodes the bodies of resources from JSON; for `Data`, the bytes are returned unchanged.
  ///
  /// ```swift
  /// let users = try await client.resource(at: url).decode([User].self).output
  /// ```
  ///
  /// - Parameter type: The type of the decoded bodies.
  /// - Returns: The events, with responses whose values are decoded.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) -> some AsyncSequence<Event<Response<Value>>, FreshetError> & Sendable {
    DecodeSequence(base: ResourceResponses(base: self), decoding: .standard)
  }
}

// MARK: - Sequence

/// Resources as responses with their bodies in memory.
struct ResourceResponses<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Resource>, Base.Failure == FreshetError {
  let base: Base

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator())
  }
}

// MARK: - Iterator

extension ResourceResponses {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      guard !isOver else { return nil }
      do throws(FreshetError) {
        switch try await base.next(isolation: actor) {
        case nil: return nil
        case .progress(let progress): return .progress(progress)
        case .value(let resource): return .value(try await resource.collected())
        }
      } catch {
        isOver = true
        throw error
      }
    }
  }
}

@available(*, unavailable)
extension ResourceResponses.Iterator: Sendable {}

extension Resource {
  /// The response with its body in memory.
  fileprivate func collected() async throws(FreshetError) -> Response<Data> {
    var head = response.head
    head.headers = headers
    var collected = Response(head: head, value: try await dataOffActor())
    collected.record.call = CallRecord(
      request: request,
      explanation: explanation,
      resource: self,
      models: context.models
    )
    return collected
  }
}

// MARK: - Description

extension ResourceResponses: PipelineStage {
  var stageDescription: String { "" }
}
