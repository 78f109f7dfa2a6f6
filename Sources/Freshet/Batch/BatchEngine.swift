import Synchronization

/// Runs the items of a source with a number of workers, and passes their signals to one reader.
///
/// The source is read ahead by four times the number of workers, and farther while a worker waits
/// although items do: their hosts have their share of the workers, and the next one may be for
/// another. Workers wait while the reader is more than twice their number of signals behind.
/// Releasing the last reference from outside, or `cancel()`, ends the work.
final class BatchEngine<Signal: Sendable>: Sendable {
  typealias State = BatchState<Signal>
  typealias Assignment = State.Assignment
  /// The work on an item, in the task of a worker; its result is the item's last signal.
  typealias Work = @Sendable (BatchItem, WorkerTask, Post) async -> Signal

  private typealias IdleWorker = UnsafeContinuation<Assignment?, Never>

  private struct Guarded {
    var state: State
    var feeder: WaitContinuation?
    var reader: WaitContinuation?
    /// The workers that wait for the reader.
    var ahead: [WaitContinuation] = []
    var idle: [IdleWorker] = []
  }

  private let guarded: Mutex<Guarded>
  private let limits: BatchLimits
  private let now: @Sendable () -> Duration
  private let running = Mutex(Running())

  /// The tasks and the observer that `cancel()` ends.
  private struct Running {
    var feeder: Task<Void, Never>?
    var workers: [WorkerTask] = []
    var control: (BatchControl, observer: Int)?
  }

  /// Makes an engine; `beginning` makes the first signal of an item that starts.
  init(
    _ limits: BatchLimits,
    _ readAhead: BatchReadAhead,
    now: @escaping @Sendable () -> Duration,
    beginning: (@Sendable (BatchItem) -> Signal)? = nil
  ) {
    self.limits = limits
    self.now = now
    guarded = Mutex(Guarded(state: State(limits, readAhead, beginning)))
  }

  /// Sends a worker's signals.
  struct Post: Sendable {
    fileprivate let engine: BatchEngine
    fileprivate let assignment: Assignment

    /// Sends a progress signal, of which only the newest is delivered.
    func progress(_ signal: Signal) {
      engine.post(signal, of: assignment, isProgress: true)
    }

    /// Sends a signal that is always delivered.
    func callAsFunction(_ signal: Signal) {
      engine.post(signal, of: assignment, isProgress: false)
    }
  }
}

// MARK: - Source and workers

extension BatchEngine {
  /// Starts the work; called once, by the reader, before it can cancel.
  func start(_ source: BatchSource, _ control: BatchControl?, work: @escaping Work) {
    let count = min(limits.maxConcurrent, max(source.count ?? .max, 1))
    let source = prefill(source.byPriority)
    // Before the work begins, because the run may be paused from the start.
    let observer = control.map { control in
      (control, observer: control.paused.observe { [weak self] in self?.pause($0) })
    }
    let feeder = Task { await self.feed(source) }
    let workers = (0..<count).map { _ in WorkerTask { await self.run(work, in: $0) } }
    running.withLock { $0 = Running(feeder: feeder, workers: workers, control: observer) }
  }

  /// Offers items until the state is full, before the work begins.
  private func prefill(_ source: BatchSource) -> BatchSource {
    guard case .items(let items) = source else { return source }
    let time = now()
    let count = guarded.withLock { guarded in
      for (count, item) in items.enumerated() {
        let isTaken = guarded.state.offer(item, host: limits.host(of: item.request), now: time)
        guard isTaken == true else { return count }
      }
      guarded.state.close(nil)
      return items.count
    }
    return .items(Array(items[count...]))
  }

  func cancel() {
    // What is dropped is released outside of the lock.
    _ = change { $0.cancel() }
    let running = running.withLock { running in exchange(&running, with: Running()) }
    running.feeder?.cancel()
    for worker in running.workers { worker.cancel() }
    if let (control, observer) = running.control { control.paused.forget(observer) }
  }

  private func feed(_ source: BatchSource) async {
    var failure: FreshetError?
    do throws(FreshetError) {
      try await source.feed { [self] item in
        while true {
          if let isTaken = offer(item) { return isTaken }
          await room()
        }
      }
    } catch {
      failure = error
    }
    change { $0.close(failure) }
  }

  private func offer(_ item: BatchItem) -> Bool? {
    let host = limits.host(of: item.request)
    let time = now()
    return change(at: time) { $0.offer(item, host: host, now: time) }
  }

