/// The state of a running batch: waiting items, running items, and signals that its reader has not taken.
///
/// A pure value; ``BatchEngine`` executes its results outside of its lock.
struct BatchState<Signal> {
  /// One item that is assigned to a worker.
  struct Assignment: Sendable {
    let id: Int
    let item: BatchItem
    fileprivate let admission: SchedulerState<BatchItem>.Admission
  }

  enum Taken {
    /// Signals, in order.
    case signals
    /// There is nothing now.
    case nothing
    /// There is nothing more; the failure is the source's.
    case end(FreshetError?)
  }

  private var scheduler: SchedulerState<BatchItem>
  private var outbox = EventBuffer<Signal>()
  private var nextID = 0
  private var failure: FreshetError?
  private(set) var isClosed = false
  private(set) var isCancelled = false
  /// A Boolean value that indicates whether a worker has found nothing that it may start.
  private var isStarving = false
  /// The number of items that may wait, usually.
  private let window: Int
  /// The number of items that may wait while a worker starves.
  private let reach: Int
  private let outboxLimit: Int
  /// A closure that makes the first signal of an item that starts.
  private let beginning: (@Sendable (BatchItem) -> Signal)?

  init(
    _ limits: BatchLimits,
    reach: Int,
    _ beginning: (@Sendable (BatchItem) -> Signal)? = nil
  ) {
    self.beginning = beginning
    scheduler = SchedulerState(limits.scheduler)
    window = limits.window
    self.reach = reach
    outboxLimit = 2 * limits.maxConcurrent
  }

  /// The number of items so far.
  var offeredCount: Int { nextID }
  /// A Boolean value that indicates whether no more items should come for now.
  var isFull: Bool { !isCancelled && scheduler.waitingCount >= (isStarving ? reach : window) }
  /// A Boolean value that indicates whether there is room for many items again, or a worker needs one.
  var isLow: Bool {
    isCancelled || scheduler.waitingCount <= window / 2
      || isStarving && scheduler.waitingCount < reach
  }
  /// A Boolean value that indicates whether workers have to wait for the reader.
  var isAhead: Bool { !isCancelled && outbox.count > outboxLimit }
  /// A Boolean value that indicates whether workers may continue.
  var isCaughtUp: Bool { isCancelled || outbox.count <= outboxLimit / 2 }
  /// A Boolean value that indicates whether there is nothing left to start, now and later.
  var isExhausted: Bool { isCancelled || isClosed && scheduler.waitingCount == 0 }
  private var isOver: Bool { isExhausted && (isCancelled || scheduler.runningCount == 0) }
  /// A Boolean value that indicates whether the reader would receive anything but `nothing`.
  var hasNews: Bool { !outbox.isEmpty || isOver }

  mutating func offer(_ item: BatchItem, host: HostKey, now: Duration) {
    scheduler.enqueue(nextID, item, host: host, priority: item.priority, now: now)
    nextID += 1
  }

  mutating func close(_ failure: FreshetError?) {
    isClosed = true
    self.failure = failure
  }

  /// Starts the next item, if one may run.
  mutating func assignment(now: Duration) -> Assignment? {
    guard !isCancelled, let (id, item, admission) = scheduler.admit(now: now) else {
      isStarving = !scheduler.isPaused
      return nil
    }
    isStarving = false
    if let beginning { outbox.post(beginning(item), closing: id) }
    return Assignment(id: id, item: item, admission: admission)
  }

  mutating func end(_ assignment: Assignment) {
    if !isCancelled { scheduler.leave(assignment.admission) }
  }

  mutating func pause(_ isPaused: Bool) {
    scheduler.isPaused = isPaused
  }

  mutating func post(_ signal: consuming Signal, of assignment: Assignment, isProgress: Bool) {
    guard !isCancelled else { return }
    if isProgress {
      outbox.post(signal, replacing: assignment.id)
    } else {
      outbox.post(signal, closing: assignment.id)
    }
  }

  /// Moves signals to the only reader, several at once.
  mutating func take(into signals: inout Queue<Signal>) -> Taken {
    guard !outbox.isEmpty else { return isOver ? .end(failure) : .nothing }
    for _ in 0..<Self.portion {
      guard let signal = outbox.take() else { break }
      signals.append(signal)
    }
    return .signals
  }

  /// The largest number of signals that are moved at once; progress among them is no longer conflated.
  private static var portion: Int { 16 }

  mutating func cancel() {
    isCancelled = true
    // A worker that ends later has nothing to return.
    scheduler = SchedulerState(scheduler.limits)
    outbox.removeAll()
  }
}
