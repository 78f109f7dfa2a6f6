import Dispatch
import FreshetEssentials
import Synchronization

/// The single writer of a database: a thread with a queue.
///
/// Queued jobs run together in one transaction and are acknowledged after its commit. The thread starts
/// with the first job, and ends after ``stop()`` once the queue is empty. If the system cannot create a
/// thread, the queued jobs fail.
///
/// While the thread sleeps, a caller may make a brief change itself, which saves two thread switches:
/// see ``performBriefly(_:)``. One caller at a time has that turn; changes that come meanwhile are
/// queued.
package final class WriterThread<Session: WriterSession>: Sendable {
  typealias Job = WriterJob<Session.Transaction, Session.Failure>

  private let name: String
  private let makeSession: @Sendable (_ attend: @escaping @Sendable () -> Void) -> Session
  private let unused: @Sendable () -> Void
  private let queue = Mutex(WriterQueue<Job>())
  /// The session, locked by the thread while that is awake, and by a caller for its turn.
  private let session = Mutex<Session?>(nil)
  private let signal = DispatchSemaphore(value: 0)

  /// Creates a writer; nothing is opened and no thread is started yet.
  ///
  /// - Parameters:
  ///   - name: The thread's name.
  ///   - session: A closure that creates the session, called on the thread. Its argument can be called
  ///     from any thread, and has the thread do the scheduled work immediately.
  ///   - unused: A closure that is called instead of ``WriterSession/end()`` if the writer is stopped
  ///     before it had a job.
  package init(
    name: String,
    session: @escaping @Sendable (_ attend: @escaping @Sendable () -> Void) -> Session,
    unused: @escaping @Sendable () -> Void
  ) {
    self.name = name
    makeSession = session
    self.unused = unused
  }

  /// Submits changes, and returns after their commit.
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

  /// Makes a brief change, and returns after its commit.
  ///
  /// It is made on the executor that the task prefers, never on an actor's, if nothing has to be waited
  /// for, and submitted otherwise. Its result does not depend on that.
  @concurrent
  package func performBriefly<Value: Sendable>(
    _ work: @escaping @Sendable (Session.Transaction) throws(Session.Failure) -> Value
  ) async throws(FreshetError) -> Value {
    if let value = runNow(work) { return value }
    return try await perform(work)
  }

  /// Makes a change on this thread if the writer's thread is asleep; returns `nil` if it has to be
  /// submitted.
  func runNow<Value: Sendable>(
    _ work: @Sendable (Session.Transaction) throws(Session.Failure) -> Value
  ) -> Value? {
    guard queue.withLock({ $0.takeTurn() }) else { return nil }
    let (value, due, hasChores) = session.withLock { session in
      (session?.runNow(work), session?.due, session?.hasChores ?? false)
    }
    act(on: queue.withLock { $0.endTurn(due: due, hasChores: hasChores) })
    return value
  }

  /// Submits changes without waiting for them; errors are ignored.
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

  /// Opens the database, unless it is open and still the file at its path.
  func open() async throws(FreshetError) {
    let result: Result<Void, FreshetError> = await withCheckedContinuation { continuation in
      act(on: queue.withLock { $0.addOpener { continuation.resume(returning: $0) } })
    }
    try result.get()
  }

  /// Wakes the thread.
  ///
  /// - Parameter soon: A Boolean value that indicates whether scheduled work is done immediately, or
  ///   when it is due.
  package func attend(soon: Bool) {
    act(on: queue.withLock { $0.attend(soon: soon) })
  }

  /// Stops the writer: the thread ends when all queued jobs are written, and further ones are refused.
  package func stop() {
    act(on: queue.withLock { $0.stop() })
  }

  /// A Boolean value that indicates whether ``stop()`` was called.
  package var isStopping: Bool { queue.withLock { $0.isStopping } }

  /// Waits until the thread has ended after ``stop()``.
  package func end() async {
    await withCheckedContinuation { continuation in
      act(on: queue.withLock { $0.addEndWaiter { continuation.resume() } })
    }
  }

  /// Waits until the queue is empty and the background work is done.
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

  /// Starts the thread.
  ///
  /// If that fails, all pending work fails, and the next job tries again.
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
  /// The end of a period in which the thread is awake.
  private enum Pause {
    case until(ContinuousClock.Instant?)
    case end
  }

  private func work() {
    // A thread that waits for a caller's turn lends it its priority.
    while case .until(let alarm) = DetachedThread.draining({
      session.withLock { session in workUntilIdle(&session) }
    }) {
      sleep(until: alarm)
    }
    for waiter in queue.withLock({ $0.finish() }) { waiter() }
  }

  private func workUntilIdle(_ slot: inout sending Session?) -> Pause {
    let session = slot ?? makeSession { [weak self] in self?.attend(soon: true) }
    slot = session
    // A caller's turn may have left some, which come before further jobs.
    session.doUrgentChores()
    while true {
      let mayRest = !session.hasChores
      var due: ContinuousClock.Instant?
      var resting: [@Sendable () -> Void] = []
      let work = queue.withLock { queue in
        // Read under the lock, so that work cannot be scheduled between this check and falling asleep.
        due = queue.jobs.isEmpty ? session.due : nil
        let work = queue.next(due: due, mayRest: mayRest)
        if work == nil { resting = queue.takeRestWaiters() }
        return work
      }
      switch work {
      case .opening(let openers): open(session, openers)
      case .jobs(let jobs):
        session.run(jobs)
        session.doUrgentChores()
      case .due: session.doDue()
      case .chore: session.doChore()
      case .end:
        session.end()
        slot = nil
        return .end
      case nil:
        for waiter in resting { waiter() }
        return .until(due)
      }
    }
  }

  private func open(_ session: Session, _ openers: [WriterQueue<Job>.Opener]) {
    let result = Result { () throws(FreshetError) in try session.open() }
    for opener in openers { opener(result) }
  }

  private func sleep(until alarm: ContinuousClock.Instant?) {
    if let alarm {
      _ = signal.wait(timeout: .now() + (alarm - .now) / .seconds(1))
    } else {
      signal.wait()
    }
    // A waker has cleared the flag. It is still set after a timeout, and after a signal that was sent
    // when the time had just run out and is left from then.
    queue.withLock { $0.wakeUp() }
  }
}
