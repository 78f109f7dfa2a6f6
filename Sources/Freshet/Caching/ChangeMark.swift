import FreshetEssentials

/// A change at the origin, as a store records it.
struct ChangeMark: Sendable, Hashable {
  /// The time of the change, by the clock of the responses.
  let time: Date
  /// The instant at which the store learned of it.
  private(set) var heard: EventInstant

  /// Records a change.
  ///
  /// A time more than a day after the machine's clock is implausible; the machine's time is used
  /// instead.
  init(_ time: Date, heard: EventInstant) {
    let isPlausible = time.timeIntervalSince(heard.date) < Invalidations.longestTransfer
    self.init(time: isPlausible ? time : heard.date, heard: heard)
  }

  /// Makes a mark as it was stored.
  init(time: Date, heard: EventInstant) {
    self.time = time
    self.heard = heard
  }

  /// Returns this mark as it replaces an earlier one of the same key.
  ///
  /// The later event counts. Its time counts too, unless the earlier mark's time is up to a day
  /// larger, as when two notes cross. A larger difference means that a clock was ahead.
  func replacing(_ earlier: ChangeMark) -> ChangeMark {
    let difference = earlier.time.timeIntervalSince(time)
    guard difference > 0, difference < Invalidations.longestTransfer else { return self }
    return ChangeMark(time: earlier.time, heard: heard)
  }

  /// Replaces an instant in the future by the current one.
  mutating func repair(now: EventInstant) {
    if heard.isAhead(of: now) { heard = now }
  }

  /// Returns a Boolean value that indicates whether the response may lack the change.
  ///
  /// A response of a fetch is compared by the order of events. A response that was made by hand has
  /// only its times: it lacks the change if it was requested before it, or seems to be from the
  /// future.
  func concerns(_ response: StoredResponse, now: EventInstant) -> Bool {
    if let known = response.knownSince { return known.mayPrecede(heard, now: now) }
    return response.knownAt < time
      || response.knownAt.timeIntervalSince(now.date) > Invalidations.longestTransfer
  }
}
