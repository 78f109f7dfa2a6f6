import Foundation

/// The preset chain for one resource, see ``Client/resource(at:policy:)``.
///
/// - Cold: nothing happens before it is iterated, and iterating it twice does the work twice.
/// - Delivers progress, perhaps a stale copy, and one final value; then it ends, or it throws once.
/// - Ending or cancelling the iteration cancels the transfer.
///
/// It is the same chain that the stages make by hand; being one concrete type, a hit in memory costs
/// no more than its lookups.
public struct ResourceSequence: AsyncSequence, Sendable {
  let chain: Chain

  /// Makes an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(chain: chain.makeAsyncIterator())
  }

  /// Pulls the events of one fetch.
  public struct Iterator: AsyncIteratorProtocol {
    var chain: Chain.AsyncIterator

    /// Waits for the next event; `nil` after the final value.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Resource>? {
      try await chain.next(isolation: actor)
    }
  }

  /// Runs the fetch to its end and returns the final resource; each read fetches anew.
  ///
  /// - Throws: The failure of the fetch. A stale copy that stands in for a failed network is not an
  ///   error: its ``Resource/freshness`` says so.
  public var value: Resource {
    get async throws(FreshetError) {
      var iterator = chain.makeAsyncIterator()
      var last: Resource?
      while let event = try await iterator.next(isolation: #isolation) {
        if case .value(let resource) = event {
          if resource.isFinal { return resource }
          last = resource
        }
      }
      guard let last else { throw .noValue }
      return last
    }
  }
}

@available(*, unavailable)
extension ResourceSequence.Iterator: Sendable {}
