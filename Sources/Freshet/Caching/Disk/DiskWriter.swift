import Foundation
import Synchronization

/// The one who writes: a thread of its own with a queue.
///
/// What waits in the queue is done in one transaction and acknowledged after its commit. The thread
/// starts with the first job and ends with ``stop()``, after the queue is done.
final class DiskWriter: Sendable {
  private static let groupSize = 128

  private let shared: DiskShared
  private let readers: DiskReaders
  private let queue = Mutex(Queue())
  private let signal = DispatchSemaphore(value: 0)

  private struct Queue {
    var jobs: [DiskJob] = []
    var isStarted = false
    var isStopping = false
    var isOver = false
    var isAsleep = false
    var mustTouch = false
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    var restWaiters: [CheckedContinuation<Void, Never>] = []
  }

  /// What the thread does next.
  private enum Work {
    case jobs([DiskJob])
    case touches
    case nothing
    case end
  }

  init(shared: DiskShared, readers: DiskReaders) {
    self.shared = shared
    self.readers = readers
  }

  /// Has something written, and returns after its commit.
  func perform<Value: Sendable>(
    _ work: @escaping @Sendable (DiskTransaction) throws(SQLiteError) -> Value
  ) async throws(FreshetError) -> Value {
    let result: Result<Value, FreshetError> = await withCheckedContinuation { continuation in
      submit(
        DiskJob(
          work: { transaction throws(SQLiteError) in
            let value = try work(transaction)
            return { continuation.resume(returning: .success(value)) }
          },
          fail: { continuation.resume(returning: .failure($0)) }
        )
      )
    }
    return try result.get()
  }

  /// Has the database opened if it is not, or is no longer the one under its name.
  func open() async throws(FreshetError) {
    let result: Result<Void, FreshetError> = await withCheckedContinuation { continuation in
      submit(
        DiskJob(
          work: { (_) throws(SQLiteError) in {} },
          fail: { continuation.resume(returning: .failure($0)) },
          opened: { continuation.resume(returning: .success(())) }
        )
      )
    }
    try result.get()
  }

  /// Has something written that nobody waits for.
  func post(_ work: @escaping @Sendable (DiskTransaction) throws(SQLiteError) -> Void) {
    submit(
      DiskJob(
        work: { transaction throws(SQLiteError) in
          try work(transaction)
          return {}
        },
        fail: { _ in }
      )
    )
  }

  /// Has the uses written: soon, or in the time that they may wait.
  func writeTouches(soon: Bool) {
    let mustWake = queue.withLock { queue in
      if soon { queue.mustTouch = true }
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
    if mustClose { shared.closed() }
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

  /// Waits until there is nothing to do, chores included.
  func rest() async {
    await withCheckedContinuation { continuation in
      let isResting = queue.withLock { queue in
        let isResting = queue.isOver || queue.isAsleep || !queue.isStarted
        if !isResting { queue.restWaiters.append(continuation) }
        return isResting
      }
      if isResting { continuation.resume() }
    }
  }
}

extension DiskWriter {
  private func submit(_ job: DiskJob) {
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
    thread.name = "freshet.disk"
    thread.start()
  }

  private func run() {
    let session = DiskSession(shared: shared, readers: readers)
    while true {
      switch next(mayRest: !session.hasChores, due: { session.due }) {
      case .jobs(let jobs): session.run(jobs)
      case .touches: session.doDue()
      case .nothing: session.doChore()
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
      defer {
        queue.endWaiters = []
        queue.restWaiters = []
      }
      return queue.endWaiters + queue.restWaiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for work, unless there are chores for the time in between.
  private func next(mayRest: Bool, due: () -> ContinuousClock.Instant?) -> Work {
    while true {
      var resting: [CheckedContinuation<Void, Never>] = []
      var patience: Duration?
      let work: Work? = queue.withLock { queue in
        if !queue.jobs.isEmpty {
          let group = Array(queue.jobs.prefix(Self.groupSize))
          queue.jobs.removeFirst(group.count)
          return .jobs(group)
        }
        if queue.isStopping { return .end }
        // Asked under the lock: whoever notes the first use finds the thread asleep, or awake.
        patience = due().map { $0 - .now }
        if queue.mustTouch || patience.map({ $0 <= .zero }) ?? false {
          queue.mustTouch = false
          return .touches
        }
        if !mayRest { return .nothing }
        queue.isAsleep = true
        resting = queue.restWaiters
        queue.restWaiters = []
        return nil
      }
      if let work { return work }
      for waiter in resting { waiter.resume() }
      guard let patience else {
        signal.wait()
        continue
      }
      // Whoever wakes it says so in the queue; nobody does if the time is over.
      _ = signal.wait(timeout: .now() + patience / .seconds(1))
      queue.withLock { $0.isAsleep = false }
    }
  }
}
