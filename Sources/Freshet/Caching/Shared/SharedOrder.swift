/// The order of the removals in an engine that several processes share, as far as this process has
/// observed it.
///
/// The engine numbers the removals. No clocks of two machines are compared: a response was requested
/// after all removals whose number this process had received before. It may have been requested
/// after later ones, too, which costs a fetch.
package struct SharedOrder: Sendable {
  /// The position of an event of this process in the order of the engine.
  package enum Position: Sendable, Hashable {
    /// The response was made by hand: it has no position.
    case none
    /// No number had been received before.
    case unknown
    /// The number of the last removal that is known to come before it.
    case after(Int64)
  }

  private var samples: [(instant: EventInstant, generation: String, number: Int64)] = []
  private static let limit = 1_024

  package init() {}

  /// Records a number that the engine has just reported.
  package mutating func note(_ number: Int64, of generation: String) {
    if let last = samples.last, last.generation == generation, last.number >= number { return }
    samples.append((.now, generation, number))
    if samples.count > Self.limit { samples.removeFirst(Self.limit / 2) }
  }

  /// Returns the position of the request of a response, for comparisons with removals.
  package func asked(_ response: StoredResponse, in generation: String) -> Position {
    position(response.askedAt, generation)
  }

  /// Returns the position of the response's contents, for comparisons with changes at the origin.
  package func known(_ response: StoredResponse, in generation: String) -> Position {
    position(response.knownSince, generation)
  }

  private func position(_ instant: EventInstant?, _ generation: String) -> Position {
    guard let instant else { return .none }
    let earlier = samples.last {
      $0.instant.boot == instant.boot && $0.instant.uptime <= instant.uptime
    }
    guard let earlier, earlier.generation == generation else { return .unknown }
    return .after(earlier.number)
  }
}
