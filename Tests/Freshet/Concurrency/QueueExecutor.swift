import Dispatch

/// A queue, which tells whether what asks is on it.
final class QueueExecutor: TaskExecutor {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "QueueExecutor")

  init() {
    queue.setSpecific(key: Self.key, value: true)
  }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == true }

  /// Calls a closure while no job begins; those that come meanwhile begin in their order.
  func pause(_ body: () -> Void) {
    queue.suspend()
    body()
    queue.resume()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
