import Foundation
import Synchronization

/// The one who writes: a thread of its own with a queue.
///
/// What waits in the queue is done in one transaction and acknowledged after its commit. The thread
/// starts with the first job and ends with ``stop()``, after the queue is done.
final class ModelWriter: Sendable {
  private static let groupSize = 128

  private let core: ModelCore
  private let queue = Mutex(Queue())
  private let signal = DispatchSemaphore(value: 0)

  private struct Queue {
    var jobs: [ModelJob] = []
    var isStarted = false
    var isStopping = false
    var isOver = false
    var isAsleep = false
    var mustLook = false
    var endWaiters: [CheckedContinuation<Void, Never>] = []
  }

  /// What the thread does next.
  private enum Work {
    case jobs([ModelJob])
    case look
    case end
  }

  init(core: ModelCore) {
    self.core = core
  }

  /// Has changes made, and returns after their commit.
  func perform<Value: Sendable>(
    _ work: @escaping @Sendable (ModelTransaction) throws(FreshetError) -> Value
  ) async throws(FreshetError) -> Value {
    let result: Result<Value, FreshetError> = await withCheckedContinuation { continuation in
      submit(
        ModelJob(
          work: { transaction throws(FreshetError) in
            let value = try work(transaction)
            return { continuation.resume(returning: .success(value)) }
          },
          fail: { continuation.resume(returning: .failure($0)) }
        )
      )
    }
    return try result.get()
  }

  /// Has it look for what other processes have committed.
  func look() {
    let mustWake = queue.withLock { queue in
      queue.mustLook = true
      defer { queue.isAsleep = false }
      return queue.isAsleep
    }
    if mustWake { signal.signal() }
  }

  /// Lets the thread end when everything is written; more is refused from now on.
  func stop() {
    let (mustWake, mustClose) = queue.withLock { queue in
      defer {
        queue.isStopping = true
        queue.isAsleep = false
      }
      if !queue.isStarted { queue.isOver = true }
      return (queue.isAsleep, !queue.isStarted)
    }
    if mustClose {
      core.closed()
      core.observers.close()
    }
    if mustWake { signal.signal() }
  }

  /// Waits until the thread has ended after ``stop()``.
  func end() async {
    await withCheckedContinuation { continuation in
      let isOver = queue.withLock { queue in
        if !queue.isOver { queue.endWaiters.append(continuation) }
        return queue.isOver
      }
      if isOver { continuation.resume() }
    }
  }
}

// MARK: - The thread

extension ModelWriter {
  private func submit(_ job: ModelJob) {
    let (isRefused, mustStart, mustWake) = queue.withLock { queue in
      if queue.isStopping { return (true, false, false) }
      queue.jobs.append(job)
      defer {
        queue.isStarted = true
        queue.isAsleep = false
      }
      return (false, !queue.isStarted, queue.isAsleep)
    }
    if isRefused { job.fail(.store("the store is closed")) }
    if mustStart { start() }
    if mustWake { signal.signal() }
  }

  private func start() {
    let thread = Thread { self.run() }
    thread.name = "freshet.models"
    thread.start()
  }

  private func run() {
    let session = ModelSession(core: core) { [weak self] in self?.look() }
    while true {
      switch next() {
      case .jobs(let jobs): session.run(jobs)
      case .look: session.look()
      case .end:
        session.end()
        finish()
        return
      }
    }
  }

  private func finish() {
    let waiters = queue.withLock { queue in
      queue.isOver = true
      defer { queue.endWaiters = [] }
      return queue.endWaiters
    }
    for waiter in waiters { waiter.resume() }
  }

  private func next() -> Work {
    while true {
      let work: Work? = queue.withLock { queue in
        if !queue.jobs.isEmpty {
          let group = Array(queue.jobs.prefix(Self.groupSize))
          queue.jobs.removeFirst(group.count)
          return .jobs(group)
        }
        if queue.isStopping { return .end }
        if queue.mustLook {
          queue.mustLook = false
          return .look
        }
        queue.isAsleep = true
        return nil
      }
      if let work { return work }
      signal.wait()
    }
  }
}
