/// The pending work of a ``WriterThread``, the closures that wait for it, and the turn of a caller
/// that makes a change itself.
struct WriterQueue<Job: Sendable>: Sendable {
  typealias Opener = @Sendable (Result<Void, FreshetError>) -> Void

  /// The next work of the thread.
  enum Work: Sendable {
    case opening([Opener])
    case jobs([Job])
    case due
    case chore
    case end
  }

  /// The action that the caller has to take after changing the queue, outside of its lock.
  enum Step: Sendable {
    case nothing
    case wake
    case start
    /// The thread will never be started.
    case close
    case call(@Sendable () -> Void)
  }

  private static var groupSize: Int { 128 }

  private(set) var jobs: [Job] = []
  private(set) var isAsleep = false
  /// The instant at which the sleeping thread wakes by itself; `nil` if it waits to be woken.
  private var alarm: ContinuousClock.Instant?
  /// A Boolean value that indicates whether a caller is making a change itself.
  private var isTurnTaken = false
  /// A Boolean value that indicates whether the last group had several jobs: they take less time in one
  /// transaction of the thread than each in its own.
  private var isShared = false
  private var isStarted = false
  private(set) var isStopping = false
  private var isOver = false
  private var mustAttend = false
  private var openers: [Opener] = []
  private var endWaiters: [@Sendable () -> Void] = []
  private var restWaiters: [@Sendable () -> Void] = []

  mutating func add(_ job: Job, refuse: @escaping @Sendable (FreshetError) -> Void) -> Step {
    if isStopping { return .call { refuse(.store("the store is closed")) } }
    jobs.append(job)
    return startOrWake()
  }

  mutating func addOpener(_ opener: @escaping Opener) -> Step {
    if isStopping { return .call { opener(.failure(.store("the store is closed"))) } }
    openers.append(opener)
    return startOrWake()
  }

  mutating func attend(soon: Bool) -> Step {
    if soon { mustAttend = true }
    return wake()
  }

  mutating func stop() -> Step {
    let isFirst = !isStopping
    isStopping = true
    guard !isStarted else { return wake() }
    isOver = true
    return isFirst ? .close : .nothing
  }

  mutating func addEndWaiter(_ waiter: @escaping @Sendable () -> Void) -> Step {
    if isOver { return .call(waiter) }
    endWaiters.append(waiter)
    return .nothing
  }

  mutating func addRestWaiter(_ waiter: @escaping @Sendable () -> Void) -> Step {
    if isOver || isAsleep && !isTurnTaken || !isStarted { return .call(waiter) }
    restWaiters.append(waiter)
    return .nothing
  }

  /// Lets a caller make a change itself, and returns `true`, if the thread is asleep, no other
  /// caller makes one, and few write at the same time.
  ///
  /// Changes that are queued during the turn wake the thread, which makes them together.
  mutating func takeTurn() -> Bool {
    guard isAsleep, !isTurnTaken, !isShared, !isStopping else { return false }
    isTurnTaken = true
    return true
  }

  /// Ends the turn.
  ///
  /// - Parameters:
  ///   - due: The latest time for the scheduled work.
  ///   - hasChores: A Boolean value that indicates whether there is background work.
  /// - Returns: The action that the caller has to take.
  mutating func endTurn(due: ContinuousClock.Instant?, hasChores: Bool) -> Step {
    isTurnTaken = false
    let isLate = due.map { due in alarm.map { due < $0 } ?? true } ?? false
    return isLate || hasChores || !restWaiters.isEmpty ? wake() : .nothing
  }

  /// Returns the thread's next work; `nil` marks the thread as asleep, and it has to sleep until it
  /// is woken or its scheduled work is due.
  mutating func next(due: ContinuousClock.Instant?, mayRest: Bool) -> Work? {
    if !openers.isEmpty {
      defer { openers = [] }
      return .opening(openers)
    }
    if !jobs.isEmpty {
      let group = Array(jobs.prefix(Self.groupSize))
      jobs.removeFirst(group.count)
      isShared = group.count > 1
      return .jobs(group)
    }
    if isStopping { return .end }
    if mustAttend || due.map({ $0 <= .now }) ?? false {
      mustAttend = false
      return .due
    }
    if !mayRest { return .chore }
    isAsleep = true
    alarm = due
    return nil
  }

  /// Marks the thread as awake, also if its sleep has ended by itself.
  mutating func wakeUp() {
    isAsleep = false
  }

  mutating func takeRestWaiters() -> [@Sendable () -> Void] {
    defer { restWaiters = [] }
    return restWaiters
  }

  /// Marks the queue as ended, and returns the closures that wait for that.
  mutating func finish() -> [@Sendable () -> Void] {
    isOver = true
    defer { endWaiters = [] }
    return endWaiters + takeRestWaiters()
  }

  /// The pending work of a thread that could not be started.
  struct Abandoned: Sendable {
    let openers: [Opener]
    let jobs: [Job]
    let waiters: [@Sendable () -> Void]
    /// A Boolean value that indicates whether the writer has been stopped in the meantime; no thread
    /// will be started then.
    let isClosed: Bool
  }

  /// Removes all pending work of a thread that could not be started; the next job starts another one.
  mutating func abandon() -> Abandoned {
    isStarted = false
    if isStopping { isOver = true }
    let waiters = isOver ? finish() : takeRestWaiters()
    let left = Abandoned(openers: openers, jobs: jobs, waiters: waiters, isClosed: isOver)
    openers = []
    jobs = []
    return left
  }

  private mutating func startOrWake() -> Step {
    if isStarted { return wake() }
    isStarted = true
    return .start
  }

  private mutating func wake() -> Step {
    defer { isAsleep = false }
    return isAsleep ? .wake : .nothing
  }
}
