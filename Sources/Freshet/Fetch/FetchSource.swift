/// A source of steps, such as a transfer that a stage has started.
///
/// One run reads it, one step after the other, in the task that runs the chain. Releasing it cancels
/// its work.
public protocol FetchSource: AnyObject {
  /// Waits for the next step; `nil` after the last one.
  ///
  /// - Throws: The failure that ends the source.
  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch?
}

/// A source that delivers the steps of a sequence that is not a chain.
final class SequenceSource: FetchSource {
  private var iterator: any AsyncIteratorProtocol<Fetch, FreshetError>

  init(_ steps: some AsyncSequence<Fetch, FreshetError>) {
    iterator = steps.makeAsyncIterator()
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    try await iterator.next(isolation: #isolation)
  }
}
