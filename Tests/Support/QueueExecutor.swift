import Dispatch

/// A serial queue that tasks run on, which tells whether its caller is on it.
package final class QueueExecutor: TaskExecutor {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "QueueExecutor")

  package init() {
    queue.setSpecific(key: Self.key, value: true)
  }

  package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == true }

  /// Calls a closure while no job begins; those that come meanwhile begin in their order.
  package func pause(_ body: () -> Void) {
    queue.suspend()
    body()
    queue.resume()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
