import Foundation

/// The preset chain for one resource, see ``Client/resource(at:policy:)``.
///
/// - Cold: nothing happens before it is iterated, and iterating it twice does the work twice.
/// - Delivers progress, perhaps a stale copy, and one final value; then it ends, or it throws once.
/// - Ending or cancelling the iteration cancels the transfer.
///
/// It is the same chain that the stages make by hand. A copy in memory that may be used as it is comes
/// without building the chain and without a suspension: it costs little more than its lookup.
public struct ResourceSequence: AsyncSequence, Sendable {
  private(set) var context: FetchContext
  let choices: FetchChoices
  let client: Client
  /// Whose task runs the flights that this fetch leads; `nil` for tasks of their own.
  let host: FlightHost?

  var policy: ResourcePolicy { choices.policy }
  var transport: (any Transport)? { choices.transport }

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
        let sequence = sequence.asking()
        let start = try sequence.begin()
        if let resource = try start.resource(sequence.policy) { return .value(resource) }
        let chain = Chain(start, of: sequence)
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
      let sequence = asking()
      let start = try sequence.begin()
      if let resource = try start.resource(policy) { return resource }
      let chain = Chain(start, of: sequence)
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

extension ResourceSequence {
  /// The same fetch, with what the transport would add now: it is asked once for each fetch.
  func asking() -> ResourceSequence {
    let asked = context.asking(transport ?? client.settings.configuration.transport)
    if asked === context { return self }
    var sequence = self
    sequence.context = asked
    return sequence
  }
}

@available(*, unavailable)
extension ResourceSequence.Iterator: Sendable {}
