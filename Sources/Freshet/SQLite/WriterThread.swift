import Foundation
import Synchronization

/// The one who writes to a database: a thread of its own with a queue.
///
/// What waits in the queue is done in one transaction and acknowledged after its commit. The thread
/// starts with the first job and ends with ``stop()``, after the queue is done. Where the system has no
/// thread, what waits fails.
package final class WriterThread<Session: WriterSession>: Sendable {
  typealias Job = WriterJob<Session.Transaction, Session.Failure>

  private let name: String
  private let makeSession: @Sendable (_ attend: @escaping @Sendable () -> Void) -> Session
  private let unused: @Sendable () -> Void
  private let queue = Mutex(WriterQueue<Job>())
  private let signal = DispatchSemaphore(value: 0)

  /// Makes a writer; nothing is opened and no thread started yet.
  ///
  /// - Parameters:
  ///   - name: The thread's name.
  ///   - session: Makes the session, on the thread. What it gets has the thread do what is due, from
  ///     any thread.
  ///   - unused: Called in place of the session's end if the writer is stopped before it had a job.
  package init(
    name: String,
    session: @escaping @Sendable (_ attend: @escaping @Sendable () -> Void) -> Session,
    unused: @escaping @Sendable () -> Void
  ) {
    self.name = name
    makeSession = session
    self.unused = unused
  }

  /// Has changes made, and returns after their commit.
  package func perform<Value: Sendable>(
    _ work: @escaping @Sendable (Session.Transaction) throws(Session.Failure) -> Value
  ) async throws(FreshetError) -> Value {
    let result: Result<Value, FreshetError> = await withCheckedContinuation { continuation in
      submit(
        Job(
          work: { transaction throws(Session.Failure) in
            let value = try work(transaction)
            return { continuation.resume(returning: .success(value)) }
          },
          fail: { continuation.resume(returning: .failure($0)) }
        )
      )
    }
    return try result.get()
  }

  /// Has changes made that nobody waits for.
  func post(
    _ work: @escaping @Sendable (Session.Transaction) throws(Session.Failure) -> Void
  ) {
    submit(
      Job(
        work: { transaction throws(Session.Failure) in
          try work(transaction)
          return {}
        },
        fail: { _ in }
      )
    )
  }

  /// Has the database opened if it is not, or is no longer the one under its name.
  func open() async throws(FreshetError) {
    let result: Result<Void, FreshetError> = await withCheckedContinuation { continuation in
      act(on: queue.withLock { $0.addOpener { continuation.resume(returning: $0) } })
    }
    try result.get()
  }

  /// Has it do what is due: at once, or in the time that it may wait.
  package func attend(soon: Bool) {
    act(on: queue.withLock { $0.attend(soon: soon) })
  }

  /// Lets the thread end when everything is written; more is refused from now on.
  package func stop() {
    act(on: queue.withLock { $0.stop() })
  }

  /// Waits until the thread has ended after ``stop()``.
  package func end() async {
    await withCheckedContinuation { continuation in
      act(on: queue.withLock { $0.addEndWaiter { continuation.resume() } })
    }
  }

  /// Waits until there is nothing to do, chores included.
  func rest() async {
    await withCheckedContinuation { continuation in
      act(on: queue.withLock { $0.addRestWaiter { continuation.resume() } })
    }
  }

  private func submit(_ job: Job) {
    act(on: queue.withLock { $0.add(job) { job.fail($0) } })
  }

  private func act(on step: WriterQueue<Job>.Step) {
    switch step {
    case .nothing: break
    case .wake: signal.signal()
    case .start: start()
    case .close: unused()
    case .call(let callback): callback()
    }
  }

  /// Starts the thread; without one, nothing that waits for it is done, and the next job tries again.
  private func start() {
    do {
      try DetachedThread.start(name: name) { self.work() }
    } catch {
      let failure = FreshetError.store(error.reason)
      let left = queue.withLock { $0.abandon() }
      for opener in left.openers { opener(.failure(failure)) }
      for job in left.jobs { job.fail(failure) }
      if left.isClosed { unused() }
      for waiter in left.waiters { waiter() }
    }
  }
}

// MARK: - The thread

extension WriterThread {
  private func work() {
    let session = makeSession { [weak self] in self?.attend(soon: true) }
    while true {
      switch next(for: session) {
      case .opening(let openers): open(session, openers)
      case .jobs(let jobs): session.run(jobs)
      case .due: session.doDue()
      case .chore: session.doChore()
      case .end:
        session.end()
        for waiter in queue.withLock({ $0.finish() }) { waiter() }
        return
      }
    }
  }

  private func open(_ session: Session, _ openers: [WriterQueue<Job>.Opener]) {
    let result = Result { () throws(FreshetError) in try session.open() }
    for opener in openers { opener(result) }
  }

  /// Waits for work, unless there are chores for the time in between.
  private func next(for session: Session) -> WriterQueue<Job>.Work {
    let mayRest = !session.hasChores
    while true {
      var patience: Duration?
      var resting: [@Sendable () -> Void] = []
      let work = queue.withLock { queue in
        // Asked under the lock: whoever notes what is due finds the thread asleep, or awake.
        patience = queue.jobs.isEmpty ? session.due.map { $0 - .now } : nil
        let work = queue.next(isDue: patience.map { $0 <= .zero } ?? false, mayRest: mayRest)
        if work == nil { resting = queue.takeRestWaiters() }
        return work
      }
      if let work { return work }
      for waiter in resting { waiter() }
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
