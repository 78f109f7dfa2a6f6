import Synchronization

/// A task that runs the flights it leads by itself, which spares them a task of their own.
///
/// The task must read what it leads to the end without waiting for anybody. It is cancelled by
/// ``abandon()`` alone, and then only if nobody else waits for what it leads.
final class FlightHost: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var seat: FlightSeat?
    var isBoarding = false
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
    let (seat, isBoarding) = state.withLock { state in
      state.isAbandoned = true
      return (state.seat, state.isBoarding)
    }
    if let seat {
      seat.leave()
    } else if !isBoarding {
      cancel()
    }
  }

  /// Says that a flight is going to be boarded; `false` if it must not be.
  func beginBoarding() -> Bool {
    state.withLock { state in
      state.isBoarding = !state.isAbandoned
      return state.isBoarding
    }
  }

  /// Says which flight is led from now on, if any.
  func lead(_ seat: FlightSeat?) {
    let isAbandoned = state.withLock { state in
      state.isBoarding = false
      state.seat = seat
      return state.isAbandoned
    }
    guard isAbandoned else { return }
    if let seat { seat.leave() } else { cancel() }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
