/// A clock as the decorators use it: for waiting, and for moments that are durations since it was
/// made, which pure decisions can take.
struct CallClock: Sendable {
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration

  init(_ clock: any Clock<Duration>) {
    self.clock = clock
    elapsed = clock.stopwatch()
  }

  /// The time since this value was made.
  var now: Duration { elapsed() }

  /// Waits until the moment.
  ///
  /// - Throws: ``FreshetError/cancelled`` as soon as the task is cancelled.
  func sleep(until moment: Duration) async throws(FreshetError) {
    let remaining = moment - now
    do {
      if remaining > .zero { try await clock.sleep(for: remaining) }
      try Task.checkCancellation()
    } catch {
      throw .cancelled
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Tells the time since it was made.
  func stopwatch() -> @Sendable () -> Swift.Duration {
    // Nearly always this one, which costs half as much by its own name.
    if self is ContinuousClock {
      let start = ContinuousClock.now
      return { start.duration(to: .now) }
    }
    let start = now
    return { start.duration(to: now) }
  }
}
