/// What a batch at work knows: what waits, what runs, what its reader has not taken yet.
///
/// A pure value; what it returns is done by ``BatchEngine`` outside of its lock.
struct BatchState<Signal> {
  /// One turn of a worker.
  struct Turn: Sendable {
    let id: Int
    let item: BatchItem
    fileprivate let admission: SchedulerState<BatchItem>.Admission
  }

  enum Taken {
    /// Signals, in order.
    case signals
    /// Nothing now.
    case nothing
    /// Nothing any more; the failure is the source's.
    case end(FreshetError?)
  }

  private var scheduler: SchedulerState<BatchItem>
  private var outbox = Outbox<Signal>()
  private var nextID = 0
  private var failure: FreshetError?
  private(set) var isClosed = false
  private(set) var isCancelled = false
  private let window: Int
  private let outboxLimit: Int
  /// What is told of an item whose turn it is.
  private let beginning: (@Sendable (BatchItem) -> Signal)?

  init(_ limits: BatchLimits, _ beginning: (@Sendable (BatchItem) -> Signal)? = nil) {
    self.beginning = beginning
    scheduler = SchedulerState(limits.scheduler)
    window = 4 * limits.maxConcurrent
    outboxLimit = 2 * limits.maxConcurrent
  }

  /// How many items have come so far.
  var offeredCount: Int { nextID }
  /// Whether no more items should come for now.
  var isFull: Bool { !isCancelled && scheduler.waitingCount >= window }
  /// Whether there is room for a good number of items again.
  var isLow: Bool { isCancelled || scheduler.waitingCount <= window / 2 }
  /// Whether workers have to wait for the reader.
  var isAhead: Bool { !isCancelled && outbox.count > outboxLimit }
  /// Whether workers may go on.
  var isCaughtUp: Bool { isCancelled || outbox.count <= outboxLimit / 2 }
  /// Whether there is nothing left to start, now and later.
  var isExhausted: Bool { isCancelled || isClosed && scheduler.waitingCount == 0 }
  private var isOver: Bool { isExhausted && (isCancelled || scheduler.runningCount == 0) }
  /// Whether the reader would get something else than `nothing`.
  var hasNews: Bool { !outbox.isEmpty || isOver }

  mutating func offer(_ item: BatchItem, host: HostKey, now: Duration) {
    scheduler.enqueue(nextID, item, host: host, priority: item.request.priority, now: now)
    nextID += 1
  }

  mutating func close(_ failure: FreshetError?) {
    isClosed = true
    self.failure = failure
  }

  /// Lets the next item run, if there is one that may.
  mutating func turn(now: Duration) -> Turn? {
    guard !isCancelled, let (id, item, admission) = scheduler.admit(now: now) else { return nil }
    if let beginning { outbox.post(beginning(item), closing: id) }
    return Turn(id: id, item: item, admission: admission)
  }

  mutating func end(_ turn: Turn) {
    if !isCancelled { scheduler.leave(turn.admission) }
  }

  mutating func pause(_ isPaused: Bool) {
    scheduler.isPaused = isPaused
  }

  mutating func post(_ signal: consuming Signal, of turn: Turn, isProgress: Bool) {
    guard !isCancelled else { return }
    if isProgress {
      outbox.post(signal, replacing: turn.id)
    } else {
      outbox.post(signal, closing: turn.id)
    }
  }

  /// Moves signals to their reader, of whom nobody else takes any: as many as are sensible at once.
  mutating func take(into signals: inout Queue<Signal>) -> Taken {
    guard !outbox.isEmpty else { return isOver ? .end(failure) : .nothing }
    for _ in 0..<Self.portion {
      guard let signal = outbox.take() else { break }
      signals.append(signal)
    }
    return .signals
  }

  /// What the reader has taken is not conflated any more.
  private static var portion: Int { 16 }

  mutating func cancel() {
    isCancelled = true
    // Who ends later has nothing to give back.
    scheduler = SchedulerState(scheduler.limits)
    outbox.removeAll()
  }
}
