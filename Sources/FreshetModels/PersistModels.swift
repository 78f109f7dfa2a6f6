public import Freshet

extension AsyncSequence where Self: Sendable, Failure: PipelineFailure {
  /// Saves values before it delivers them, and delivers them as they are stored.
  ///
  /// - A value is delivered after the store has acknowledged it. Several values are saved one after
  ///   the other.
  /// - Only values are saved: a failure before this operator, such as an error response that became
  ///   a failure, leaves the store unchanged.
  /// - A save that fails ends the pipeline with ``/Freshet/FreshetError/store(_:)``; the earlier
  ///   copy is unchanged.
  /// - Cancelling during a save does not undo it.
  ///
  /// ```swift
  /// let tweets = try await client.call(Timeline()).persist(in: models).value
  /// ```
  ///
  /// - Parameter store: The store of the models.
  /// - Returns: The events, with the stored values in place of the received ones.
  public func persist<Body: Persistable>(
    in store: some ModelStoring
  ) -> some AsyncSequence<Event<Response<Body>>, Failure> & Sendable
  where Element == Event<Response<Body>> {
    PersistModelsSequence(base: self, store: store)
  }
}

// MARK: - Sequence

struct PersistModelsSequence<
  Base: AsyncSequence & Sendable,
  Body: Persistable,
  Store: ModelStoring
>: AsyncSequence, Sendable
where Base.Element == Event<Response<Body>>, Base.Failure: PipelineFailure {
  let base: Base
  let store: Store

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), store: store)
  }
}

// MARK: - Iterator

extension PersistModelsSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let store: Store
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Event<Response<Body>>? {
      guard !isOver else { return nil }
      let event = try await base.next(isolation: actor)
      guard case .value(var response) = event else { return event }
      do throws(FreshetError) {
        response.value = try await response.value.persisted(in: store)
      } catch {
        isOver = true
        throw Base.Failure(error)
      }
      return .value(response)
    }
  }
}

@available(*, unavailable)
extension PersistModelsSequence.Iterator: Sendable {}

// MARK: - Description

extension PersistModelsSequence: PipelineStage {
  var stageDescription: String { ".persist(in: models)" }
}
