/// The state of a running batch: waiting items, running items, and signals that its reader has not taken.
///
/// A pure value; ``BatchEngine`` executes its results, and releases what it drops, outside of its lock:
/// items and signals contain the caller's objects, whose deinitializers may pause or cancel the run.
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
  /// The time since which the source is asked for an item; `nil` while one waits for room.
  private var askedAt: Duration? = .zero
  private var failure: FreshetError?
  private(set) var isClosed = false
  private(set) var isCancelled = false
  /// A Boolean value that indicates whether a worker has found nothing that it may start, and nothing has
  /// changed since.
  private var isStarving = false
  private let limits: BatchLimits
  private let readAhead: BatchReadAhead
  private let outboxLimit: Int
  /// A closure that makes the first signal of an item that starts.
  private let beginning: (@Sendable (BatchItem) -> Signal)?

  init(
    _ limits: BatchLimits,
    _ readAhead: BatchReadAhead,
    _ beginning: (@Sendable (BatchItem) -> Signal)? = nil
  ) {
    self.beginning = beginning
    scheduler = SchedulerState(limits.scheduler)
    self.limits = limits
    self.readAhead = readAhead
    outboxLimit = 2 * limits.maxConcurrent
  }

  /// The number of items so far.
  var offeredCount: Int { nextID }
  /// A Boolean value that indicates whether no more items should come for now.
  var isFull: Bool {
    !isCancelled && scheduler.waitingCount >= (isStarving ? readAhead.farthest : limits.window)
  }
  /// A Boolean value that indicates whether there is room for many items again, or a worker needs one.
  var isLow: Bool { isCancelled || hasFewWaiting || isStarving && !hasReadFar }
  /// A Boolean value that indicates whether workers have to wait for the reader.
  var isAhead: Bool { !isCancelled && outbox.count > outboxLimit }
  /// A Boolean value that indicates whether workers may continue.
  var isCaughtUp: Bool { isCancelled || outbox.count <= outboxLimit / 2 }
  /// A Boolean value that indicates whether there is nothing left to start, now and later.
  var isExhausted: Bool { isCancelled || isClosed && scheduler.waitingCount == 0 }
  private var isOver: Bool { isExhausted && (isCancelled || scheduler.runningCount == 0) }
  /// A Boolean value that indicates whether the reader would receive anything but `nothing`.
  var hasNews: Bool { !outbox.isEmpty || isOver }

  private var hasFewWaiting: Bool { scheduler.waitingCount <= limits.window / 2 }
  private var hasReadFar: Bool { scheduler.waitingCount > readAhead.farthest - limits.window }
  /// The places of a host that it may take whatever others wait for.
  private var share: Int { limits.share(of: readAhead.hosts ?? scheduler.waitingHosts) }
  /// Returns whether a host may take more than its share: there is no other item to be read for the place, or
  /// none at once.
  private func mayExceedShare(now: Duration) -> Bool {
    if isClosed || hasReadFar { return true }
    // A list is read to its end at once; a sequence may not go on for long.
    guard readAhead.hosts == nil else { return false }
    return hasFewWaiting || askedAt.map { now - $0 > .milliseconds(5) } ?? false
  }

  /// Takes an item of the source.
  ///
  /// - Returns: A Boolean value that indicates whether more are needed; `nil` if there is no room for it.
  mutating func offer(_ item: BatchItem, host: HostKey, now: Duration) -> Bool? {
    if isCancelled { return false }
    if isFull {
      askedAt = nil
      return nil
    }
    scheduler.enqueue(nextID, item, host: host, priority: item.priority, now: now)
    nextID += 1
    askedAt = now
    if scheduler.runningCount(of: host) < share || mayExceedShare(now: now) { isStarving = false }
    return true
  }

  mutating func close(_ failure: FreshetError?) {
    isClosed = true
    isStarving = false
    self.failure = failure
  }

  /// Starts the next item, if one may run.
  mutating func assignment(now: Duration) -> Assignment? {
    guard !isCancelled, !isStarving else { return nil }
    guard
      let (id, item, admission) = scheduler.admit(now: now, perHost: share)
        ?? (mayExceedShare(now: now) ? scheduler.admit(now: now) : nil)
    else {
      isStarving = !scheduler.isPaused
      return nil
    }
    if let beginning { outbox.post(beginning(item), closing: id) }
    return Assignment(id: id, item: item, admission: admission)
  }

  mutating func end(_ assignment: Assignment) {
    guard !isCancelled else { return }
    scheduler.leave(assignment.admission)
    isStarving = false
  }

  mutating func pause(_ isPaused: Bool) {
    scheduler.isPaused = isPaused
    isStarving = false
  }

  /// Adds a signal of an item.
  ///
  /// - Returns: The signal that is dropped: replaced progress, or the new one if the run is cancelled.
  mutating func post(
    _ signal: consuming Signal,
    of assignment: Assignment,
    isProgress: Bool
  ) -> Signal? {
    guard !isCancelled else { return signal }
    guard !isProgress else { return outbox.post(signal, replacing: assignment.id) }
    outbox.post(signal, closing: assignment.id)
    return nil
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

  /// Drops all items and signals, and returns them.
  mutating func cancel() -> (SchedulerState<BatchItem>, EventBuffer<Signal>) {
    isCancelled = true
    // A worker that ends later has nothing to return.
    return (
      exchange(&scheduler, with: SchedulerState(scheduler.limits)),
      exchange(&outbox, with: EventBuffer())
    )
  }
}
