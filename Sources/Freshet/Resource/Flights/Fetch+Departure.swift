extension Fetch {
  /// A step that goes to the network from here: `wanted` or `expired`.
  ///
  /// It is shared by all who have to do with the flight that it begins, and is what that is found by.
  final class Departure: Sendable {
    /// What is wanted; its request and its decisions are those of a copy that is to be validated, too.
    let wanted: Wanted
    /// The copy that is to be validated, if there is one.
    private let spare: Spare
    /// What the shared stages are set to.
    let setting: FlightKey.Setting
    /// That of the ``FlightKey``, computed once: a key is looked for several times.
    let hash: Int

    /// The step of a fetch that has found nothing.
    convenience init(_ wanted: Wanted, setting: FlightKey.Setting = .none) {
      self.init(wanted, .none, setting)
    }

    /// - Returns: `nil` for a step that does not go to the network.
    convenience init?(_ step: Fetch?, setting: FlightKey.Setting = .none) {
      switch step {
      case .wanted(let wanted):
        self.init(wanted, .none, setting)
      case .expired(let expired):
        let wanted = Wanted(expired.context, explanation: expired.explanation)
        self.init(wanted, .some(expired), setting)
      default:
        return nil
      }
    }

    private init(_ wanted: Wanted, _ spare: Spare, _ setting: FlightKey.Setting) {
      self.wanted = wanted
      self.spare = spare
      self.setting = setting
      // What else differs between requests for the same thing is rare enough to be left to equality.
      var hasher = Hasher()
      hasher.combine(wanted.context.key)
      hasher.combine(wanted.context.headers.count)
      hash = hasher.finalize() & .max
    }

    var context: FetchContext { wanted.context }
    var explanation: Explanation { wanted.explanation }
    var step: Fetch { spare.copy.map(Fetch.expired) ?? .wanted(wanted) }

    /// The leader's step as this subscriber's: with its own request, and its own decisions before
    /// the shared ones.
    func own(_ step: consuming Fetch, of flight: Flight) -> Fetch {
      let count = flight.companionCount
      guard count > 0 else { return step }
      func story(_ shared: Explanation) -> Explanation {
        var story = explanation.adding(.coalesced(with: count))
        for decision in shared.dropFirst(flight.leader.explanation.count) {
          story.add(decision)
        }
        return story
      }
      switch step {
      case .downloaded(var downloaded):
        downloaded.context = context
        downloaded.explanation = story(downloaded.explanation)
        return .downloaded(downloaded)
      case .resource(var resource):
        resource.context = context
        resource.explanation = story(resource.explanation)
        return .resource(resource)
      case .wanted, .found, .expired, .progress:
        return step
      }
    }
  }
}

/// The step with which the shared part of a chain begins, see
/// ``_Concurrency/AsyncSequence/coalesce(in:label:through:)``.
///
/// It is cold: each iteration begins with the same step.
public struct FetchStep: AsyncSequence, Sendable {
  let step: Fetch

  /// Makes an iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(step: step)
  }

  /// Delivers the step.
  public struct Iterator: AsyncIteratorProtocol {
    var step: Fetch?

    /// The step, and then `nil`.
    ///
    /// - Throws: ``FreshetError/cancelled`` in a task that has been cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      guard let step = step.take() else { return nil }
      guard !Task.isCancelled else { throw .cancelled }
      return step
    }
  }
}

@available(*, unavailable)
extension FetchStep.Iterator: Sendable {}

// MARK: - Description

extension FetchStep: Worded, CustomStringConvertible {
  /// The request of the step.
  public var description: String { words.description }

  package var words: PipelineWords {
    PipelineWords(Fetch.Departure(step).map { "\($0.context.request)" } ?? "step")
  }
}
