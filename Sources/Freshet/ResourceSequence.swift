/// The preset chain for one resource, see ``Client/resource(at:policy:)``.
///
/// - Cold: nothing happens before it is iterated, and iterating it twice does the work twice.
/// - It delivers progress, possibly a stale copy, and one final value; then it ends, or it throws once.
/// - Ending or cancelling the iteration cancels the transfer.
///
/// It is a settled ``FetchChain``: stages that need not wait, such as a hit in memory, cost no suspension.
public struct ResourceSequence: AsyncSequence, Sendable {
  /// The stages that run.
  public let chain: FetchChain

  /// Makes an iterator; nothing is fetched yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(run: FetchRun(chain))
  }

  /// Pulls the events of one fetch.
  public struct Iterator: AsyncIteratorProtocol {
    var run: FetchRun

    /// Waits for the next event; `nil` after the final value.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Resource>? {
      try await run.next(isolation: actor)?.settled()
    }
  }

  /// The final resource, which each read fetches again.
  ///
  /// - Throws: The failure of the fetch. A stale copy that replaces a failed network is not an
  ///   error: its ``Resource/freshness`` is ``Resource/Freshness/stale``.
  public var value: Resource {
    get async throws(FreshetError) {
      var run = FetchRun(chain, wantsProgress: false)
      var last: Resource?
      while let step = try await run.next(isolation: #isolation) {
        guard case .value(let resource) = try step.settled() else { continue }
        if resource.isFinal { return resource }
        last = resource
      }
      guard let last else { throw .noValue }
      return last
    }
  }
}

@available(*, unavailable)
extension ResourceSequence.Iterator: Sendable {}

extension ResourceSequence: PipelineDescribable, CustomStringConvertible {
  /// The chain as source code, one stage on each line.
  ///
  /// It contains only the stages that the policy and the client include.
  package var words: PipelineDescription { chain.words.adding(".settle()") }
}
