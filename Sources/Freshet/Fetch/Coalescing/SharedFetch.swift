import Synchronization

/// The stages of a fetch that several fetches share, run once for all subscribers.
///
/// It never waits for subscribers: steps are buffered for each of them.
final class SharedFetch: Sendable {
  let urgency: ObservedValue<Request.Priority>
  /// The number of decisions that the leader had made before the shared stages.
  let leaderDecisions: Int
  // A chain has only a few steps, so that they can be buffered without a limit.
  let broadcast = Broadcast<Fetch, FreshetError>(limit: .max)
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let subscribers = Atomic(0)

  init(leaderDecisions: Int, urgency: ObservedValue<Request.Priority>) {
    self.leaderDecisions = leaderDecisions
    self.urgency = urgency
  }

  /// The number of subscribers so far, without the one that reads this.
  var companionCount: Int { max(0, subscribers.load(ordering: .relaxed) - 1) }

  /// Counts a further subscriber; must be called while the registry is locked.
  func addSubscriber() {
    subscribers.add(1, ordering: .relaxed)
  }

  /// Sets the task that runs the shared stages, before any subscription to them can end.
  func setTask(_ task: Task<Void, Never>) {
    self.task.withLock { $0 = task }
  }

  func cancel() {
    task.withLock(\.self)?.cancel()
  }

  /// Waits until the fetch has ended and stored its partial body, until the time limit, or until the
  /// task is cancelled.
  nonisolated(nonsending) func end(within limit: Duration) async {
    let reader = broadcast.reader()
    let alarm = Task {
      // A cancelled sleep means that the fetch has ended.
      if (try? await Task.sleep(for: limit)) != nil { reader.giveUp() }
    }
    defer { alarm.cancel() }
    do throws(FreshetError) {
      while try await reader.next() != nil {}
    } catch {
      // In any case the fetch has ended, or waiting for it has.
    }
  }
}
