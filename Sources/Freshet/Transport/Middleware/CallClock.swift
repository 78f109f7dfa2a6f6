/// A clock for decorators, which represents instants as durations since it was created, for use in pure
/// decisions.
struct CallClock: Sendable {
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration

  init(_ clock: any Clock<Duration>) {
    self.clock = clock
    elapsed = clock.stopwatch()
  }

  /// The time since this value was created.
  var now: Duration { elapsed() }

  /// Waits until a time of this clock, but no longer than `Duration.longestWait`.
  ///
  /// - Throws: ``FreshetError/cancelled`` as soon as the task is cancelled.
  func sleep(until moment: Duration) async throws(FreshetError) {
    let remaining = moment - now
    do {
      if remaining > .zero { try await clock.sleep(for: min(remaining, .longestWait)) }
      try Task.checkCancellation()
    } catch {
      throw .cancelled
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a closure that measures the time since this call.
  package func stopwatch() -> @Sendable () -> Swift.Duration {
    // Nearly always a `ContinuousClock`, which costs half as much when called statically.
    if self is ContinuousClock {
      let start = ContinuousClock.now
      return { start.duration(to: .now) }
    }
    let start = now
    return { start.duration(to: now) }
  }
}

extension Duration {
  /// The longest time for which a clock is asked to wait, a century: one that it cannot add traps.
  package static let longestWait = Duration.seconds(3_155_760_000)
}
