/// The state of a broadcast: the buffered values, the position of each reader, and the waiting tasks.
///
/// A pure value: it returns the continuations, which ``Broadcast`` resumes outside of its lock.
struct BroadcastState<Value: Sendable, Failure: PipelineFailure> {
  struct Reader {
    var nextValue: Int
    var seenProgress: Int
    let wantsProgress: Bool
    var waiter: WaitContinuation?
    var isCancelled = false
  }

  enum End {
    case finished
    case failed(Failure)
  }

  enum Step {
    case event(Event<Value>)
    case end(End?)
    case wait
  }

  let limit: Int
  private var values: [Value] = []
  private var firstValue = 0
  private(set) var progress: TransferProgress?
  private var progressCount = 0
  /// The number of values that had been sent before the newest progress.
  private var progressPlace = 0
  private(set) var end: End?
  /// A Boolean value that indicates whether there is an end.
  ///
  /// ``end`` is large, and comparing it with `nil` would copy it.
  private(set) var hasEnded = false
  private var readers: [Int: Reader] = [:]
  private var nextReader = 0
  private var sender: WaitContinuation?

  init(limit: Int) {
    self.limit = limit
  }

  private var valueCount: Int { firstValue + values.count }

  mutating func join(wantsProgress: Bool = true) -> Int {
    defer { nextReader += 1 }
    readers[nextReader] = Reader(
      nextValue: max(firstValue, valueCount - 1),
      seenProgress: 0,
      wantsProgress: wantsProgress
    )
    return nextReader
  }

  mutating func leave(_ id: Int) -> [WaitContinuation] {
    let waiter = readers.removeValue(forKey: id)?.waiter
    return (waiter.map { [$0] } ?? []) + trim()
  }

  mutating func send(_ value: Value) -> [WaitContinuation] {
    guard !hasEnded else { return [] }
    values.append(value)
    return wakeReaders() + trim()
  }

  mutating func send(_ progress: TransferProgress) -> [WaitContinuation] {
    guard !hasEnded else { return [] }
    self.progress = progress
    progressCount += 1
    progressPlace = valueCount
    return wakeReaders { $0.wantsProgress }
  }

  mutating func finish(_ end: End) -> [WaitContinuation] {
    guard !hasEnded else { return [] }
    self.end = end
    hasEnded = true
    let sender = sender.take()
    return wakeReaders() + (sender.map { [$0] } ?? [])
  }

  /// A Boolean value that indicates whether the sender must wait for the slowest reader.
  var isFull: Bool { values.count > limit && !hasEnded }

  mutating func park(sender: WaitContinuation) -> Bool {
    guard isFull else { return false }
    self.sender = sender
    return true
  }

  /// Returns the reader's next step, and the continuations that taking it resumes.
  mutating func step(_ id: Int) -> (Step, [WaitContinuation]) {
    let step = next(for: id)
    switch step {
    case .event(.value):
      readers[id]?.nextValue += 1
      return (step, trim())
    case .event(.progress):
      readers[id]?.seenProgress = progressCount
    case .end, .wait:
      break
    }
    return (step, [])
  }

  /// Parks the reader, unless an event has arrived in the meantime.
  mutating func park(_ id: Int, _ waiter: WaitContinuation) -> Bool {
    guard case .wait = next(for: id) else { return false }
    readers[id]?.waiter = waiter
    return true
  }

  /// Returns the reader's next step without taking it.
  ///
  /// Progress keeps its position among the values: it comes before a value that was sent later, and is
  /// skipped once the reader has passed that position.
  private func next(for id: Int) -> Step {
    guard let reader = readers[id] else { return .end(nil) }
    if reader.isCancelled { return .end(.failed(Failure(.cancelled))) }
    if let progress, reader.wantsProgress, reader.seenProgress < progressCount,
      reader.nextValue == progressPlace
    {
      return .event(.progress(progress))
    }
    if reader.nextValue < valueCount {
      return .event(.value(values[reader.nextValue - firstValue]))
    }
    return end.map { .end($0) } ?? .wait
  }

  mutating func cancel(_ id: Int) -> [WaitContinuation] {
    readers[id]?.isCancelled = true
    return readers[id]?.waiter.take().map { [$0] } ?? []
  }

  private mutating func wakeReaders(
    _ concerns: (Reader) -> Bool = { _ in true }
  ) -> [WaitContinuation] {
    var waiters: [WaitContinuation] = []
    // Mutates in place: iterating over the keys would copy the dictionary at each change.
    var index = readers.startIndex
    while index != readers.endIndex {
      if concerns(readers.values[index]), let waiter = readers.values[index].waiter.take() {
        waiters.append(waiter)
      }
      readers.formIndex(after: &index)
    }
    return waiters
  }

  /// Drops the values that every reader has received, except the last one, and returns the sender if it
  /// may continue.
  private mutating func trim() -> [WaitContinuation] {
    // Not a key path: in generic code it would be created again at each use.
    let slowest = readers.values.reduce(valueCount) { min($0, $1.nextValue) }
    let keep = min(slowest, valueCount - 1)
    if keep > firstValue {
      values.removeFirst(keep - firstValue)
      firstValue = keep
    }
    guard !isFull, let sender = sender.take() else { return [] }
    return [sender]
  }
}
