import Synchronization

/// The task of a worker, which runs its fetches itself, also while other fetches share them.
///
/// Its cancellation does not affect a shared fetch that it runs: it only ends the worker's
/// subscription, and the end of the last one cancels the task.
final class WorkerTask: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
    /// The subscription to the shared fetch that the task runs.
    var led: Subscription?
  }

  /// The priority of the work in progress.
  let urgency = ObservedValue(Request.Priority.normal)
  private let state = Mutex(State())

  /// Starts the task.
  init(_ work: @escaping @Sendable (WorkerTask) async -> Void) {
    // The work waits for the lock before it leads a shared fetch, so that it finds its task.
    state.withLock { state in
      state.task = Request.Priority.$current.withValue(urgency) { Task { await work(self) } }
    }
  }

  /// A Boolean value that indicates whether the work was cancelled, also while the task continues for others.
  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Cancels the task, unless others share what it runs.
  func cancel() {
    let (task, led) = state.withLock { state in
      state.isCancelled = true
      return (state.task, state.led)
    }
    if let led { led.leave() } else { task?.cancel() }
  }

  /// Returns the lead of a shared fetch that runs in this task; `nil` if the task was cancelled.
  func lead(_ subscription: Subscription) -> SharedFetchLead? {
    let leads = state.withLock { state in
      guard let task = state.task, !state.isCancelled else { return false }
      state.led = subscription
      subscription.fetch.setTask(task)
      return true
    }
    return leads ? subscription.lead(in: self) : nil
  }

  /// Ends the worker's lead, and cancels the task if that was asked for in the meantime.
  func endLead() {
    let task = state.withLock { state in
      state.led = nil
      return state.isCancelled ? state.task : nil
    }
    task?.cancel()
  }
}
