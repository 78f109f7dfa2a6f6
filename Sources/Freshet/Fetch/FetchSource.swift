/// A source of steps, such as a transfer that a stage has begun.
///
/// One run reads it, one step after the other, in whichever task runs the chain. Releasing it ends
/// what it does.
public protocol FetchSource: AnyObject {
  /// Waits for the next step; `nil` after the last one.
  ///
  /// - Throws: The failure that ends the source.
  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch?
}

/// The steps of a sequence that is not a chain.
final class SequenceSource: FetchSource {
  private var iterator: any AsyncIteratorProtocol<Fetch, FreshetError>

  init(_ steps: some AsyncSequence<Fetch, FreshetError>) {
    iterator = steps.makeAsyncIterator()
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    try await iterator.next(isolation: #isolation)
  }
}
