import Synchronization

/// A task that runs the flights it leads by itself, which spares them a task of their own.
///
/// The task must read what it leads to the end without waiting for anybody. It is cancelled by
/// ``abandon()`` alone, and then only if nobody else waits for what it leads.
final class FlightHost: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    /// The place in the flight that it leads, unless that was given up.
    var place: FlightPlace?
    /// Whether it leads a flight, or is about to.
    var isLeading = false
    var isAbandoned = false
    var isCancelled = false
  }

  /// The priority of whatever it leads.
  let urgency = Urgency(.normal)
  private let state = Mutex(State())

  /// Sets the task, once.
  func run(in task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Ends the task, unless it leads a flight that others wait for; that one is ended first.
  func abandon() {
    let (place, isLeading) = state.withLock { state in
      state.isAbandoned = true
      return (state.place.take(), state.isLeading)
    }
    place?.leave()
    if !isLeading { cancel() }
  }

  /// Says that a flight is going to be boarded; `false` if it must not be.
  func beginBoarding() -> Bool {
    state.withLock { state in
      state.isLeading = !state.isAbandoned
      return state.isLeading
    }
  }

  /// Says which flight is led from now on.
  func lead(_ place: FlightPlace) {
    let isAbandoned = state.withLock { state in
      if !state.isAbandoned { state.place = place }
      return state.isAbandoned
    }
    if isAbandoned { place.leave() }
  }

  /// Says that no flight is led from now on.
  ///
  /// - Returns: Whether the place in one was given up.
  @discardableResult
  func leadNone() -> Bool {
    let (place, isAbandoned) = state.withLock { state in
      state.isLeading = false
      return (state.place.take(), state.isAbandoned)
    }
    if isAbandoned { cancel() }
    return place == nil
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