  private func room() async {
    await withUnsafeContinuation { continuation in
      let waits = guarded.withLock { guarded in
        guard guarded.state.isFull else { return false }
        guarded.feeder = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
  }

  private func run(_ work: Work, in worker: WorkerTask) async {
    var next = goOn(after: nil)
    while let assignment = await assignment(next) {
      worker.urgency.change(to: assignment.item.priority)
      let last = await work(
        assignment.item,
        worker,
        Post(engine: self, assignment: assignment)
      )
      next = goOn(after: assignment, telling: last)
      if case .ahead = next {
        await catchUp()
        next = goOn(after: assignment)
      }
    }
  }

  /// The next step of a worker.
  private enum Next {
    case assignment(Assignment)
    /// The reader is far behind: the previous assignment has not been ended.
    case ahead
    /// There is nothing to do now.
    case idle
    /// There is nothing more to do.
    case over
  }

  /// Posts the last signal of a worker's assignment, ends it and takes the next one, under one lock
  /// because all workers contend for it.
  private func goOn(after last: Assignment?, telling signal: Signal? = nil) -> Next {
    let time = now()
    var dropped: Signal?
    // It is released outside of the lock.
    defer { withExtendedLifetime(dropped) {} }
    return change(at: time) { state in
      if let last {
        if let signal { dropped = state.post(signal, of: last, isProgress: false) }
        if signal != nil, state.isAhead { return .ahead }
        state.end(last)
      }
      if let assignment = state.assignment(now: time) { return .assignment(assignment) }
      return state.isExhausted ? .over : .idle
    }
  }

  /// Returns the next assignment, once there is one.
  private func assignment(_ next: Next) async -> Assignment? {
    switch next {
    case .assignment(let assignment): return assignment
    case .over: return nil
    case .ahead, .idle: break
    }
    return await withUnsafeContinuation { continuation in
      let time = now()
      let (result, waiting): (Assignment??, WaitContinuation?) = guarded.withLock { guarded in
        if let assignment = guarded.state.assignment(now: time) {
          return (.some(assignment), guarded.state.hasNews ? guarded.reader.take() : nil)
        }
        if guarded.state.isExhausted { return (.some(nil), nil) }
        guarded.idle.append(continuation)
        return (nil, guarded.state.isLow ? guarded.feeder.take() : nil)
      }
      waiting?.resume()
      if let result { continuation.resume(returning: result) }
    }
  }

  /// Waits until the reader has caught up.
  private func catchUp() async {
    await withUnsafeContinuation { continuation in
      let (waits, reader) = guarded.withLock { guarded -> (Bool, WaitContinuation?) in
        guard guarded.state.isAhead else { return (false, nil) }
        guarded.ahead.append(continuation)
        return (true, guarded.reader.take())
      }
      reader?.resume()
      if !waits { continuation.resume() }
    }
  }

  private func pause(_ isPaused: Bool) {
    change { $0.pause(isPaused) }
  }

  private func post(_ signal: Signal, of assignment: Assignment, isProgress: Bool) {
    let (dropped, reader) = guarded.withLock { guarded in
      let dropped = guarded.state.post(signal, of: assignment, isProgress: isProgress)
      return (dropped, guarded.reader.take())
    }
    reader?.resume()
    // It is released outside of the lock.
    _ = dropped
  }

  /// Changes the state, and resumes all continuations that may proceed.
  @discardableResult
  private func change<Value: Sendable>(
    at time: Duration? = nil,
    _ body: (inout State) -> Value
  ) -> Value {
    let time = time ?? now()
    var assignments: [(IdleWorker, Assignment?)] = []
    var pauses: [WaitContinuation] = []
    let value = guarded.withLock { guarded in
      let value = body(&guarded.state)
      while !guarded.idle.isEmpty, let assignment = guarded.state.assignment(now: time) {
        assignments.append((guarded.idle.removeLast(), assignment))
      }
      if guarded.state.isExhausted {
        assignments += guarded.idle.map { ($0, nil) }
        guarded.idle = []
      }
      if guarded.state.isLow, let feeder = guarded.feeder.take() { pauses.append(feeder) }
      if guarded.state.hasNews, let reader = guarded.reader.take() { pauses.append(reader) }
      if guarded.state.isCancelled {
        pauses += guarded.ahead
        guarded.ahead = []
      }
      return value
    }
    for (worker, assignment) in assignments { worker.resume(returning: assignment) }
    for pause in pauses { pause.resume() }
    return value
  }
}

// MARK: - Reader

extension BatchEngine {
  /// The number of items from the source, and a Boolean value that indicates whether these are all.
  var offered: (count: Int, isAll: Bool) {
    guarded.withLock { ($0.state.offeredCount, $0.state.isClosed) }
  }

  /// Moves the next signals to the reader, if there are any.
  func take(into signals: inout Queue<Signal>) -> State.Taken {
    let (taken, waiting, feeder) = guarded.withLock { guarded in
      let taken = guarded.state.take(into: &signals)
      let waiting = guarded.state.isCaughtUp ? guarded.ahead : []
      if guarded.state.isCaughtUp { guarded.ahead = [] }
      let feeder = guarded.state.isLow ? guarded.feeder.take() : nil
      return (taken, waiting, feeder)
    }
    for pause in waiting { pause.resume() }
    feeder?.resume()
    return taken
  }

  /// Waits until there is a signal, or the task is cancelled.
  func news() async {
    await withCancellableContinuation { continuation in
      guarded.withLock { guarded -> Void? in
        guard !guarded.state.hasNews else { return () }
        guarded.reader = continuation
        return nil
      }
    } onCancel: {
      cancel()
    }
  }
}
