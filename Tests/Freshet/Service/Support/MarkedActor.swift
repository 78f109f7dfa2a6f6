import Dispatch

/// An actor that code can ask whether it runs on it.
@globalActor actor MarkedActor {
  static let shared = MarkedActor()
  private static let key = DispatchSpecificKey<Bool>()
  private nonisolated let executor = Executor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

  private final class Executor: SerialExecutor {
    let queue = DispatchQueue(label: "marked")

    init() {
      queue.setSpecific(key: key, value: true)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }
}
