extension AsyncSequence where Self: Sendable, Element: PipelineEvent, Failure: PipelineFailure {
  /// Continues with another pipeline if this one fails, such as the same request to a second host.
  ///
  /// ```swift
  /// let logo = try await client.resource(at: url)
  ///   .fallback(to: client.resource(at: mirror))
  ///   .value
  /// ```
  ///
  /// - The other pipeline starts when this one has failed, and its failure is that of both.
  /// - Values and progress that this one has delivered stay delivered; the last value is final as always.
  /// - A cancellation starts nothing.
  /// - A status that is a value, as in the responses of ``Client/send(_:limit:)``, is no failure; put `validate()`
  ///   or `decode` before, or the status is the end.
  ///
  /// - Parameters:
  ///   - other: The other pipeline, with the same events and failures.
  ///   - isHandled: A predicate that decides which failures start it; by default all do.
  /// - Returns: The events of this pipeline, and those of the other one after a failure.
  public func fallback<Other: AsyncSequence & Sendable>(
    to other: Other,
    when isHandled: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> some AsyncSequence<Element, Failure> & Sendable
  where Other.Element == Element, Other.Failure == Failure {
    FallbackSequence(base: self, other: other, isHandled: isHandled)
  }
}

// MARK: - Sequence

struct FallbackSequence<Base: AsyncSequence & Sendable, Other: AsyncSequence & Sendable>:
  AsyncSequence, Sendable
where
  Base.Element: PipelineEvent,
  Base.Failure: PipelineFailure,
  Other.Element == Base.Element,
  Other.Failure == Base.Failure
{
  let base: Base
  let other: Other
  let isHandled: @Sendable (Base.Failure) -> Bool

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), sequence: self)
  }
}

// MARK: - Iterator

extension FallbackSequence {
  struct Iterator: AsyncIteratorProtocol {
    /// The first pipeline until it fails.
    var base: Base.AsyncIterator?
    let sequence: FallbackSequence
    var other: Other.AsyncIterator?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Base.Element? {
      if other == nil {
        do {
          return try await base?.next(isolation: actor)
        } catch {
          base = nil
          guard !Task.isCancelled, !error.endsPipeline, sequence.isHandled(error) else {
            throw error
          }
          other = sequence.other.makeAsyncIterator()
        }
      }
      return try await other?.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension FallbackSequence.Iterator: Sendable {}

extension PipelineFailure {
  /// A Boolean value that indicates whether it is a cancellation, which nothing follows.
  fileprivate var endsPipeline: Bool { (self as? any CancellableFailure)?.isCancelled ?? false }
}

/// A failure that may be a cancellation.
package protocol CancellableFailure {
  var isCancelled: Bool { get }
}

extension FreshetError: CancellableFailure {}

extension CallError: CancellableFailure {}

extension RouteError: CancellableFailure {
  package var isCancelled: Bool {
    if case .failed(let error) = self { error.isCancelled } else { false }
  }
}

// MARK: - Description

extension FallbackSequence: PipelineStage {
  var stageDescription: String { ".fallback(to: \(PipelineDescription(other).line))" }
}
