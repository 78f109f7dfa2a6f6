import Foundation

/// The preset chain for one resource, see ``Client/resource(at:policy:)``.
///
/// - Cold: nothing happens before it is iterated, and iterating it twice does the work twice.
/// - Delivers progress, perhaps a stale copy, and one final value; then it ends, or it throws once.
/// - Ending or cancelling the iteration cancels the transfer.
///
/// It is the same chain that the stages make by hand. A fresh copy in memory is delivered without
/// building the chain and without a suspension: it costs little more than its lookup.
public struct ResourceSequence: AsyncSequence, Sendable {
  let context: FetchContext
  let policy: ResourcePolicy
  let settings: Client.Settings

  /// Makes an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: .ready(self))
  }

  /// Pulls the events of one fetch.
  public struct Iterator: AsyncIteratorProtocol {
    enum State {
      case ready(ResourceSequence)
      case running(Chain)
      case over
    }

    var state: State

    /// Waits for the next event; `nil` after the final value.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Resource>? {
      switch state {
      case .running(let chain):
        return try await chain.next(isolation: actor)
      case .over:
        return nil
      case .ready(let sequence):
        state = .over
        let step = try sequence.firstStep()
        if case .resource(let resource) = step { return .value(resource) }
        let chain = Chain(step, of: sequence)
        state = .running(chain)
        return try await chain.next(isolation: actor)
      }
    }
  }

  /// Runs the fetch to its end and returns the final resource; each read fetches anew.
  ///
  /// - Throws: The failure of the fetch. A stale copy that stands in for a failed network is not an
  ///   error: its ``Resource/freshness`` says so.
  public var value: Resource {
    get async throws(FreshetError) {
      let step = try firstStep()
      if case .resource(let resource) = step { return resource }
      let chain = Chain(step, of: self)
      var last: Resource?
      while let event = try await chain.next(isolation: #isolation) {
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
