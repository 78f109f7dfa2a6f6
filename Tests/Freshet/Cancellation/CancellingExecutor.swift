import Foundation
import Synchronization

/// Runs the jobs of one task, which lie between its suspension points, and cancels it at one of them.
///
/// The children of the task run here too, so that their suspension points count.
final class CancellingExecutor: TaskExecutor {
  /// Where the task is cancelled.
  enum Moment: Sendable, Hashable, CaseIterable {
    /// When it is about to go on: what it waited for has come.
    case beforeJob
    /// When it has been suspended again: what it waits for may never come.
    case afterJob
  }

  private struct State {
    var count = 0
    var cancel: (@Sendable () -> Void)?
  }

  private let number: Int
  private let moment: Moment
  private let queue = DispatchQueue(label: "jobs")
  private let state = Mutex(State())

  init(at number: Int, _ moment: Moment) {
    self.number = number
    self.moment = moment
    // Nothing runs before it is known what is to be cancelled.
    queue.suspend()
  }

  /// How many jobs there have been.
  var count: Int { state.withLock(\.count) }

  /// Runs the body in a task of its own, which is cancelled at its moment.
  func run(_ body: @escaping @Sendable () async -> Void) async {
    let task = Task(executorPreference: self) { await body() }
    state.withLock { $0.cancel = { task.cancel() } }
    queue.resume()
    await task.value
    // It holds the task, which holds this.
    state.withLock { $0.cancel = nil }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { self.perform(job) }
  }

  private func perform(_ job: UnownedJob) {
    let (number, cancel) = state.withLock { state in
      defer { state.count += 1 }
      return (state.count, state.cancel)
    }
    let isHere = number == self.number
    if isHere, moment == .beforeJob { cancel?() }
    job.runSynchronously(on: asUnownedTaskExecutor())
    if isHere, moment == .afterJob { cancel?() }
  }
}
