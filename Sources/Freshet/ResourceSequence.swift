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
  /// Whose task runs the flight that this fetch leads, if that is a first download; `nil` for a task of
  /// the flight's own.
  let host: FlightHost?

  var policy: ResourcePolicy { choices.policy }

  /// Makes an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: .ready(self))
  }

  /// Pulls the events of one fetch.
  public struct Iterator: AsyncIteratorProtocol {
    enum State {
      case ready(ResourceSequence)
      case running(Way)
      case over
    }

    var state: State

    /// Waits for the next event; `nil` after the final value.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Resource>? {
      switch state {
      case .running(let way):
        return try await way.next(isolation: actor)
      case .over:
        return nil
      case .ready(let sequence):
        state = .over
        let context = sequence.asked
        switch try sequence.begin(context) {
        case .answered(let resource):
          return .value(resource)
        case .started(var start):
          if sequence.asksDisk {
            switch try await sequence.lookOnDisk(after: start) {
            case .answered(let resource): return .value(resource)
            case .started(let rest): start = rest
            }
          }
          let way = try sequence.with(context).way(after: start)
          state = .running(way)
          return try await way.next(isolation: actor)
        }
      }
    }
  }

  /// Runs the fetch to its end and returns the final resource; each read fetches anew.
  ///
  /// - Throws: The failure of the fetch. A stale copy that stands in for a failed network is not an
  ///   error: its ``Resource/freshness`` says so.
  public var value: Resource {
    get async throws(FreshetError) {
      let context = asked
      switch try begin(context) {
      case .answered(let resource):
        return resource
      case .started(var start):
        if asksDisk {
          switch try await lookOnDisk(after: start) {
          case .answered(let resource): return resource
          case .started(let rest): start = rest
          }
        }
        return try await with(context).way(after: start).value()
      }
    }
  }
}

extension ResourceSequence {
  /// The fetch's context with what the transport would add now: it is asked once for each fetch.
  var asked: FetchContext {
    switch choices.route {
    case .client: context.asking(client.settings.configuration.transport)
    case .own(let transport): context.asking(transport)
    }
  }

  /// The same fetch, with what the transport would add now.
  func asking() -> ResourceSequence { with(asked) }

  func with(_ context: FetchContext) -> ResourceSequence {
    if context === self.context { return self }
    var sequence = self
    sequence.context = context
    return sequence
  }
}

@available(*, unavailable)
extension ResourceSequence.Iterator: Sendable {}
